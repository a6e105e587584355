import { isReferenceNumber, parseReferenceNumber } from '@kwit/contract/reference-number';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  fingerprintCertificate,
  peppolCertificate,
  personCertificate,
  selfSigned,
} from '../../../client/src/test-certificates.ts';
import { signAuthTokenRequest } from '../../../client/src/xades.ts';
import {
  type AuthBench,
  authBench,
  claimsOf,
  nip,
  refusalOf,
  START,
  seal,
  someNip,
} from '../../test/support/auth-bench.ts';
import { sql } from '../platform/db/sql.ts';

const valid = { validFrom: START - 3_600_000 };
const person = (serialNumber: string) =>
  personCertificate({ givenName: 'Jan', surname: 'Kowalski', serialNumber }, valid);

let bench: AuthBench;
beforeAll(async () => {
  bench = await authBench();
});

describe('challenge', () => {
  it('is a number of kind CR with the moment it was made at', async () => {
    const answer = await bench.call('auth.challenge', { clientIp: '203.0.113.9' });
    expect(isReferenceNumber(answer.challenge, 'CR')).toBe(true);
    expect(parseReferenceNumber(answer.challenge)?.checksumValid).toBe(true);
    expect(answer.timestampMs).toBe(Math.floor(Date.parse(answer.timestamp)));
    expect(answer.clientIp).toBe('203.0.113.9');
    expect((await bench.call('auth.challenge')).challenge).not.toBe(answer.challenge);
  });
});

describe('login by signature', () => {
  it('many at the same moment: each gets its own login, whoever is refused among them', async () => {
    const companies = Array.from({ length: 12 }, someNip);
    const stranger = someNip();
    const ends = await Promise.all(
      companies.map(async (own, index) => {
        const init = await bench.submit(seal(own), nip(index === 5 ? stranger : own));
        const { status, startDate } = await bench.status(init);
        expect(startDate).toBe('2026-03-02T10:00:00.123+00:00');
        if (status.code !== 200) return String(status.code);
        const { accessToken } = await bench.call('auth.redeem', { token: init.authenticationToken.token });
        const { arn, civ } = claimsOf(accessToken.token);
        expect(arn).toBe(init.referenceNumber);
        return civ;
      }),
    );
    expect(ends).toEqual(companies.map((own, index) => (index === 5 ? '415' : own)));
  });

  it('takes a seal into its own context as owner', async () => {
    const x = someNip();
    const init = await bench.submitUnsettled(seal(x), nip(x));
    expect(isReferenceNumber(init.referenceNumber, 'AU')).toBe(true);
    const temporary = claimsOf(init.authenticationToken.token);
    expect(temporary).toMatchObject({ typ: 'AuthenticationToken', arn: init.referenceNumber, iss: 'svc-api-te' });
    expect(temporary.exp - temporary.iat).toBe(2700);
    expect(Date.parse(init.authenticationToken.validUntil)).toBe(temporary.exp * 1000);
    expect(await bench.status(init)).toMatchObject({ status: { code: 100, description: 'Uwierzytelnianie w toku' } });
    expect(await bench.status(init)).not.toHaveProperty('isTokenRedeemed');

    await bench.work();
    expect(await bench.status(init)).toEqual({
      startDate: '2026-03-02T10:00:00.123+00:00',
      authenticationMethod: 'QualifiedSeal',
      authenticationMethodInfo: {
        category: 'XadesSignature',
        code: 'xades.qualified-seal',
        displayName: 'Pieczęć kwalifikowana',
      },
      status: { code: 200, description: 'Uwierzytelnianie zakończone sukcesem' },
      isTokenRedeemed: false,
    });
    const { accessToken, refreshToken } = await bench.call('auth.redeem', { token: init.authenticationToken.token });
    const access = claimsOf(accessToken.token);
    expect(access).toMatchObject({ typ: 'ContextToken', cit: 'Nip', civ: x, aum: 'QualifiedSeal', per: '["Owner"]' });
    expect(JSON.parse(access.sud)).toEqual({
      subjectIdentifier: { type: 'Nip', value: x },
      commonName: 'Firma Zażółć',
      countryName: 'PL',
      organizationName: 'Firma Zażółć',
      organizationIdentifier: `VATPL-${x}`,
    });
    expect(access).not.toHaveProperty('ipp');
    expect(access.exp - access.iat).toBe(900);
    const refresh = claimsOf(refreshToken.token);
    expect(Object.keys(refresh).sort()).toEqual(['arn', 'aud', 'exp', 'iat', 'iss', 'typ']);
    expect(refresh.exp - refresh.iat).toBe(604_800);
  });

  it('takes a person by NIP as owner, with the method of a qualified signature', async () => {
    const x = someNip();
    const init = await bench.submit(person(`TINPL-${x}`), nip(x));
    await bench.work();
    expect(await bench.status(init)).toMatchObject({
      authenticationMethod: 'QualifiedSignature',
      authenticationMethodInfo: { code: 'xades.qualified-signature' },
      status: { code: 200 },
    });
  });

  it.each([
    ['RSA-PSS', () => seal('5261111111', { key: 'rsa-2048' }), { xades: { padding: 'pss' } }],
    ['namespace 2.0', () => seal('5261111111'), { version: '2.0' }],
    ['the other name', () => seal('5261111111'), { name: 'ksef' }],
    ['enveloping', () => seal('5261111111'), { xades: { packaging: 'enveloping' } }],
    ['an empty policy', () => seal('5261111111'), { allowedIps: {} }],
  ] as const)('%s works', async (_name, certificate, options) => {
    const { claims } = await bench.login(certificate(), nip('5261111111'), options);
    expect(claims.per).toBe('["Owner"]');
    expect(claims).not.toHaveProperty('ipp');
  });

  it('gives a person exactly what was granted', async () => {
    const x = someNip();
    bench.registries.grant({ type: 'Pesel', value: '88102341294' }, nip(x), 'InvoiceRead');
    const { claims } = await bench.login(person('PNOPL-88102341294'), nip(x));
    expect(claims.per).toBe('["InvoiceRead"]');
  });

  it('takes an EU administrator by fingerprint', async () => {
    const certificate = fingerprintCertificate({ givenName: 'Hans', surname: 'Meier' }, valid);
    const context = { type: 'NipVatUe', value: '5265877635-DE123456789' } as const;
    const four = ['VatUeManage', 'InvoiceWrite', 'InvoiceRead', 'Introspection'];
    bench.registries.grant({ type: 'Fingerprint', value: certificate.fingerprint }, context, ...four);
    const { claims } = await bench.login(certificate, context, { subjectIdentifierType: 'certificateFingerprint' });
    expect(JSON.parse(claims.per)).toEqual(four);
    expect(JSON.parse(claims.sud).subjectIdentifier).toEqual({ type: 'Fingerprint', value: certificate.fingerprint });
  });

  it('registers a Peppol provider at its first login; a later one only renames it', async () => {
    const context = { type: 'PeppolId', value: 'PPL123456' } as const;
    const provider = (name: string) => peppolCertificate({ name, peppolId: 'PPL123456' }, valid);
    const { claims } = await bench.login(provider('Dostawca'), context);
    expect(claims).toMatchObject({ aum: 'PeppolSignature', per: '["PefInvoiceWrite"]', cit: 'PeppolId' });
    bench.clock.advance(1_000);
    await bench.login(provider('Dostawca Nowy'), context);
    const providers = await bench.db.query(sql`select id, name, created_at from peppol_provider`);
    expect(providers).toEqual([
      { id: 'PPL123456', name: 'Dostawca Nowy', created_at: new Date('2026-03-02T10:00:00.123Z') },
    ]);
    bench.clock.set(START);
  });
});

describe('a refused signature', () => {
  const signed = async (context = nip('5265877635'), certificate = seal('5265877635'), over: object = {}) => {
    const { challenge } = await bench.call('auth.challenge');
    const request = { subjectIdentifierType: 'certificateSubject', context, challenge, ...over } as const;
    return signAuthTokenRequest(request, certificate, { signingTime: START });
  };
  const refused = (raw: string | Buffer) => refusalOf(bench.call('auth.xadesSignature', { raw }));

  it('names what is unreadable, unsigned or not a request', async () => {
    expect(await refused('')).toMatch(/^21001/);
    expect(await refused('<a>')).toMatch(/^21001/);
    expect(await refused('<?xml version="1.0" encoding="windows-1250"?><a/>')).toMatch(/^21217/);
    expect(await refused('<a/>')).toMatch(/^9102/);
  });

  it('unknown, expired and used challenges: 21111, each said in words', async () => {
    const raw = await signed(undefined, undefined, { challenge: '20250514-CR-226FB7B000-3ACF9BE4C0-10' });
    expect(await refused(raw)).toBe('21111: Wyzwanie 20250514-CR-226FB7B000-3ACF9BE4C0-10 nie istnieje.');
    const late = await signed();
    bench.clock.advance(10 * 60_000);
    await expect(bench.call('auth.xadesSignature', { raw: late })).resolves.toBeDefined();
    expect(await refused(late)).toMatch(/^21111: .*zostało już użyte/);
    bench.clock.set(START);
    const tooLate = await signed();
    bench.clock.advance(10 * 60_000 + 1);
    expect(await refused(tooLate)).toMatch(/^21111: .*wygasło/);
    bench.clock.set(START);
  });

  it('a refused document leaves its challenge usable', async () => {
    const raw = await signed();
    const broken = raw.replace(
      /(<(?:ds:)?SignatureValue[^>]*>)(.)/,
      (_, tag, first) => tag + (first === 'A' ? 'B' : 'A'),
    );
    expect(await refused(broken)).toMatch(/^9105: Podpis zweryfikowany negatywnie\./);
    await expect(bench.call('auth.xadesSignature', { raw })).resolves.toBeDefined();
  });

  it('a challenge swapped after signing: 21111 when unknown, 9105 when it is another live one', async () => {
    const raw = await signed();
    const { challenge } = await bench.call('auth.challenge');
    const swap = (value: string) => raw.replace(/\d{8}-CR-[A-F0-9]{10}-[A-F0-9]{10}-[A-F0-9]{2}/, value);
    expect(await refused(swap('20250514-CR-226FB7B000-3ACF9BE4C0-10'))).toMatch(/^21111/);
    expect(await refused(swap(challenge))).toMatch(/^9105: Nieprawidłowa wartość skrótu/);
  });

  it('a challenge that died outranks a bad certificate', async () => {
    const raw = await signed(nip('5265877635'), person('-88102341294'));
    expect(await refused(raw)).toMatch(/^21406/);
    bench.clock.advance(11 * 60_000);
    expect(await refused(raw)).toMatch(/^21111/);
    bench.clock.set(START);
  });

  it('certificates without a readable identity: 21406 and 21115, naming the attribute', async () => {
    expect(await refusalOf(bench.submit(person('-88102341294'), nip('5265877635')))).toMatch(/^21406: .*-88102341294/);
    expect(await refusalOf(bench.submit(person('TINPL-111111'), nip('5265877635')))).toMatch(/^21406: .*TINPL-111111/);
    const nameless = selfSigned(
      [
        ['givenName', 'Jan'],
        ['serialNumber', 'PNOPL-88102341294'],
        ['commonName', 'Jan'],
        ['countryName', 'PL'],
      ],
      valid,
    );
    expect(await refusalOf(bench.submit(nameless, nip('5265877635')))).toMatch(/^21115: .*organizationName/);
  });

  it('a Peppol context and a Peppol certificate belong together: 21117', async () => {
    const provider = peppolCertificate({ name: 'Dostawca', peppolId: 'PPL123456' }, valid);
    const context = { type: 'PeppolId', value: 'PPL123456' } as const;
    expect(await refusalOf(bench.submit(seal('5265877635'), context))).toMatch(/^21117/);
    expect(await refusalOf(bench.submit(provider, nip('5265877635')))).toMatch(/^21117/);
    expect(await refusalOf(bench.submit(provider, { type: 'PeppolId', value: 'PPL999999' }))).toMatch(/^21117/);
  });

  it('verifyCertificateChain must be a boolean', async () => {
    const raw = await signed();
    const request = bench.call('auth.xadesSignature', { raw, query: { verifyCertificateChain: 'abc' } });
    expect(await refusalOf(request)).toMatch(/^21405/);
  });

  it('two submissions of one document at once: one gets in', async () => {
    const raw = await signed();
    const both = await Promise.allSettled([1, 2, 3].map(() => bench.call('auth.xadesSignature', { raw })));
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('an accepted signature that fails afterwards', () => {
  const statusOf = async (init: object) => {
    await bench.work();
    return (await bench.status(init)).status;
  };

  it('no permission: 415, and redeem says so', async () => {
    const init = await bench.submit(person('PNOPL-90010112345'), nip('5265877635'));
    expect(await statusOf(init)).toEqual({
      code: 415,
      description: 'Uwierzytelnianie zakończone niepowodzeniem',
      details: ['Brak przypisanych uprawnień'],
    });
    expect(await refusalOf(bench.call('auth.redeem', { token: init.authenticationToken.token }))).toBe(
      '21301: Status uwierzytelniania (415) nie pozwala na pobranie tokenów.',
    );
  });

  it('certificate not valid yet or any more: 460', async () => {
    for (const dates of [{ validFrom: START - 10_000, validTo: START - 5_000 }, { validFrom: START + 60_000 }]) {
      const x = someNip();
      expect(await statusOf(await bench.submit(seal(x, dates), nip(x)))).toMatchObject({
        code: 460,
        details: ['Nieważny certyfikat'],
      });
    }
  });

  it('self-signed with verifyCertificateChain: 460 untrusted', async () => {
    const x = someNip();
    const init = await bench.submit(seal(x), nip(x), { verifyCertificateChain: true });
    expect(await statusOf(init)).toMatchObject({ code: 460, details: ['Niezaufany łańcuch certyfikatów'] });
  });

  it('blocked context: 480, after unblocking 200', async () => {
    const x = someNip();
    bench.registries.blocked.add(x);
    expect(await statusOf(await bench.submit(seal(x), nip(x)))).toMatchObject({
      code: 480,
      details: [
        'Podejrzenie incydentu bezpieczeństwa. Skontaktuj się z Ministerstwem Finansów przez formularz zgłoszeniowy.',
      ],
    });
    bench.registries.blocked.delete(x);
    expect(await statusOf(await bench.submit(seal(x), nip(x)))).toMatchObject({ code: 200 });
  });

  it('deceased person: 470, and redeem 21308', async () => {
    const x = someNip();
    bench.registries.grant({ type: 'Pesel', value: '88102311111' }, nip(x), 'InvoiceRead');
    bench.registries.deceased.add('88102311111');
    const init = await bench.submit(person('PNOPL-88102311111'), nip(x));
    expect(await statusOf(init)).toMatchObject({
      code: 470,
      details: ['Próba wykorzystania metod autoryzacyjnych osoby zmarłej'],
    });
    expect(await refusalOf(bench.call('auth.redeem', { token: init.authenticationToken.token }))).toBe('21308');
  });
});
