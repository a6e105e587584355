import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { personCertificate } from './test-certificates.ts';
import { authTokenRequestXml, signAuthTokenRequest } from './xades.ts';

const REQUEST = {
  challenge: '20250604-CR-461EA5B000-537A6BA15D-D7',
  context: { type: 'Nip', value: '5265877635' },
  subjectIdentifierType: 'certificateSubject',
} as const;

test('writes the request in the namespace of version and name, values escaped', () => {
  expect(
    authTokenRequestXml({ ...REQUEST, version: '2.0', name: 'ksef', context: { type: 'PeppolId', value: 'a<b>&\r' } }),
  ).toBe(
    '<AuthTokenRequest xmlns="http://ksef.mf.gov.pl/auth/token/2.0"><Challenge>20250604-CR-461EA5B000-537A6BA15D-D7</Challenge><ContextIdentifier><PeppolId>a&lt;b&gt;&amp;&#xD;</PeppolId></ContextIdentifier><SubjectIdentifierType>certificateSubject</SubjectIdentifierType></AuthTokenRequest>',
  );
  expect(authTokenRequestXml({ ...REQUEST, allowedIps: { masks: ['10.0.0.0/8'], addresses: ['10.0.0.1'] } })).toContain(
    '<AuthorizationPolicy><AllowedIps><Ip4Address>10.0.0.1</Ip4Address><Ip4Mask>10.0.0.0/8</Ip4Mask></AllowedIps></AuthorizationPolicy>',
  );
});

test('the document reference holds the digest of the request as it stands', () => {
  const signer = personCertificate({ givenName: 'A', surname: 'B', pesel: '88102341294' });
  const digest = createHash('sha512').update(authTokenRequestXml(REQUEST)).digest('base64');
  for (const packaging of ['enveloped', 'enveloping-base64'] as const) {
    expect(signAuthTokenRequest(REQUEST, signer, { packaging, digest: 'sha512' })).toContain(
      `<ds:DigestValue>${digest}</ds:DigestValue>`,
    );
  }
});

test('refuses combinations that have no name', () => {
  const rsa = personCertificate({ givenName: 'A', surname: 'B', pesel: '88102341294' }, { key: 'rsa-2048' });
  expect(() => signAuthTokenRequest(REQUEST, rsa, { hash: 'sha3-256' })).toThrow(/PSS/);
});
