import { spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpoVersion } from '@kwit/contract/enumerations';
import { NAMES, type ServiceName } from '@kwit/contract/names';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';
import { beforeAll, describe, expect, it } from 'vitest';
import { oid, sequence, setOf, utf8 } from '../platform/x509/der-write.ts';
import { makeCertificate, spkiOf } from '../platform/x509/make-certificate.ts';
import { hasXmlsec, xmlsecVerify } from '../platform/xml/judges.fixture.ts';
import type { Signer } from '../platform/xml/sign.ts';
import { buildUpo, type Upo, type UpoDocument } from './build-upo.ts';
import { pagesOf } from './pages.ts';
import { signUpo } from './sign-upo.ts';
import { upoSchema } from './upo-schema.fixture.ts';

const HASH = createHash('sha256').update('invoice').digest('base64');
const LOGIN_HASH = createHash('sha256').update('login').digest('base64');
const SESSION = '20250916-SO-2C3E6C8000-B675CF5D68-07';
const TOKEN = '20250916-EC-2C3E6C8000-B675CF5D68-07';
const NOW = Date.parse('2025-09-16T12:00:00Z');

const accepted: UpoDocument = {
  sellerNip: '5265877635',
  svcNumber: '5265877635-20250916-010040741B3E-46',
  invoiceNumber: 'FV/1/2025',
  issueDate: '2025-09-16',
  invoicingDate: Date.parse('2025-09-16T09:29:41.524Z'),
  acquisitionDate: Date.parse('2025-09-16T09:29:42.001Z'),
  hash: HASH,
  mode: 'Online',
};

function upo(changes: Partial<Upo> = {}): Upo {
  return {
    version: 'v4-3',
    environment: 'TEST',
    sessionReference: SESSION,
    context: { type: 'Nip', value: '5265877635' },
    authentication: { documentHash: LOGIN_HASH },
    form: { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' },
    documents: [accepted],
    ...changes,
  };
}

const hasXmllint = spawnSync('xmllint', ['--version']).status === 0;

/** Judged by the engine always and by xmllint where it is installed; empty when valid. */
function breaches(xml: string | Buffer, version: UpoVersion, name: 'Svc' | 'KSeF'): string {
  const schemaText = upoSchema(version, name);
  const schema = XmlDocument.fromString(schemaText);
  const validator = XsdValidator.fromDoc(schema);
  const document = XmlDocument.fromBuffer(Buffer.from(xml));
  let found = '';
  try {
    validator.validate(document);
  } catch (error) {
    found = (error as Error).message;
  } finally {
    for (const each of [document, validator, schema]) each.dispose();
  }
  if (!hasXmllint) return found;
  const folder = mkdtempSync(join(tmpdir(), 'kwit-upo-'));
  try {
    writeFileSync(join(folder, 'upo.xsd'), schemaText);
    writeFileSync(join(folder, 'upo.xml'), xml);
    const run = spawnSync('xmllint', [
      '--nonet',
      '--noout',
      '--schema',
      join(folder, 'upo.xsd'),
      join(folder, 'upo.xml'),
    ]);
    return found + (run.status === 0 ? '' : run.stderr.toString());
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const displayOf = (name: ServiceName) => (name === 'svc' ? 'Svc' : 'KSeF');
const versions: UpoVersion[] = ['v4-3', 'v4-2'];
const serviceNames: ServiceName[] = ['svc', 'ksef'];

describe.each(versions)('version %s', (version) => {
  describe.each(serviceNames)('under the name %s', (name) => {
    const build = (changes: Partial<Upo>) => buildUpo(upo({ version, ...changes }), NAMES[name]);

    it.each([
      ['a NIP', { context: { type: 'Nip', value: '5265877635' } }],
      ['an internal unit', { context: { type: 'InternalId', value: '5265877635-12346' } }],
      ['an EU entity', { context: { type: 'NipVatUe', value: '5265877635-DE123456789' } }],
      ['a Peppol provider', { context: { type: 'PeppolId', value: 'PPL123456' } }],
      ['a token login', { authentication: { tokenReference: TOKEN } }],
      ['a session page', { page: pagesOf(1)[0]! }],
      ['production', { environment: 'PRD' }],
      ['an offline invoice', { documents: [{ ...accepted, mode: 'Offline' }] }],
      ['a number with markup', { documents: [{ ...accepted, invoiceNumber: '<a>&"\'>]]>🪿' }] }],
    ] as [string, Partial<Upo>][])('%s is valid', (_, changes) => {
      expect(breaches(build(changes), version, displayOf(name))).toBe('');
    });

    it('a schema of the other version or name does not take it', () => {
      const other = version === 'v4-3' ? 'v4-2' : 'v4-3';
      expect(breaches(build({}), other, displayOf(name))).not.toBe('');
      expect(breaches(build({}), version, name === 'svc' ? 'KSeF' : 'Svc')).not.toBe('');
    });
  });
});

it('writes version 4-3 under the name of the ministry, byte for byte', () => {
  const xml = buildUpo(upo({ page: pagesOf(1)[0]!, authentication: { tokenReference: TOKEN } }), NAMES.ksef);
  expect(xml).toBe(
    [
      '<?xml version="1.0" encoding="utf-8"?>\n',
      '<Potwierdzenie xmlns="http://upo.schematy.mf.gov.pl/KSeF/v4-3">',
      '<NazwaPodmiotuPrzyjmujacego>Ministerstwo Finansów - środowisko testowe (TE)</NazwaPodmiotuPrzyjmujacego>',
      `<NumerReferencyjnySesji>${SESSION}</NumerReferencyjnySesji>`,
      `<Uwierzytelnienie><IdKontekstu><Nip>5265877635</Nip></IdKontekstu><NumerReferencyjnyTokenaKSeF>${TOKEN}</NumerReferencyjnyTokenaKSeF></Uwierzytelnienie>`,
      '<OpisPotwierdzenia><Strona>1</Strona><LiczbaStron>1</LiczbaStron><ZakresDokumentowOd>1</ZakresDokumentowOd><ZakresDokumentowDo>1</ZakresDokumentowDo><CalkowitaLiczbaDokumentow>1</CalkowitaLiczbaDokumentow></OpisPotwierdzenia>',
      '<NazwaStrukturyLogicznej>Schemat_FA(3)_v1-0E.xsd</NazwaStrukturyLogicznej><KodFormularza>FA (3)</KodFormularza>',
      '<Dokument><NipSprzedawcy>5265877635</NipSprzedawcy><NumerKSeFDokumentu>5265877635-20250916-010040741B3E-46</NumerKSeFDokumentu>',
      '<NumerFaktury>FV/1/2025</NumerFaktury><DataWystawieniaFaktury>2025-09-16</DataWystawieniaFaktury>',
      '<DataPrzeslaniaDokumentu>2025-09-16T11:29:41.524+02:00</DataPrzeslaniaDokumentu>',
      '<DataNadaniaNumeruKSeF>2025-09-16T11:29:42.001+02:00</DataNadaniaNumeruKSeF>',
      `<SkrotDokumentu>${HASH}</SkrotDokumentu><TrybWysylki>Online</TrybWysylki></Dokument></Potwierdzenie>`,
    ].join(''),
  );
});

describe('what differs', () => {
  it('4-2 has neither mode nor environment, and names the version of the schema', () => {
    const xml = buildUpo(upo({ version: 'v4-2' }), NAMES.svc);
    expect(xml).toContain('xmlns="http://upo.schematy.mf.gov.pl/Svc/v4-2"');
    expect(xml).toContain('<NazwaPodmiotuPrzyjmujacego>Ministerstwo Finansów</NazwaPodmiotuPrzyjmujacego>');
    expect(xml).toContain('<NazwaStrukturyLogicznej>1-0E</NazwaStrukturyLogicznej>');
    expect(xml).not.toContain('TrybWysylki');
  });

  it.each([
    ['TEST', 'Ministerstwo Finansów - środowisko testowe (TE)'],
    ['DEMO', 'Ministerstwo Finansów - środowisko przedprodukcyjne (TR)'],
    ['PRD', 'Ministerstwo Finansów'],
  ] as const)('%s names the receiver %s', (environment, receiver) => {
    expect(buildUpo(upo({ environment }), NAMES.svc)).toContain(`<NazwaPodmiotuPrzyjmujacego>${receiver}<`);
  });

  it('names the Peppol correction', () => {
    const form = { systemCode: 'PEF_KOR (3)', schemaVersion: '2-1', value: 'PEF' };
    expect(buildUpo(upo({ form }), NAMES.svc)).toContain('>Schemat_PEF_KOR(3)_v2-1.xsd<');
  });

  it('the names change exactly the namespace and three elements', () => {
    const changes = { authentication: { tokenReference: TOKEN } };
    const [svc, ksef] = serviceNames.map((name) => buildUpo(upo(changes), NAMES[name]));
    expect(svc!.replaceAll('Svc', 'KSeF')).toBe(ksef);
    expect(svc!.match(/Svc/g)).toHaveLength(7);
  });
});

describe('pages', () => {
  it('10,001 invoices make two', () => {
    expect(pagesOf(10_001)).toEqual([
      { number: 1, count: 2, from: 1, to: 10_000, total: 10_001 },
      { number: 2, count: 2, from: 10_001, to: 10_001, total: 10_001 },
    ]);
    expect(pagesOf(10_000)).toHaveLength(1);
    expect(pagesOf(0)).toEqual([]);
  });

  it('a full page is valid, one more or a double number is not made or not valid', () => {
    const documents = Array.from({ length: 10_000 }, (_, i) => ({
      ...accepted,
      svcNumber: `5265877635-20250916-${i.toString(16).toUpperCase().padStart(12, '0')}-46`,
    }));
    const xml = buildUpo(upo({ documents, page: pagesOf(10_001)[0]! }), NAMES.svc);
    expect(breaches(xml, 'v4-3', 'Svc')).toBe('');
    expect(() => buildUpo(upo({ documents: [...documents, accepted] }), NAMES.svc)).toThrow(RangeError);
    expect(() => buildUpo(upo({ documents: [] }), NAMES.svc)).toThrow(RangeError);
    expect(() => buildUpo(upo({ page: pagesOf(2)[0]! }), NAMES.svc)).toThrow(RangeError);
    expect(breaches(buildUpo(upo({ documents: [accepted, accepted] }), NAMES.svc), 'v4-3', 'Svc')).not.toBe('');
  });
});

describe('seal', () => {
  let seal: Signer;
  beforeAll(async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const name = sequence(setOf(sequence(oid('2.5.4.3'), utf8('Seal'))));
    const contents = {
      serial: Buffer.from([1]),
      issuerDer: name,
      subjectDer: name,
      notBefore: NOW,
      notAfter: NOW + 1e9,
      spki: spkiOf(privateKey),
      extensions: [],
    };
    seal = { privateKey, chain: [await makeCertificate(contents, privateKey)] };
  });

  const odd = upo({ documents: [{ ...accepted, invoiceNumber: 'Żółć <&> ]]> " \' 🪿' }] });

  it('the text is canonical already, so that it may be signed unparsed', () => {
    const text = buildUpo(odd, NAMES.ksef);
    const document = XmlDocument.fromString(text);
    expect(document.canonicalizeToString({ mode: 1 })).toBe(text.slice(text.indexOf('\n') + 1));
    document.dispose();
  });

  it('is the last child, and the hash covers the signed bytes', () => {
    const { bytes, hash } = signUpo(buildUpo(odd, NAMES.ksef), seal, NOW);
    expect(bytes.toString()).toMatch(/<\/Dokument><ds:Signature [\s\S]*<\/ds:Signature><\/Potwierdzenie>$/);
    expect(hash).toBe(createHash('sha256').update(bytes).digest('base64'));
    expect(breaches(bytes, 'v4-3', 'KSeF')).toBe('');
  });

  it.skipIf(!hasXmlsec)('xmlsec1 accepts it, and not after a change', () => {
    const { bytes } = signUpo(buildUpo(odd, NAMES.ksef), seal, NOW);
    const key = { privateKey: seal.privateKey, certificate: seal.chain[0]! };
    expect(xmlsecVerify(bytes, key)).toBe('');
    const changed = Buffer.from(bytes.toString().replace('>5265877635<', '>1111111111<'));
    expect(xmlsecVerify(changed, key)).not.toBe('');
  });
});
