import { describe, expect, it } from 'vitest';
import type { KeyPurpose } from './key-ring.ts';
import { findUsable, publishedKeys } from './published-keys.ts';
import {
  currentCertificate,
  dueForCertificate,
  missingPurposes,
  SECRET_GRACE,
  secretsInOrder,
  stateOf,
} from './rules.ts';
import { PURPOSES, type StoredCertificate, type StoredKey } from './stored-key.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

function certificate(
  keyId: string,
  from: number,
  to: number,
  more: Partial<StoredCertificate> = {},
): StoredCertificate {
  const id = `${keyId}:${from}:${to}`;
  return {
    id,
    keyId,
    issuerKeyId: undefined,
    der: Buffer.from(id),
    validFrom: NOW + from * DAY,
    validTo: NOW + to * DAY,
    createdAt: NOW,
    ...more,
  };
}

function key(id: string, purpose: KeyPurpose, generation: number, more: Partial<StoredKey> = {}): StoredKey {
  const isSecret = purpose === 'TokenSigning' || purpose === 'LinkSigning';
  return {
    id,
    purpose,
    generation,
    algorithm: isSecret ? 'hmac-256' : 'rsa-2048',
    wrapped: Buffer.alloc(0),
    masterKeyId: 'm',
    publicPart: isSecret ? undefined : { spki: Buffer.from(id), publicKeyId: `id-${id}` },
    createdAt: NOW - DAY,
    retireAt: undefined,
    withdrawnAt: undefined,
    certificates: isSecret ? [] : [certificate(id, -1, 700)],
    ...more,
  };
}

describe('the state of a key', () => {
  it('follows its times', () => {
    expect(stateOf(key('a', 'TokenEncryption', 1), NOW)).toBe('active');
    expect(stateOf(key('a', 'TokenEncryption', 1, { retireAt: NOW + 1 }), NOW)).toBe('retiring');
    expect(stateOf(key('a', 'TokenEncryption', 1, { retireAt: NOW }), NOW)).toBe('retired');
    expect(stateOf(key('a', 'TokenEncryption', 1, { retireAt: NOW + 1, withdrawnAt: NOW }), NOW)).toBe('withdrawn');
  });
});

describe('the published list', () => {
  const ids = (keys: StoredKey[], now = NOW) => publishedKeys(keys, now).map((entry) => entry.certificateId);

  it('has what is valid now first, among it the latest beginning', () => {
    const keys = [
      key('old', 'TokenEncryption', 1, { certificates: [certificate('old', -600, 100)], retireAt: NOW + DAY }),
      key('sym', 'SymmetricKeyEncryption', 1, { certificates: [certificate('sym', -300, 400)] }),
      key('new', 'TokenEncryption', 2, { certificates: [certificate('new', -1, 700)] }),
      key('next', 'TokenEncryption', 3, { certificates: [certificate('next', 7, 800)] }),
    ];
    expect(ids(keys)).toEqual(['new:-1:700', 'sym:-300:400', 'old:-600:100', 'next:7:800']);
    expect(ids(keys, NOW + 2 * DAY)).toEqual(['new:-1:700', 'sym:-300:400', 'next:7:800']);
    expect(ids(keys, NOW + 7 * DAY)).toEqual(['next:7:800', 'new:-1:700', 'sym:-300:400']);
  });

  it('puts the newer key first when two begin in the same second', () => {
    const keys = [key('a', 'TokenEncryption', 1), key('b', 'TokenEncryption', 2)];
    expect(ids(keys)).toEqual(['b:-1:700', 'a:-1:700']);
    expect(ids(keys.reverse())).toEqual(['b:-1:700', 'a:-1:700']);
  });

  it('shows of a key its newest certificate, one to come, and none that ended', () => {
    const many = [
      certificate('a', 3, 900),
      certificate('a', -1, 700),
      certificate('a', -500, 200),
      certificate('a', -900, -1),
    ];
    expect(ids([key('a', 'TokenEncryption', 1, { certificates: many })])).toEqual(['a:-1:700', 'a:3:900']);
    expect(ids([key('a', 'TokenEncryption', 1, { certificates: [certificate('a', -900, 0)] })])).toEqual([]);
  });

  it('has nothing of withdrawn keys and of keys that are not published', () => {
    const keys = [
      key('a', 'TokenEncryption', 1, { withdrawnAt: NOW }),
      key('b', 'ReceiptSeal', 1),
      key('c', 'CertificateAuthority', 1),
      key('d', 'TokenSigning', 1),
    ];
    expect(ids(keys)).toEqual([]);
  });

  it('finds a key by id only for its own usage and while it is valid', () => {
    const list = publishedKeys(
      [key('a', 'TokenEncryption', 1), key('b', 'TokenEncryption', 2, { certificates: [certificate('b', 1, 700)] })],
      NOW,
    );
    expect(findUsable(list, 'id-a', 'TokenEncryption', NOW)?.publicKeyId).toBe('id-a');
    expect(findUsable(list, 'id-a', 'SymmetricKeyEncryption', NOW)).toBeUndefined();
    expect(findUsable(list, 'id-b', 'TokenEncryption', NOW)).toBeUndefined();
    expect(findUsable(list, 'id-b', 'TokenEncryption', NOW + DAY)?.publicKeyId).toBe('id-b');
    expect(findUsable(list, 'id-x', 'TokenEncryption', NOW)).toBeUndefined();
  });
});

describe('what must be done', () => {
  const whole = PURPOSES.map((purpose) =>
    key(
      purpose,
      purpose,
      1,
      purpose === 'CertificateAuthority' ? { certificates: [certificate(purpose, -1, 3650)] } : {},
    ),
  );
  const names = (keys: StoredKey[]) => keys.map((k) => k.id);

  it('is nothing when all is well', () => {
    expect(missingPurposes(whole, NOW)).toEqual([]);
    expect(dueForCertificate(whole, NOW)).toEqual([]);
  });

  it('is to make a key where none is to stay', () => {
    expect(missingPurposes([], NOW)).toEqual(PURPOSES);
    const ending = whole.map((k) => (k.purpose === 'LinkSigning' ? { ...k, retireAt: NOW + DAY } : k));
    expect(missingPurposes(ending, NOW)).toEqual(['LinkSigning']);
  });

  it.each([
    ['30 days left', 30, []],
    ['a little less', 29.9, ['TokenEncryption']],
    ['over', -1, ['TokenEncryption']],
  ])('is to renew a published certificate with %s', (_, left, expected) => {
    const keys = whole.map((k) =>
      k.purpose === 'TokenEncryption' ? { ...k, certificates: [certificate(k.id, -700, left)] } : k,
    );
    expect(names(dueForCertificate(keys, NOW))).toEqual(expected);
  });

  it('is not to renew an old key while a newer one lasts', () => {
    const old = key('old', 'TokenEncryption', 1, { certificates: [certificate('old', -700, 5)], retireAt: NOW + DAY });
    const keys = [...whole.map((k) => ({ ...k, generation: 2 })), old];
    expect(dueForCertificate(keys, NOW)).toEqual([]);
  });

  it('is to renew the authority while what it issues still ends before it', () => {
    const keys = whole.map((k) =>
      k.purpose === 'CertificateAuthority' ? { ...k, certificates: [certificate(k.id, -3000, 900)] } : k,
    );
    expect(names(dueForCertificate(keys, NOW))).toEqual(['CertificateAuthority']);
  });

  it('is to certify the seal again when its authority was withdrawn', () => {
    const keys = whole.map((k) =>
      k.purpose === 'ReceiptSeal' ? { ...k, certificates: [certificate(k.id, -1, 700, { issuerKeyId: 'gone' })] } : k,
    );
    expect(names(dueForCertificate(keys, NOW))).toEqual(['ReceiptSeal']);
  });
});

describe('secrets', () => {
  it('sign with the newest that every node has had time to read, and verify with all', () => {
    const keys = [
      key('old', 'TokenSigning', 1, { createdAt: NOW - DAY, retireAt: NOW + DAY }),
      key('fresh', 'TokenSigning', 2, { createdAt: NOW }),
    ];
    const order = (at: number) => secretsInOrder(keys, 'TokenSigning', at).map((k) => k.id);
    expect(order(NOW)).toEqual(['old', 'fresh']);
    expect(order(NOW + SECRET_GRACE - 1)).toEqual(['old', 'fresh']);
    expect(order(NOW + SECRET_GRACE)).toEqual(['fresh', 'old']);
    expect(order(NOW + DAY)).toEqual(['fresh']);
  });

  it('sign with a fresh one when there is no other, and with the older of two fresh ones', () => {
    const one = key('one', 'LinkSigning', 1, { createdAt: NOW });
    const two = key('two', 'LinkSigning', 2, { createdAt: NOW });
    expect(secretsInOrder([one], 'LinkSigning', NOW).map((k) => k.id)).toEqual(['one']);
    expect(secretsInOrder([two, one], 'LinkSigning', NOW).map((k) => k.id)).toEqual(['one', 'two']);
  });
});

describe('the current certificate', () => {
  it('is the last made of those that begin together', () => {
    const first = certificate('a', -1, 700);
    const second = { ...first, id: 'second' };
    expect(currentCertificate(key('a', 'TokenEncryption', 1, { certificates: [second, first] }), NOW)?.id).toBe(
      'second',
    );
  });
});
