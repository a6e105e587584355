import { constants, createCipheriv, createHash, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto';
import { ApiError } from '@kwit/client/api-error';
import { type SampleInvoice, sampleInvoice } from '@kwit/client/sample-invoices';
import { sealCertificate, type TestCertificate } from '@kwit/client/test-certificates';
import { createTransport, type Transport } from '@kwit/client/transport';
import { signAuthTokenRequest } from '@kwit/client/xades';
import * as auth from '@kwit/contract/auth-endpoints';
import type { ServiceName } from '@kwit/contract/names';
import * as sessions from '@kwit/contract/session-endpoints';
import type { TestService } from './service.ts';

/** Parties of a test: they log in, open sessions, send. Everything over HTTP, as a client would. */
export interface Actor {
  token: string;
  refreshToken: string;
  transport: Transport;
}

export function transportTo(service: TestService, name: ServiceName = service.config.name): Transport {
  return createTransport({ baseUrl: service.url, name, retries: 0 });
}

export interface LoginOptions {
  context?: { type: 'Nip' | 'InternalId' | 'NipVatUe' | 'PeppolId'; value: string };
  by?: 'certificateSubject' | 'certificateFingerprint';
  certificate?: TestCertificate;
}

/** Logs a company in by its seal (or whoever holds the given certificate). */
export async function logIn(service: TestService, nip: string, options: LoginOptions = {}): Promise<Actor> {
  const transport = transportTo(service);
  const certificate =
    options.certificate ??
    sealCertificate({ name: `Firma ${nip}`, nip }, { validFrom: service.clock.now() - 3_600_000 });
  const { challenge } = await transport.call(auth.createChallenge, {});
  const document = signAuthTokenRequest(
    {
      challenge,
      context: options.context ?? { type: 'Nip', value: nip },
      subjectIdentifierType: options.by ?? 'certificateSubject',
    },
    certificate,
    { signingTime: service.clock.now() },
  );
  const init = await transport.call(auth.authenticateWithSignature, {
    raw: { type: 'application/xml', bytes: document },
  });
  await service.drain();
  const tokens = await transport.call(auth.redeemTokens, { token: init.authenticationToken.token });
  return { transport, token: tokens.accessToken.token, refreshToken: tokens.refreshToken.token };
}

export interface OpenedSession {
  reference: string;
  key: Buffer;
  vector: Buffer;
}

export const FA3 = { systemCode: 'FA (3)', schemaVersion: '1-0E', value: 'FA' };

export async function wrapKey(transport: Transport, key: Buffer, oaepHash = 'sha256'): Promise<string> {
  const published = await transport.call(auth.listPublicKeyCertificates, {});
  const entry = published.find((p) => p.usage.includes('SymmetricKeyEncryption'));
  const { publicKey } = new X509Certificate(Buffer.from(entry?.certificate ?? '', 'base64'));
  return publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, key).toString('base64');
}

export async function openSession(
  actor: Actor,
  formCode = FA3,
  headers: Record<string, string> = {},
): Promise<OpenedSession> {
  const key = randomBytes(32);
  const vector = randomBytes(16);
  const { referenceNumber } = await actor.transport.call(sessions.openOnlineSession, {
    token: actor.token,
    headers,
    body: {
      formCode,
      encryption: {
        encryptedSymmetricKey: await wrapKey(actor.transport, key),
        initializationVector: vector.toString('base64'),
      },
    },
  });
  return { reference: referenceNumber, key, vector };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64');

export function encrypted(session: Pick<OpenedSession, 'key' | 'vector'>, xml: string | Buffer) {
  const plain = Buffer.from(xml);
  const cipher = createCipheriv('aes-256-cbc', session.key, session.vector);
  const content = Buffer.concat([cipher.update(plain), cipher.final()]);
  return {
    invoiceHash: sha256(plain),
    invoiceSize: plain.length,
    encryptedInvoiceHash: sha256(content),
    encryptedInvoiceSize: content.length,
    encryptedInvoiceContent: content.toString('base64'),
  };
}

export type SendBody = ReturnType<typeof encrypted> & { offlineMode?: boolean; hashOfCorrectedInvoice?: string };

export async function send(
  actor: Actor,
  session: OpenedSession,
  xml: string | Buffer,
  change: Partial<SendBody> = {},
): Promise<string> {
  const { referenceNumber } = await actor.transport.call(sessions.sendInvoice, {
    token: actor.token,
    params: { referenceNumber: session.reference },
    body: { ...encrypted(session, xml), ...change },
  });
  return referenceNumber;
}

export function invoiceStatus(actor: Actor, session: OpenedSession, invoiceReferenceNumber: string) {
  return actor.transport.call(sessions.readSessionInvoice, {
    token: actor.token,
    params: { referenceNumber: session.reference, invoiceReferenceNumber },
  });
}

/** Sends, lets the pipeline work, and reads the verdict. */
export async function sendAndJudge(
  service: TestService,
  actor: Actor,
  session: OpenedSession,
  xml: string | Buffer,
  change: Partial<SendBody> = {},
) {
  const reference = await send(actor, session, xml, change);
  await service.drain();
  return invoiceStatus(actor, session, reference);
}

export function sessionStatus(actor: Actor, session: OpenedSession) {
  return actor.transport.call(sessions.readSession, {
    token: actor.token,
    params: { referenceNumber: session.reference },
  });
}

export function closeSession(actor: Actor, session: OpenedSession) {
  return actor.transport.call(sessions.closeOnlineSession, {
    token: actor.token,
    params: { referenceNumber: session.reference },
  });
}

/** The error of a call that must be refused; a call that is not refused fails the test. */
export async function refusal(work: Promise<unknown>): Promise<ApiError> {
  const outcome = await work.then(
    () => new Error('the call was not refused'),
    (error: unknown) => error,
  );
  if (outcome instanceof ApiError) return outcome;
  throw outcome;
}

/** Day of the service's clock (noon in Warsaw by default, so UTC will do), moved by so many days. */
export function dayOf(service: TestService, offset = 0): string {
  return new Date(service.clock.now() + offset * 86_400_000).toISOString().slice(0, 10);
}

/** Makes valid invoices of one seller, each with a number nobody used yet. */
export function invoicesOf(
  service: TestService,
  sellerNip: string,
  series: string,
): (change?: SampleInvoice) => string {
  let counter = 0;
  return (change = {}) => {
    counter += 1;
    return sampleInvoice({
      seller: { nip: sellerNip, name: 'Sprzedawca' },
      buyer: { nip: '1234563218', name: 'Nabywca' },
      number: `${series}/${counter}`,
      issueDate: dayOf(service),
      ...change,
    });
  };
}
