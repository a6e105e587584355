import { type AuthTokenRequest, authTokenRequestXml } from '@kwit/client/xades';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withDocument } from '../../platform/xml/parse.ts';
import { readAuthTokenRequest } from './read-auth-token-request.ts';
import { XADES_LIMITS } from './verify-xades-request.ts';

const CHALLENGE = '20250604-CR-461EA5B000-537A6BA15D-D7';
const NS = 'http://svc.mf.gov.pl/auth/token/2.1';

const read = (xml: string) =>
  withDocument(Buffer.from(xml), XADES_LIMITS, (document) => readAuthTokenRequest(document.root));

const xml = (
  changes: { challenge?: string; context?: string; subject?: string; policy?: string; order?: string[] } = {},
) => {
  const parts: Record<string, string> = {
    challenge: changes.challenge ?? `<Challenge>${CHALLENGE}</Challenge>`,
    context: `<ContextIdentifier>${changes.context ?? '<Nip>5265877635</Nip>'}</ContextIdentifier>`,
    subject: changes.subject ?? '<SubjectIdentifierType>certificateSubject</SubjectIdentifierType>',
    policy: changes.policy ?? '',
  };
  const order = changes.order ?? ['challenge', 'context', 'subject', 'policy'];
  return `<AuthTokenRequest xmlns="${NS}">\n${order.map((name) => parts[name]).join('\n')}</AuthTokenRequest>`;
};
const ips = (content: string) => `<AuthorizationPolicy><AllowedIps>${content}</AllowedIps></AuthorizationPolicy>`;
const problems = (text: string) => {
  const result = read(text);
  return 'problems' in result ? result.problems.join('\n') : 'read';
};

test('reads what the client writes: both versions, both names, every context, with and without policy', () => {
  const contexts = [
    ['Nip', '5265877635'],
    ['InternalId', '5265877635-12345'],
    ['NipVatUe', '5265877635-ATU12345678'],
    ['PeppolId', 'PPL123456'],
  ] as const;
  for (const [type, value] of contexts) {
    for (const version of ['2.0', '2.1'] as const) {
      for (const name of ['svc', 'ksef'] as const) {
        for (const subjectIdentifierType of ['certificateSubject', 'certificateFingerprint'] as const) {
          const request: AuthTokenRequest = {
            challenge: CHALLENGE,
            context: { type, value },
            subjectIdentifierType,
            version,
            name,
          };
          const expected = { version, challenge: CHALLENGE, context: { type, value }, subjectIdentifierType };
          expect(read(authTokenRequestXml(request))).toEqual({ request: { ...expected, policy: undefined } });
          expect(read(authTokenRequestXml({ ...request, allowedIps: {} }))).toEqual({
            request: { ...expected, policy: undefined },
          });
          const allowedIps = {
            addresses: ['192.168.0.1'],
            ranges: ['222.111.0.1-222.111.0.255'],
            masks: ['192.168.1.0/24'],
          };
          expect(read(authTokenRequestXml({ ...request, allowedIps }))).toEqual({
            request: {
              ...expected,
              policy: { ip4Addresses: allowedIps.addresses, ip4Ranges: allowedIps.ranges, ip4Masks: allowedIps.masks },
            },
          });
        }
      }
    }
  }
});

test('tokens lose surrounding white space, strings keep it and are refused for it', () => {
  expect(problems(xml({ challenge: `<Challenge>\n  ${CHALLENGE}\t</Challenge>` }))).toBe('read');
  expect(problems(xml({ subject: '<SubjectIdentifierType> certificateSubject </SubjectIdentifierType>' }))).toBe(
    'read',
  );
  expect(problems(xml({ policy: ips('<Ip4Address> 10.0.0.1 </Ip4Address>') }))).toBe('read');
  expect(problems(xml({ context: '<Nip> 5265877635</Nip>' }))).toMatch(/Nip: the value ' 5265877635' is not allowed/);
  expect(problems(xml({ context: '<Nip>5265877635\n</Nip>' }))).toMatch(/Nip: the value/);
});

test('allows what the schema allows: instance attributes, comments between elements, an Id for the signature', () => {
  const text = xml().replace(
    '<AuthTokenRequest',
    '<!-- c --><AuthTokenRequest Id="x" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b"',
  );
  expect(problems(text.replace('<ContextIdentifier>', '<!-- c --><?pi?><ContextIdentifier>'))).toBe('read');
});

test.each([
  [
    'a NIP that begins with 0',
    xml({ context: '<Nip>0123456789</Nip>' }),
    /line 3, \/AuthTokenRequest\/ContextIdentifier\/Nip: the value '0123456789' is not allowed, expected \^\[1-9\]/,
  ],
  [
    'two contexts',
    xml({ context: '<Nip>5265877635</Nip><PeppolId>PPL123456</PeppolId>' }),
    /ContextIdentifier: holds Nip, PeppolId, expected exactly one of/,
  ],
  ['no context', xml({ context: '' }), /ContextIdentifier: holds nothing/],
  ['an unknown context', xml({ context: '<Pesel>88102341294</Pesel>' }), /holds Pesel/],
  [
    'an unknown subject kind',
    xml({ subject: '<SubjectIdentifierType>CertificateSubject</SubjectIdentifierType>' }),
    /'CertificateSubject' is not allowed, expected certificateSubject or certificateFingerprint/,
  ],
  ['a missing challenge', xml({ challenge: '' }), /the element Challenge is missing/],
  [
    'a repeated challenge',
    xml({ challenge: `<Challenge>${CHALLENGE}</Challenge>`.repeat(2) }),
    /Challenge\[2\]: stands more than once/,
  ],
  [
    'a challenge in small letters',
    xml({ challenge: `<Challenge>${CHALLENGE.toLowerCase()}</Challenge>` }),
    /expected a challenge of 36 characters/,
  ],
  [
    'elements out of order',
    xml({ order: ['context', 'challenge', 'subject'] }),
    /Challenge: is misplaced, the order is Challenge, ContextIdentifier/,
  ],
  ['an unknown element', xml({ policy: '<More/>' }), /More: is unknown here/],
  [
    'an element of another namespace',
    xml({ policy: '<AuthorizationPolicy xmlns="urn:x"/>' }),
    /is in the namespace 'urn:x', expected/,
  ],
  ['an attribute', xml({ context: '<Nip a="1">5265877635</Nip>' }), /the attribute 'a' is not allowed/],
  ['loose text', xml({ policy: 'text' }), /holds text, expected elements only/],
  ['an element inside a value', xml({ context: '<Nip>526<b/>5877635</Nip>' }), /an element inside its value/],
  ['a policy without its list', xml({ policy: '<AuthorizationPolicy/>' }), /AllowedIps is missing/],
  [
    'eleven addresses',
    xml({ policy: ips('<Ip4Address>10.0.0.1</Ip4Address>'.repeat(11)) }),
    /Ip4Address\[11\]: stands more than 10 times/,
  ],
  [
    'a range before an address',
    xml({ policy: ips('<Ip4Range>10.0.0.1-10.0.0.2</Ip4Range><Ip4Address>10.0.0.1</Ip4Address>') }),
    /Ip4Address: is misplaced/,
  ],
  [
    'an address out of range',
    xml({ policy: ips('<Ip4Address>300.1.1.1</Ip4Address>') }),
    /'300.1.1.1' is not allowed, expected an IPv4 address/,
  ],
  [
    'an address with a leading zero',
    xml({ policy: ips('<Ip4Address>10.0.0.01</Ip4Address>') }),
    /expected an IPv4 address/,
  ],
  ['a range with a long dash', xml({ policy: ips('<Ip4Range>10.0.0.1–10.0.0.2</Ip4Range>') }), /joined by a hyphen/],
  [
    'a range backwards',
    xml({ policy: ips('<Ip4Range>10.0.0.9-10.0.0.1</Ip4Range>') }),
    /first address not to be greater/,
  ],
  ['a mask of 33', xml({ policy: ips('<Ip4Mask>10.0.0.0/33</Ip4Mask>') }), /a slash and 0 to 32/],
])('refuses %s', (_, text, expected) => {
  expect(problems(text)).toMatch(expected);
});

test('lists every problem, not the first alone', () => {
  const result = read(
    xml({ challenge: '', context: '<Nip>0</Nip>', subject: '<SubjectIdentifierType>x</SubjectIdentifierType>' }),
  );
  expect('problems' in result && result.problems).toHaveLength(3);
});

test('never throws and never accepts what the patterns do not, whatever the values', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (challenge, nip) => {
      const result = read(
        authTokenRequestXml({
          challenge: clean(challenge),
          context: { type: 'Nip', value: clean(nip) },
          subjectIdentifierType: 'certificateSubject',
        }),
      );
      expect('problems' in result).toBe(true);
    }),
    { numRuns: 200 },
  );
});

/** Without the characters that XML cannot hold at all. */
const clean = (text: string) => text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, '');
