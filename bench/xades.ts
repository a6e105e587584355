/** Signatures per second on one core: verifying a login request, and signing a receipt. Prints only. */
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { sealCertificate } from '@kwit/client/test-certificates';
import { signAuthTokenRequest } from '@kwit/client/xades';
import { verifyXadesRequest } from '@kwit/server/auth/xades/verify-xades-request';
import { signEnveloped } from '@kwit/server/platform/xml/sign';

const SECONDS = Number(process.argv[2] ?? 2);

function measure(name: string, work: () => unknown): void {
  for (let i = 0; i < 200; i++) work();
  let count = 0;
  const start = performance.now();
  while (performance.now() - start < SECONDS * 1000) {
    work();
    count++;
  }
  console.log(`${name.padEnd(60)} ${Math.round(count / ((performance.now() - start) / 1000))}/s`);
}

const request = {
  challenge: '20250604-CR-461EA5B000-537A6BA15D-D7',
  context: { type: 'Nip', value: '5265877635' },
  subjectIdentifierType: 'certificateSubject',
} as const;
for (const key of ['p-256', 'rsa-2048'] as const) {
  const signer = sealCertificate({ name: 'Spółka', nip: '5265877635' }, { key });
  const document = Buffer.from(signAuthTokenRequest(request, signer));
  measure(`verify a login request, ${key}`, () =>
    verifyXadesRequest({ bytes: document, mode: 'strict', allowSha1: true }),
  );
}

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const data = Buffer.alloc(1000);
const value = sign('sha256', data, privateKey);
measure('bare P-256 verification', () => verify('sha256', data, publicKey, value));

const seal = sealCertificate({ name: 'Pieczęć', nip: '5265877635' });
const signer = { privateKey: seal.privateKey, chain: [seal.certificate] };
const receipt = `<Potwierdzenie xmlns="urn:receipt">${'<Dokument><Numer>5265877635-20260101-000000000000-00</Numer><Skrot>abcdefghijklmnopqrstuvwxyz</Skrot></Dokument>'.repeat(15)}</Potwierdzenie>`;
const options = { signingTime: Date.parse('2026-01-01T00:00:00Z') };
measure('sign a receipt of 1.6 KB, P-256, canonical text', () =>
  signEnveloped(receipt, signer, { ...options, canonical: true }),
);
measure('sign a receipt of 1.6 KB, P-256, parsed', () => signEnveloped(receipt, signer, options));
measure('bare P-256 signature', () => sign('sha256', data, privateKey));
