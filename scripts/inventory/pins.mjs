// What no rule finds in the sources: which test shows a status, a limit or a release note. Each entry is checked to exist still.
// A text is `part of the file's path :: title of the test`; { missing } says why there is none.

/** Operation kinds with the status codes of contract/statuses.ts. The number must stand in the test or in a helper it uses. */
export const STATUSES = {
  'Authentication operation': {
    100: 'auth/submit-token :: waits at 100 while the token is Pending',
    200: 'auth/submit-xades :: takes a person by NIP as owner, with the method of a qualified signature',
    415: 'auth/submit-xades :: no permission: 415, and redeem says so',
    425: 'auth/sessions :: ending the current one: by access and by refresh token; refresh stops, the access token lives on',
    450: 'auth/submit-token :: token: wrong secret, unknown number, changed context part',
    460: 'auth/submit-xades :: certificate not valid yet or any more: 460',
    470: 'auth/submit-xades :: deceased person: 470, and redeem 21308',
    480: 'auth/submit-xades :: blocked context: 480, after unblocking 200',
    500: 'auth/process-operation :: a failing registry: tried again, in the end 500; one that recovers: 200',
    550: 'auth/process-operation :: gives up with 550 after 45 minutes of silence',
  },
  Export: {
    100: 'exports/failing-exports :: leaves exports running, of which ten are allowed at once; then they end well',
    200: 'exports/exports :: nothing found is a package without parts',
    210: 'exports/failing-exports :: a package has its own life; then the status is 210 and its links lead nowhere',
    415: 'exports/exports :: what does not decrypt, or to another length, ends with 415',
    420: 'exports/exports :: a window above the mark is accepted, and ends with 420',
    500: 'exports/failing-exports :: for good ends them with 500, and nothing of them is left',
    550: 'exports/failing-exports :: a database that has no room, again and again, ends an export with 550 and the advice to try again',
  },
  'Certificate enrollment': {
    100: 'certificates/process-enrollment :: that fails three times is cancelled, and its number never comes back',
    200: 'certificates/enroll :: is answered with its number and time, and its status follows',
    400: 'certificates/process-enrollment :: asked for by two at the same moment go to one of them',
    500: {
      missing:
        'never raised: whatever is the reason, a request that fails three times ends with 550, which says to ask again',
    },
    550: 'certificates/process-enrollment :: that fails three times is cancelled, and its number never comes back',
  },
  'Permission operation': {
    100: 'permissions/operation-status :: is settled by its job when the process died after the 202, and only once',
    200: 'permissions/operation-status :: is 200 without details once it is done',
    400: 'permissions/revoke :: names a record that is in force',
    410: 'permissions/grant-indirect :: refuses the intermediary itself as target',
    420: 'permissions/revoke :: is for the context that granted',
    430: 'permissions/grant-subunit :: need a parent role',
    440: 'permissions/grant-person :: not to the owner, nor to the PESEL bound to it',
    450: 'permissions/grant-person :: 450 for a person who is deceased',
    500: 'permissions/operation-status :: that cannot be done is accepted, tried again, and ends with 500',
    550: 'permissions/operation-status :: that was interrupted ends with 550 and the advice to try again',
  },
  'Interactive session': {
    100: 'core/online-session :: belong to who opened them, and to the owner',
    170: 'sessions/held-invoices :: an invoice is 100 until it is taken, then 150; a session closed meanwhile is 170 until the last one has ended',
    200: 'sessions/verdicts-and-closing :: one good and one bad: 200 with both counted; all bad: 445 without a receipt',
    415: 'sessions/open-and-send :: %s as wrapped key: 201, then 415, and nothing can be sent',
    440: 'sessions/verdicts-and-closing :: an empty session is cancelled at once, and cannot be closed twice',
    445: 'sessions/verdicts-and-closing :: one good and one bad: 200 with both counted; all bad: 445 without a receipt',
    500: {
      missing:
        'never raised: an invoice that cannot be judged ends with 500 itself, and the session by its other invoices',
    },
  },
  'Batch session': {
    100: 'batch/open-batch-session :: a key wrapped wrongly is not noticed yet',
    150: 'batch/close-batch-session :: only part 1 of 5: every missing part is named, the first one first; the session stays open',
    200: 'batch/process-package :: of several parts: every file is an invoice with its name, the session has its receipt',
    405: 'batch/process-package :: 405: the bytes of a part are not those declared',
    415: 'batch/process-package :: 415: the key is %s',
    420: 'batch/process-package :: 420: 10,001 files',
    430: 'batch/process-package :: 430: another size of the archive than declared, although the hash is right',
    435: 'batch/process-package :: 435: a part encrypted with another key',
    440: 'batch/process-package :: 440: no file at all',
    445: 'batch/process-package :: no good one: 445, all counters, no receipt',
    500: [
      'batch/lost-package :: parts that are lost end the session with 500 after some tries, not never',
      'sessions/damaged-installation :: a package that fails six times half way is 500, and its invoices without a verdict are 405',
    ],
  },
  'Invoice of a session': {
    100: 'sessions/held-invoices :: an invoice is 100 until it is taken, then 150; a session closed meanwhile is 170 until the last one has ended',
    150: 'sessions/held-invoices :: an invoice is 100 until it is taken, then 150; a session closed meanwhile is 170 until the last one has ended',
    200: 'sessions/issuing :: RR invoices are issued by the buyer, with the farmer as seller',
    405: [
      'sessions/damaged-installation :: a package that fails six times half way is 500, and its invoices without a verdict are 405',
      'batch/lost-package :: of a package that is given up, invoices with a verdict keep it and the others are cancelled',
    ],
    410: 'sessions/issuing :: self-invoicing: the grant and the mark in the document, and no longer than the grant',
    415: 'sessions/issuing :: not in an interactive session, whatever the consent; as a technical correction only with it',
    430: 'sessions/open-and-send :: a document that is not what was declared is 430, a ciphertext that does not open 435',
    435: 'sessions/open-and-send :: a document that is not what was declared is 430, a ciphertext that does not open 435',
    440: 'sessions/verdicts-and-closing :: same seller, kind and number: 440 that points to the original; another kind is another invoice',
    450: 'core/online-session :: each with the code of its fault',
    500: 'sessions/damaged-installation :: an invoice that no thread can judge is tried four times, then it is 500 and its session ends',
    550: 'sessions/held-invoices :: ends with 550 and the advice to send again; those beside it end as they should',
  },
};

const SIZES = 'invoices/verify-document :: %i bytes, attachment %s: %i';
const SESSION_DEFAULTS = 'limits/routes :: has the default session limits, with every field';
const BOUNDS = 'contract/src/limit-endpoints :: take the bounds themselves';
const CERTIFICATES = 'limits/routes :: gives %j its certificate limits';
const GROUPS = 'limits/routes :: has the default request limits of all twelve groups';
const PARTS = 'batch/open-batch-session';
const PAGES = 'test/page-sizes :: a page of %s has 10 to %s entries';

/** Values of contract/limits.ts by their path. */
export const LIMITS = {
  MEGABYTE: [SIZES],
  'CONTEXT_LIMITS.onlineSession.maxInvoiceSizeInMB': [SIZES, SESSION_DEFAULTS],
  'CONTEXT_LIMITS.onlineSession.maxInvoiceWithAttachmentSizeInMB': [SIZES, SESSION_DEFAULTS],
  'CONTEXT_LIMITS.onlineSession.maxInvoices': [
    'core/limits :: session limits count from the moment they are changed until they are restored',
    SESSION_DEFAULTS,
  ],
  'CONTEXT_LIMITS.batchSession.maxInvoiceSizeInMB': [
    'batch/process-package :: an invoice of exactly 1,000,000 bytes passes, a byte more does not',
  ],
  'CONTEXT_LIMITS.batchSession.maxInvoiceWithAttachmentSizeInMB': [
    'batch/process-package :: with the consent of the seller they pass up to 3,000,000 bytes, without it they are 410',
  ],
  'CONTEXT_LIMITS.batchSession.maxInvoices': ['batch/process-package :: 420: 10,001 files'],
  'CONTEXT_LIMIT_MAXIMA.maxInvoiceSizeInMB': [BOUNDS],
  'CONTEXT_LIMIT_MAXIMA.maxInvoiceWithAttachmentSizeInMB': [BOUNDS],
  'CONTEXT_LIMIT_MAXIMA.maxInvoices': [BOUNDS],
  'CERTIFICATE_LIMITS.Nip': [CERTIFICATES],
  'CERTIFICATE_LIMITS.Pesel': [
    'certificates/certificates-over-http :: of certificates: 25007 as published clients compare it, until a revocation frees a place',
    CERTIFICATES,
  ],
  'CERTIFICATE_LIMITS.Fingerprint': [CERTIFICATES],
  'CERTIFICATE_LIMITS.PeppolId': [
    'certificates/certificates-over-http :: a Peppol provider, who owns nothing and can ask for nothing',
  ],
  'RATE_LIMITS.onlineSession': [GROUPS],
  'RATE_LIMITS.batchSession': [GROUPS],
  'RATE_LIMITS.invoiceSend': [GROUPS],
  'RATE_LIMITS.invoiceStatus': [GROUPS],
  'RATE_LIMITS.sessionList': [GROUPS],
  'RATE_LIMITS.sessionInvoiceList': [GROUPS],
  'RATE_LIMITS.sessionMisc': [GROUPS],
  'RATE_LIMITS.invoiceMetadata': ['limits/decide :: refuse the 17th metadata query of a minute', GROUPS],
  'RATE_LIMITS.invoiceExport': [
    'limits/decide :: refuse the 21st export of an hour, and say how much of the hour is left',
    GROUPS,
  ],
  'RATE_LIMITS.invoiceExportStatus': [GROUPS],
  'RATE_LIMITS.invoiceDownload': ['limits/decide :: refuse the 9th download of a second', GROUPS],
  'RATE_LIMITS.other': [
    'test/limits-http :: each endpoint of a context has a counter of its own; a refused request is not counted',
    GROUPS,
  ],
  PUBLIC_REQUESTS_PER_SECOND: [
    'limits/decide :: refuse the 61st request of a second from one address, and know no minute',
    'test/limits-http :: the 61st challenge of a second from one address is refused, in both formats, with an honest wait',
  ],
  RATE_LIMIT_TEST_FACTOR: [
    'contract/src/limit-endpoints :: go up to ten times the default and down to 1, in any relation to each other',
  ],
  NIGHT_HOURS: ['limits/decide :: multiply the limits of downloads at night: %s'],
  RATE_BLOCK_GROWTH: ['limiter/memory-limiter :: doubles at every tenth request that does not wait, up to an hour'],
  'LIFETIMES.challenge': ['auth/rules :: lives ten minutes, to the millisecond, once'],
  'LIFETIMES.authenticationToken': ['auth/process-operation :: an operation left at 100 until its token is dead: 550'],
  'LIFETIMES.accessToken': [
    'auth/verify-bearer :: are JWTs that an independent library verifies, with list claims as JSON text',
  ],
  'LIFETIMES.refreshToken': ['auth/sessions :: takes refresh tokens only, for seven days'],
  'LIFETIMES.session': ['sessions/open-and-send :: a session has a reference of its kind and lives twelve hours'],
  'LIFETIMES.uploadLinkPerPart': [
    'batch/upload-part :: an expired link is 403; an upload that began before ends after it',
  ],
  'LIFETIMES.upoLink': [
    'sessions/receipts :: a link that was altered, is for another method or is over answers 403 without a body',
  ],
  'LIFETIMES.exportPartLink': [
    'exports/exports :: a link needs no token, works again, and dies; a new status gives a new one',
  ],
  'LIFETIMES.exportPackage': [
    'exports/failing-exports :: a package has its own life; then the status is 210 and its links lead nowhere',
  ],
  'LIFETIMES.queryHighWaterMark': [
    'invoices/query-bounds :: further pages stand still for fifteen minutes, then they show what has come since',
  ],
  'LIFETIMES.enrollmentWindow': [
    'certificates/process-enrollment :: count requests over thirty days, and a revocation frees the certificate but not the request',
  ],
  'LIFETIMES.certificateStartAhead': ['certificates/enroll :: with %s is refused'],
  'LIFETIMES.verificationLock': [
    'verification/download-by-link :: lock the invoice for the address after the third, on every node, until the lock ends',
  ],
  'LIFETIMES.partCleanup': [
    'batch/upload-part :: parts are gone when a package is processed, and when it ran out of time',
  ],
  CERTIFICATE_YEARS: ['x509/certificate :: end two calendar years later, on 28 February for the 29th'],
  DUPLICATE_YEARS: [
    'sessions/old-duplicates :: a number is taken on the last day of the tenth year after that of issue, and points to its original',
  ],
  'STATUS_RETENTION.authentication': ['auth/rules :: a status is kept for seven days'],
  'STATUS_RETENTION.export': [
    'exports/exports :: after seven days the status is gone, for its owner only, and the parts with it',
  ],
  'STATUS_RETENTION.enrollment': [
    'certificates/process-enrollment :: answers 410 after thirty days, and is unknown to others',
  ],
  'STATUS_RETENTION.permissionOperation': [
    'permissions/operation-status :: is gone after 30 days, for its own context; the permission stays',
  ],
  PAGE_SIZE_DEFAULT: ['certificates/certificates-over-http :: is newest first, in pages, with every filter'],
  PAGE_SIZE_MINIMUM: ['permissions/query-persons :: refuses pages out of range'],
  'PAGE_SIZE_MAXIMA.authSessions': ['test/auth-refusals :: %s %s'],
  'PAGE_SIZE_MAXIMA.tokens': [PAGES],
  'PAGE_SIZE_MAXIMA.sessions': [
    'sessions/verdicts-and-closing :: lists: sizes of pages, forged tokens, each session once',
  ],
  'PAGE_SIZE_MAXIMA.sessionInvoices': [PAGES],
  'PAGE_SIZE_MAXIMA.invoiceMetadata': ['core/retrieval :: questions that make no sense are refused'],
  'PAGE_SIZE_MAXIMA.peppolProviders': [PAGES],
  'PAGE_SIZE_MAXIMA.certificates': [
    'certificates/certificates-over-http :: is newest first, in pages, with every filter',
  ],
  'PAGE_SIZE_MAXIMA.permissions': ['permissions/query-persons :: refuses pages out of range'],
  METADATA_WINDOW: ['invoices/retrieval :: ten thousand can be reached, and the last page says that there is more'],
  'EXPORT_LIMITS.maxInvoices': [
    'exports/large-exports :: one more is left out, and the next window begins with the last one',
  ],
  'EXPORT_LIMITS.maxCompressedBytes': [
    'exports/package-archive :: %s ends before its documents take more than the limit',
  ],
  'EXPORT_LIMITS.maxPartBytes': [
    'exports/large-exports :: %s: each but the last is full, and all together are the archive',
  ],
  'EXPORT_LIMITS.maxRunning': [
    'exports/failing-exports :: leaves exports running, of which ten are allowed at once; then they end well',
  ],
  'BATCH_LIMITS.maxArchiveBytes': [`${PARTS} :: an archive of 5 GB and a byte; 5 GB pass`],
  'BATCH_LIMITS.maxParts': [`${PARTS} :: 51 parts`],
  'BATCH_LIMITS.maxPartBytes': [
    `${PARTS} :: a part over 100 MB before encryption`,
    `${PARTS} :: without a vector a part is a block longer`,
  ],
  'BATCH_LIMITS.maxEntryBytes': [
    'batch/hostile-packages :: 10 GB of zeros in one entry: refused in bounded memory and time',
  ],
  'BATCH_LIMITS.maxUnpackRatio': ['batch/hostile-packages :: many entries that together are too much for their size'],
  'BATCH_LIMITS.unpackRatioAfterBytes': [
    'batch/hostile-packages :: many entries that together are too much for their size',
  ],
  'BATCH_LIMITS.maxFileNameLength': [
    'full/archive-abuse :: folders and long names are taken, names cut to their last 128 characters',
  ],
  UPO_PAGE_DOCUMENTS: ['receipts/upo :: 10,001 invoices make two'],
  MAX_JSON_BODY_BYTES: ['test/broken-http :: a body announced beyond the limit is 413 before it is sent'],
  MAX_ALLOWED_IPS: ['xades/read-auth-token-request :: refuses %s', 'contract/src/auth-endpoints :: refuses %s'],
  MAX_CERTIFICATES_PER_RETRIEVAL: [
    'certificates/certificates-over-http :: gives own certificates in the order asked for, each once, and leaves out all others',
  ],
  MAX_STATUS_DETAILS: ['invoices/verify-document :: stays bounded with thousands of errors and with huge values'],
  SYSTEM_TOKEN_MAX_LENGTH: [
    'tokens/tokens :: shows the secret once, goes from Pending to Active, and stores only a hash',
  ],
};

/** Endpoints that tests reach by a link handed out, by an operation or by the client, where the rule for paths cannot see it. */
export const ENDPOINTS = {
  'storage.delete': ['batch/upload-part :: other methods are 403'],
  'storage.uploadPart': [
    'batch/upload-part :: a part is stored without a token: 201, no body; a token beside it is ignored',
  ],
  'storage.post': ['batch/upload-part :: other methods are 403'],
  'storage.downloadExportPart': [
    'exports/exports :: a link needs no token, works again, and dies; a new status gives a new one',
  ],
  'permissions.attachmentStatus': [
    'permissions/attachment-consent :: lasts until midnight UTC of the day on which it ends, and can be given anew',
    'test/client-permissions :: consent to attachments',
  ],
  'verification.certificate': [
    'verification/verify-certificate-link :: with r and s, with DER and with PSS is good in all four checks',
    'core/certificates :: of an offline invoice, signed with a certificate of the service',
  ],
  'verification.invoice': [
    'verification/verify-invoice-link :: of an accepted invoice shows its number and basic data, and no amounts',
    'verification/pages :: shows what the link proves, and nothing that is asked before the download',
  ],
  'verification.download': [
    'verification/download-by-link :: give a program the document as it was sent, to be kept',
    'verification/download-by-link :: lock the invoice for the address after the third, on every node, until the lock ends',
  ],
  'verification.malformedCertificate': [
    'verification/verify-certificate-link :: with a wrong number of parts or an unknown type of context is malformed',
  ],
  'verification.malformedInvoice': ['verification/verify-invoice-link :: with anything else in it finds nothing'],
};

/** Error codes whose tests keep them in a table, or that no test shows, and why. */
export const CODES = {
  9101: ['xades/attack-corpus :: %s'],
  9103: ['xades/attack-corpus :: %s'],
  21166: ['sessions/verdicts-and-closing :: a correction: only offline, not of an accepted document, once'],
  21167: ['sessions/verdicts-and-closing :: a correction: only offline, not of an accepted document, once'],
  21154: { missing: 'retired: kept because clients know it, never raised' },
  21165: [
    'invoices/not-yet-stored :: an accepted invoice that is not in permanent storage yet is 21165, and in no list; then it is both there and dated',
  ],
  500: [
    'test/unexpected-error :: a failure nobody expected is 500 in both formats, says nothing of its cause but to the log, and the service goes on',
  ],
};
