import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  authNamespaceVersion,
  fillTemplate,
  fromWire,
  NAMES,
  neutralPath,
  toWire,
  wirePath,
  wireSchema,
} from './names.ts';

describe('table of names', () => {
  it.each([
    ['displayName', 'Svc', 'KSeF'],
    ['featureHeader', 'X-Svc-Feature', 'X-KSeF-Feature'],
    ['tokenEncryptionUsage', 'SvcTokenEncryption', 'KsefTokenEncryption'],
    ['certificateIssuer', 'TI CCK Svc', 'TI CCK KSeF'],
  ] as const)('%s', (key, svc, ksef) => {
    expect(NAMES.svc[key]).toBe(svc);
    expect(NAMES.ksef[key]).toBe(ksef);
  });

  it('spells issuers, namespaces, elements and methods', () => {
    expect(NAMES.svc.jwtIssuer).toEqual({ TEST: 'svc-api-te', DEMO: 'svc-api-tr', PRD: 'svc-api-prd' });
    expect(NAMES.ksef.jwtIssuer.TEST).toBe('ksef-api-te');
    expect(NAMES.ksef.authNamespaces['2.1']).toBe('http://ksef.mf.gov.pl/auth/token/2.1');
    expect(NAMES.svc.authNamespaces['2.0']).toBe('http://svc.mf.gov.pl/auth/token/2.0');
    expect(NAMES.svc.upoNamespaces['v4-3']).toBe('http://upo.schematy.mf.gov.pl/Svc/v4-3');
    expect(NAMES.ksef.upoNamespaces['v4-2']).toBe('http://upo.schematy.mf.gov.pl/KSeF/v4-2');
    expect(NAMES.ksef.upoElements).toEqual({
      documentNumber: 'NumerKSeFDokumentu',
      numberDate: 'DataNadaniaNumeruKSeF',
      tokenReferenceNumber: 'NumerReferencyjnyTokenaKSeF',
    });
    expect(NAMES.svc.upoElements.documentNumber).toBe('NumerSvcDokumentu');
    expect(NAMES.ksef.tokenMethod).toEqual({ code: 'token.ksef', displayName: 'Token KSeF' });
    expect(NAMES.ksef.certificateMethod).toEqual({ code: 'xades.ksef-certificate', displayName: 'Certyfikat KSeF' });
    expect(NAMES.svc.certificateMethod.code).toBe('xades.svc-certificate');
    expect(NAMES.ksef.invoicePage.present).toBe('Faktura znajduje się w KSeF');
  });

  it.each([
    ['http://ksef.mf.gov.pl/auth/token/2.0', '2.0'],
    ['http://svc.mf.gov.pl/auth/token/2.1', '2.1'],
    ['http://svc.mf.gov.pl/auth/token/2.2', undefined],
  ])('reads the version of %s', (namespace, version) => {
    expect(authNamespaceVersion(namespace)).toBe(version);
  });
});

describe('JSON at the edge', () => {
  const neutral = {
    invoices: [{ svcNumber: '1', invoiceNumber: 'svcNumber', name: 'Token Svc', description: 'SvcTokenEncryption' }],
    status: {
      code: 440,
      description: 'Duplikat faktury',
      details: ['Duplikat faktury. Faktura o numerze Svc: 1 została', 'Numer faktury Svc: 7'],
      extensions: { originalSvcNumber: '1', originalSessionReferenceNumber: '2' },
    },
    authenticationMethodInfo: { category: 'Token', code: 'token.svc', displayName: 'Token Svc' },
    certificate: { code: 'xades.svc-certificate', displayName: 'Certyfikat Svc' },
    keys: [{ usage: ['SvcTokenEncryption', 'SymmetricKeyEncryption'] }],
    currency: 'SVC',
  };
  const wire = {
    invoices: [{ ksefNumber: '1', invoiceNumber: 'svcNumber', name: 'Token Svc', description: 'SvcTokenEncryption' }],
    status: {
      code: 440,
      description: 'Duplikat faktury',
      details: ['Duplikat faktury. Faktura o numerze KSeF: 1 została', 'Numer faktury Svc: 7'],
      extensions: { originalKsefNumber: '1', originalSessionReferenceNumber: '2' },
    },
    authenticationMethodInfo: { category: 'Token', code: 'token.ksef', displayName: 'Token KSeF' },
    certificate: { code: 'xades.ksef-certificate', displayName: 'Certyfikat KSeF' },
    keys: [{ usage: ['KsefTokenEncryption', 'SymmetricKeyEncryption'] }],
    currency: 'SVC',
  };

  it('renames properties and the values that carry the name, and nothing a user wrote', () => {
    expect(toWire('ksef', neutral)).toEqual(wire);
    expect(fromWire(wire)).toEqual(neutral);
  });

  it('hands the neutral value back untouched, without a copy', () => {
    expect(toWire('svc', neutral)).toBe(neutral);
    expect(fromWire(neutral)).toBe(neutral);
  });

  it('writes given names as a list or as one text', () => {
    const data = { commonName: 'A', givenName: ['Anna', 'Maria'] };
    expect(toWire('svc', data)).toBe(data);
    expect(toWire('ksef', data)).toEqual({ commonName: 'A', givenName: 'Anna Maria' });
    expect(fromWire({ commonName: 'A', givenName: 'Anna Maria' })).toEqual({
      commonName: 'A',
      givenName: ['Anna Maria'],
    });
    expect(fromWire(data)).toBe(data);
    const schema = { type: 'object', properties: { givenName: { type: 'array', items: { type: 'string' } } } };
    expect(wireSchema('ksef', schema)).toEqual({ type: 'object', properties: { givenName: { type: 'string' } } });
  });

  it('keeps the order of properties', () => {
    expect(Object.keys(toWire('ksef', { a: 1, svcNumber: 'x', b: 2 }))).toEqual(['a', 'ksefNumber', 'b']);
  });

  it.each(['ksefNumber', 'KsefNumber', 'KSEFNUMBER'])('reads %s whatever its case', (property) => {
    expect(fromWire({ filters: { [property]: 'x' } })).toEqual({ filters: { svcNumber: 'x' } });
  });

  it('lets the neutral property win when both are given', () => {
    expect(fromWire({ ksefNumber: 'k', svcNumber: 's' })).toEqual({ svcNumber: 's' });
  });

  it('survives nesting deeper than any stack', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(fromWire(deep)).toBe(deep);
  });

  it('never sets a prototype', () => {
    const read = fromWire(JSON.parse('{"__proto__":{"ksefNumber":"x"},"ksefNumber":"y"}'));
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.hasOwn(read, '__proto__')).toBe(true);
    expect(read.svcNumber).toBe('y');
  });

  it('goes there and back for any JSON without the other name in it', () => {
    const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => !/ksef/i.test(JSON.stringify(value)));
    fc.assert(
      fc.property(json, fc.string(), (value, number) => {
        const body = { value, svcNumber: number, usage: ['SvcTokenEncryption'] } as const;
        expect(JSON.stringify(fromWire(toWire('ksef', body)))).toBe(JSON.stringify(body));
      }),
    );
  });
});

describe('schemas at the edge', () => {
  const schema = {
    type: 'object',
    required: ['svcNumber', 'required'],
    properties: {
      svcNumber: { type: 'string', pattern: 'svcNumber' },
      required: { type: 'array', items: { enum: ['SvcTokenEncryption', 'SVC'] } },
    },
  };

  it('renames what bodies would carry', () => {
    expect(wireSchema('svc', schema)).toBe(schema);
    expect(wireSchema('ksef', schema)).toEqual({
      type: 'object',
      required: ['ksefNumber', 'required'],
      properties: {
        ksefNumber: { type: 'string', pattern: 'svcNumber' },
        required: { type: 'array', items: { enum: ['KsefTokenEncryption', 'SVC'] } },
      },
    });
  });
});

describe('paths', () => {
  const pairs: [string, string][] = [
    ['/auth/svc-token', '/auth/ksef-token'],
    ['/auth/svc-token/', '/auth/ksef-token/'],
    ['/v2/auth/svc-token?x=1', '/v2/auth/ksef-token?x=1'],
    ['/api/v2/invoices/svc/1-2', '/api/v2/invoices/ksef/1-2'],
    ['/invoices/svc/:svcNumber', '/invoices/ksef/:ksefNumber'],
    ['/invoices/svc/{svcNumber}', '/invoices/ksef/{ksefNumber}'],
    ['/sessions/20250625-SO/invoices/svc/9/upo', '/sessions/20250625-SO/invoices/ksef/9/upo'],
    [
      '/sessions/:referenceNumber/invoices/svc/:svcNumber/upo',
      '/sessions/:referenceNumber/invoices/ksef/:ksefNumber/upo',
    ],
  ];

  it.each(pairs)('%s is %s', (svc, ksef) => {
    expect(neutralPath(ksef)).toBe(svc);
    expect(neutralPath(svc)).toBe(svc);
    expect(wirePath('ksef', svc)).toBe(ksef);
    expect(wirePath('svc', svc)).toBe(svc);
  });

  it.each([
    '/auth/ksef-tokens',
    '/ksef',
    '/v3/auth/ksef-token',
    '/tokens?description=/auth/ksef-token',
  ])('leaves %s alone', (path) => {
    expect(neutralPath(path)).toBe(path);
  });
});

describe('templates', () => {
  it.each([
    ['Token {SVC} został unieważniony.', {}, 'Token KSeF został unieważniony.'],
    ['{0}', { 0: 'a {SVC} {0} {1}' }, 'a {SVC} {0} {1}'],
    ["'{path}' is {n} not {missing}", { path: '{n}', n: 3 }, "'{n}' is 3 not {missing}"],
    ['{toString}', {}, '{toString}'],
    ['{a}{a}', { a: '$&' }, '$&$&'],
  ])('%s', (template, values, text) => {
    expect(fillTemplate(template, values as Record<string, string | number>, 'ksef')).toBe(text);
  });

  it('puts any value in exactly once, unread', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (first, second) => {
        expect(fillTemplate('<{a}|{b}>', { a: first, b: second }, 'svc')).toBe(`<${first}|${second}>`);
      }),
    );
  });
});
