// What each release of the interface changed, in our words, newest first: release, change, and the tests that show it (see pins.mjs).

export const RELEASE_NOTES = [
  [
    '2.6.1',
    'details of a failed token login are one list',
    [
      'auth/submit-token :: token: wrong secret, unknown number, changed context part',
      'auth/submit-token :: context: another one than the token’s, with its value in the text',
    ],
  ],
  [
    '2.6.1',
    'packages of metadata alone end at 10,000 records and say so',
    ['exports/large-exports :: by %s the date to go on from is %s, also without documents'],
  ],
  [
    '2.6.0',
    'TarGz for batch packages',
    [
      'batch/process-package :: as tar.gz, with folders and a long name',
      'core/batch-session :: the other kind of archive, and a bad file among good ones',
    ],
  ],
  ['2.6.0', 'TarGz for exports', ['exports/exports :: metadata alone; TarGz, by either name of the setting']],
  [
    '2.6.0',
    'header X-System-Warning',
    [
      'http/app :: TEST echoes the warning, folded to ASCII',
      'full/errors :: warnings asked for in a test come back without Polish letters',
    ],
  ],
  [
    '2.5.0',
    'publicKeyId selects the key; unknown ones are 21470',
    [
      'auth/submit-token :: publicKeyId of another usage, unknown, or of another length',
      'exports/exports :: an unknown key is refused with its name, at either place',
    ],
  ],
  [
    '2.5.0',
    'schema 2.1 of AuthTokenRequest',
    [
      'xades/read-auth-token-request :: reads what the client writes: both versions, both names, every context, with and without policy',
    ],
  ],
  [
    '2.5.0',
    'request limits of TEST are those of PRD',
    ['core/limits :: limits of a new context are those of production'],
  ],
  ['2.5.0', 'form value RR is gone', ['contract/src/enumerations :: knows no %s %s %s']],
  [
    '2.4.0',
    'a token reads and revokes itself without further permission',
    ['tokens/tokens :: a token login without credentials rights sees itself, reads its siblings, revokes itself only'],
  ],
  [
    '2.4.0',
    'stricter XML, on PRD from 2026-07-16',
    [
      'check-rules/strict-xml :: PRD takes both until 16 July 2026 and warns',
      'check-rules/strict-xml :: instruction %s: %i',
    ],
  ],
  [
    '2.4.0',
    'statuses are kept for a time, then 410',
    [
      'auth/rules :: a status is kept for seven days',
      'permissions/operation-status :: is gone after 30 days, for its own context; the permission stays',
    ],
  ],
  [
    '2.4.0',
    'problem details for 400, 410 and 429',
    [
      'http/app :: 400 as problem details when asked for, whatever the case of the header value',
      'test/limits-http :: the 61st challenge of a second from one address is refused, in both formats, with an honest wait',
      'full/errors :: %s as %s',
    ],
  ],
  [
    '2.4.0',
    'exports 8 a second, 16 a minute',
    ['limits/routes :: has the default request limits of all twelve groups'],
  ],
  ['2.3.0', 'more certificates for PESEL and fingerprint', ['limits/routes :: gives %j its certificate limits']],
  ['2.3.0', 'form type FA_RR in filters', ['invoices/retrieval :: filters, alone and together']],
  ['2.3.0', 'negative amounts in filters', ['invoices/retrieval :: filters, alone and together']],
  ['2.3.0', 'onlyMetadata exports', ['exports/exports :: metadata alone; TarGz, by either name of the setting']],
  [
    '2.2.x',
    'POST /permissions/query/entities/grants',
    ['permissions/grant-entity :: shows the receiver what it was given'],
  ],
  [
    '2.2.x',
    'clientIp in the challenge',
    ['auth/submit-xades :: is a number of kind CR with the moment it was made at'],
  ],
  [
    '2.2.x',
    'problem details for 401 and 403',
    ['http/app :: 401 has the members of problem details in both formats (%s)', 'full/errors :: %s as %s'],
  ],
  [
    '2.2.x',
    'schema FA_RR 1-1E',
    [
      'contract/src/enumerations :: %s %s %s',
      'sessions/issuing :: RR invoices are issued by the buyer, with the farmer as seller',
    ],
  ],
  [
    '2.1.x',
    'authenticationMethodInfo',
    [
      'auth/submit-xades :: takes a person by NIP as owner, with the method of a qualified signature',
      'auth/process-operation :: a trusted profile logs in as the person in the signed properties',
    ],
  ],
  [
    '2.1.x',
    'contexts can be blocked and unblocked in tests',
    [
      'testdata/block-context :: takes every type, as a member or bare, and repeats',
      'core/login :: a blocked context lets nobody in until it is unblocked',
    ],
  ],
  ['2.1.x', 'RR invoices', ['sessions/issuing :: RR invoices are issued by the buyer, with the farmer as seller']],
  ['2.1.x', 'dates without offset are Warsaw time', ['contract/src/date-time :: %s is %s']],
  [
    '2.1.x',
    'token permission Introspection',
    ['sessions/verdicts-and-closing :: its opener and the owner do, another sender does not, an auditor only reads'],
  ],
  [
    '2.0.x',
    'periods of at most three months, in UTC or Polish time',
    [
      'contract/src/date-time :: from %s reach to %s and not a tick further',
      'exports/exports :: every rule of the period, all at once',
    ],
  ],
  [
    '2.0.x',
    'receipts of version 4-3',
    [
      'receipts/upo :: writes version 4-3 under the name of the ministry, byte for byte',
      'sessions/receipts :: version 4-2 by the feature header',
    ],
  ],
  [
    '2.0.x',
    'dateCreated and dateUpdated of sessions',
    [
      'sessions/held-invoices :: dateCreated is the opening, dateUpdated the last thing that happened: send, close, verdict',
    ],
  ],
  [
    '2.0.x',
    'header x-ms-meta-hash',
    [
      'sessions/receipts :: four ways to read one receipt give the same signed bytes with their hash',
      'invoices/retrieval :: seller, buyer, third party and representative read the very bytes',
    ],
  ],
  [
    '2.0.x',
    '429 with Retry-After',
    [
      'test/limits-http :: the 61st challenge of a second from one address is refused, in both formats, with an honest wait',
    ],
  ],
  [
    '2.0.x',
    'session lists of up to 1000',
    ['sessions/verdicts-and-closing :: lists: sizes of pages, forged tokens, each session once'],
  ],
  ['2.0.x', 'no fileName in part descriptors', ['other-clients/ksef-client-ts :: sends packages of both kinds']],
  ['deprecated', 'authenticationMethod is still sent', ['auth/login-over-http :: writes it everywhere and reads both']],
  [
    'deprecated',
    'totalCount is still sent',
    ['invoices/retrieval :: ten thousand can be reached, and the last page says that there is more'],
  ],
  ['deprecated', 'schemaType is still sent and understood', ['invoices/retrieval :: filters, alone and together']],
];
