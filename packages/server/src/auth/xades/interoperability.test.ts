import type { TestKey } from '@kwit/client/test-certificates';
import { type SignatureHash, signAuthTokenRequest, type XadesPackaging } from '@kwit/client/xades';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  hasJdk,
  hasXmlsec,
  type Jdk,
  type JdkSignTask,
  startJdk,
  xmlsecSign,
  xmlsecVerify,
} from '../../platform/xml/judges.fixture.ts';
import {
  bare,
  C14N_11,
  CHALLENGE,
  DSIG,
  ENVELOPED,
  EXCLUSIVE,
  filter2,
  HARD_REQUEST,
  INCLUSIVE,
  keyOf,
  NIP,
  PLAIN_REQUEST,
  qualifyingProperties,
  SHA256,
  signatureTemplate,
  type Template,
  transform,
  verdictOf,
  verify,
  XPATH,
} from './sample.fixture.ts';

const MORE_2001 = 'http://www.w3.org/2001/04/xmldsig-more#';
const MORE_2007 = 'http://www.w3.org/2007/05/xmldsig-more#';
const MORE_2021 = 'http://www.w3.org/2021/04/xmldsig-more#';
const XMLENC = 'http://www.w3.org/2001/04/xmlenc#';

const C14N = [
  INCLUSIVE,
  `${INCLUSIVE}#WithComments`,
  EXCLUSIVE,
  `${EXCLUSIVE}WithComments`,
  C14N_11,
  `${C14N_11}#WithComments`,
];
const PREFIXES = `<e:InclusiveNamespaces xmlns:e="${EXCLUSIVE}" PrefixList="xsi unused #default"/>`;

/** Name, key, template: one for every algorithm and transform that xmlsec1 knows. */
const XMLSEC_CASES: [string, TestKey, Template][] = [
  ...['rsa-sha256', 'rsa-sha384', 'rsa-sha512'].map((m): [string, TestKey, Template] => [
    m,
    'rsa-2048',
    { signatureMethod: MORE_2001 + m },
  ]),
  ['rsa-sha1', 'rsa-2048', { signatureMethod: `${DSIG}rsa-sha1` }],
  ...(['p-256', 'p-384', 'p-521'] as const).flatMap((key) =>
    ['ecdsa-sha1', 'ecdsa-sha256', 'ecdsa-sha384', 'ecdsa-sha512'].map((m): [string, TestKey, Template] => [
      `${m} on ${key}`,
      key,
      { signatureMethod: MORE_2001 + m },
    ]),
  ),
  ...[`${DSIG}sha1`, `${MORE_2001}sha384`, `${XMLENC}sha512`].map((d): [string, TestKey, Template] => [
    `digest ${d}`,
    'p-256',
    { digestMethod: d },
  ]),
  ...C14N.flatMap((c): [string, TestKey, Template][] => [
    [`SignedInfo by ${c}`, 'p-256', { c14n: c }],
    [`document by ${c}`, 'p-256', { transforms: ENVELOPED + transform(c), propertiesTransforms: transform(c) }],
  ]),
  ['SignedInfo with a prefix list', 'p-256', { c14nParameters: PREFIXES }],
  ['document with a prefix list', 'p-256', { transforms: ENVELOPED + transform(EXCLUSIVE, PREFIXES) }],
  ['enveloped alone, inclusive by default', 'p-256', { transforms: ENVELOPED }],
  ['the XPath form of enveloped', 'p-256', { transforms: XPATH + transform(EXCLUSIVE) }],
  [
    'filter 2 subtract',
    'p-256',
    { transforms: filter2(['subtract', '/descendant::ds:Signature']) + transform(EXCLUSIVE) },
  ],
  ['filter 2 subtract here()', 'p-256', { transforms: filter2(['subtract', 'here()/ancestor::ds:Signature[1]']) }],
  // The JDK does not keep the order of filter operations, so chains in which it counts are xmlsec1's to judge.
  [
    'filter 2 intersect, then subtract',
    'p-256',
    { transforms: filter2(['intersect', '/*'], ['subtract', '//ds:Signature']) + transform(EXCLUSIVE) },
  ],
  [
    'filter 2 subtract, then union',
    'p-256',
    { transforms: filter2(['subtract', '//*'], ['union', '/*'], ['subtract', '//ds:Signature']) },
  ],
  ['canonicalised twice', 'p-256', { transforms: ENVELOPED + transform(INCLUSIVE) + transform(EXCLUSIVE) }],
];

describe.skipIf(!hasXmlsec)('signatures by xmlsec1 verify here (skipped when xmlsec1 is missing)', () => {
  const expectAccepted = (template: string, key: TestKey) => {
    const made = xmlsecSign(template, keyOf(key));
    if ('failed' in made) throw new Error(made.failed);
    expect(verdictOf(verify(made.signed))).toBe('accepted');
    return made.signed;
  };

  test.each(XMLSEC_CASES)('enveloped, %s', (_, key, template) => {
    for (const request of [PLAIN_REQUEST, HARD_REQUEST]) {
      const signed = expectAccepted(request.replace('@SIGNATURE@', signatureTemplate(keyOf(key), template)), key);
      // The same bytes with one signed character changed must fall at its digest.
      const changed = signed.toString().replace('certificateSubject', 'certificateFingerprint');
      expect(verdictOf(verify(changed))).toMatch(
        /^9105 Nieprawidłowa wartość skrótu dla referencji wskazującej na element AuthTokenRequest\./,
      );
    }
  });

  test('the shape of the C# client: unprefixed, pretty-printed, inclusive, namespaces of its serialiser on the root', () => {
    const unprefixed = signatureTemplate(keyOf('rsa-2048'), { c14n: INCLUSIVE })
      .replaceAll('<ds:', '<')
      .replaceAll('</ds:', '</')
      .replaceAll('xmlns:ds=', 'xmlns=');
    const root = `<?xml version="1.0" encoding="utf-8"?>\n${PLAIN_REQUEST.replaceAll('><', '>\n  <').replace('@SIGNATURE@', unprefixed)}`;
    expectAccepted(
      root.replace(
        '<AuthTokenRequest',
        '<AuthTokenRequest xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"',
      ),
      'rsa-2048',
    );
  });

  test.each([
    ['element in an object', PLAIN_REQUEST, transform(EXCLUSIVE)],
    ['element, inclusive', PLAIN_REQUEST, transform(INCLUSIVE)],
    ['base64 in an object', undefined, transform(`${DSIG}base64`)],
  ])('enveloping, %s', (_: string, request: string | undefined, transforms: string) => {
    for (const key of ['p-256', 'rsa-2048'] as const) {
      const content = request === undefined ? Buffer.from(bare(HARD_REQUEST)).toString('base64') : bare(request);
      const object = `<ds:Object Id="Request">${content}</ds:Object>`;
      expectAccepted(signatureTemplate(keyOf(key), { uri: '#Request', transforms }, object), key);
    }
  });
});

const JDK_METHODS: [string, TestKey][] = [
  [`${DSIG}rsa-sha1`, 'rsa-2048'],
  ...['sha256', 'sha384', 'sha512'].map((h): [string, TestKey] => [`${MORE_2001}rsa-${h}`, 'rsa-2048']),
  ...['sha1', 'sha256', 'sha384', 'sha512', 'sha3-256', 'sha3-384', 'sha3-512'].map((h): [string, TestKey] => [
    `${MORE_2007}${h}-rsa-MGF1`,
    'rsa-2048',
  ]),
  ...['sha1', 'sha256', 'sha384', 'sha512'].map((h): [string, TestKey] => [`${MORE_2001}ecdsa-${h}`, 'p-256']),
  ...['sha3-256', 'sha3-384', 'sha3-512'].map((h): [string, TestKey] => [`${MORE_2021}ecdsa-${h}`, 'p-384']),
  [`${MORE_2001}ecdsa-sha512`, 'p-521'],
];

const OUR_CASES: [TestKey, SignatureHash, 'pkcs1' | 'pss'][] = [
  ...(['sha1', 'sha256', 'sha384', 'sha512'] as const).map((h): [TestKey, SignatureHash, 'pkcs1'] => [
    'rsa-2048',
    h,
    'pkcs1',
  ]),
  ...(['sha1', 'sha256', 'sha384', 'sha512', 'sha3-256', 'sha3-384', 'sha3-512'] as const).map(
    (h): [TestKey, SignatureHash, 'pss'] => ['rsa-2048', h, 'pss'],
  ),
  ...(['p-256', 'p-384', 'p-521'] as const).flatMap((key) =>
    (['sha1', 'sha256', 'sha384', 'sha512', 'sha3-512'] as const).map((h): [TestKey, SignatureHash, 'pkcs1'] => [
      key,
      h,
      'pkcs1',
    ]),
  ),
];
const PACKAGINGS: XadesPackaging[] = ['enveloped', 'enveloping', 'enveloping-base64'];

const ours = OUR_CASES.flatMap(([key, hash, padding], i) =>
  PACKAGINGS.map((packaging) => ({
    name: `${key} ${hash} ${padding} ${packaging}`,
    key,
    hash,
    padding,
    packaging,
    certificateReference: i % 2 === 0 ? ('v1' as const) : ('v2' as const),
  })),
);

const makeOurs = ({ key, ...options }: (typeof ours)[number]) =>
  Buffer.from(
    signAuthTokenRequest(
      {
        challenge: CHALLENGE,
        context: { type: 'Nip', value: NIP },
        subjectIdentifierType: 'certificateSubject',
        allowedIps: { addresses: ['10.0.0.1'], ranges: ['10.0.1.1-10.0.1.9'], masks: ['10.1.0.0/16'] },
      },
      keyOf(key),
      { ...options, digest: options.hash },
    ),
  );

describe.skipIf(!hasJdk)('the JDK (skipped when java or javac is missing)', () => {
  let jdk: Jdk;
  beforeAll(() => {
    jdk = startJdk();
  });
  afterAll(() => jdk?.remove());

  test('signatures by the JDK verify here: every algorithm, transform and packaging', () => {
    const task = (changes: Partial<JdkSignTask> & { kind?: TestKey }): JdkSignTask & { name: string } => {
      const key = keyOf(changes.kind ?? 'p-256');
      const merged = {
        xml: bare(HARD_REQUEST),
        key,
        signatureMethod: `${MORE_2001}ecdsa-sha256`,
        digestMethod: SHA256,
        c14n: INCLUSIVE,
        form: 'enveloped' as const,
        transforms: ['enveloped', EXCLUSIVE],
        qualifyingProperties: qualifyingProperties(key.certificate),
        ...changes,
      };
      return {
        ...merged,
        name: [merged.form, merged.signatureMethod, merged.digestMethod, merged.c14n, ...merged.transforms].join(' '),
      };
    };
    const tasks = [
      ...JDK_METHODS.flatMap(([signatureMethod, kind]) => [
        task({ signatureMethod, kind }),
        task({ signatureMethod, kind, form: 'enveloping', transforms: [EXCLUSIVE] }),
      ]),
      ...[
        `${DSIG}sha1`,
        SHA256,
        `${MORE_2001}sha384`,
        `${XMLENC}sha512`,
        `${MORE_2007}sha3-256`,
        `${MORE_2007}sha3-384`,
        `${MORE_2007}sha3-512`,
      ].map((digestMethod) => task({ digestMethod })),
      ...C14N.flatMap((c14n) => [
        task({ c14n }),
        task({ transforms: ['enveloped', c14n] }),
        task({ c14n, form: 'enveloping', transforms: [c14n] }),
      ]),
      ...[
        ['enveloped'],
        ['xpath'],
        ['xpath', C14N_11],
        ['filter2', EXCLUSIVE],
        ['filter2-here', EXCLUSIVE],
        ['filter2-two', INCLUSIVE],
        ['enveloped', 'exclusive-prefixes'],
      ].map((transforms) => task({ transforms })),
      task({ form: 'enveloping-base64', transforms: ['base64'] }),
      task({
        form: 'enveloping-base64',
        transforms: ['base64'],
        kind: 'rsa-2048',
        signatureMethod: `${MORE_2007}sha256-rsa-MGF1`,
      }),
    ];
    const results = jdk.sign(tasks).map((made, i) => {
      const verdict = 'failed' in made ? made.failed : verdictOf(verify(made.signed));
      return [tasks[i]?.name, verdict];
    });
    expect(results).toHaveLength(tasks.length);
    expect(results.filter(([, verdict]) => verdict !== 'accepted')).toEqual([]);
  });

  test('ours verify in the JDK', () => {
    const answers = jdk.verify(ours.map((o) => ({ xml: makeOurs(o), key: keyOf(o.key) })));
    expect(answers.map((answer, i) => [ours[i]?.name, answer]).filter(([, answer]) => answer !== '')).toEqual([]);
  });
});

test.skipIf(!hasXmlsec)(
  'ours verify in xmlsec1, which knows neither PSS nor SHA-3 (skipped when xmlsec1 is missing)',
  () => {
    const known = ours.filter((o) => o.padding === 'pkcs1' && !o.hash.startsWith('sha3-'));
    expect(known.length).toBeGreaterThan(40);
    for (const one of known) expect([one.name, xmlsecVerify(makeOurs(one), keyOf(one.key))]).toEqual([one.name, '']);
  },
);

test('ours verify here', () => {
  for (const one of ours) expect([one.name, verdictOf(verify(makeOurs(one)))]).toEqual([one.name, 'accepted']);
});
