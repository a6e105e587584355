import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealCertificate } from '@kwit/client/test-certificates';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadAnchors } from './load-anchors.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kwit-trust-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const certificate = (name: string) => sealCertificate({ name, nip: '5265877635' });
const pem = (der: Buffer) =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`;

it('reads DER files and PEM files with one or several certificates, and nothing else of the folder', () => {
  const [one, two, three] = [certificate('A'), certificate('B'), certificate('C')];
  writeFileSync(join(folder, '1.pem'), `Comment\n${pem(one.certificate)}${pem(two.certificate)}`);
  writeFileSync(join(folder, '2.der'), three.certificate);
  writeFileSync(join(folder, 'README.txt'), 'not a certificate');
  expect(loadAnchors(folder).map(({ fingerprint }) => fingerprint)).toEqual([
    one.fingerprint,
    two.fingerprint,
    three.fingerprint,
  ]);
});

it('stops at a file that is no certificate, naming it', () => {
  writeFileSync(join(folder, 'broken.pem'), pem(Buffer.from('nonsense')));
  expect(() => loadAnchors(folder)).toThrow(/broken\.pem/);
});
