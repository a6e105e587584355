import type { enrollCertificate } from '@kwit/contract/certificate-endpoints';
import { formatTimestamp, millisecondsOf, parseDateTime } from '@kwit/contract/date-time';
import type { Input, Output } from '@kwit/contract/endpoint';
import { CERTIFICATE_YEARS, LIFETIMES } from '@kwit/contract/limits';
import { detail, Refusal, refuse } from '@kwit/contract/refusal';
import type { Caller } from '../platform/caller.ts';
import { yearsLater } from '../platform/x509/make-certificate.ts';
import { checkRequest, decodeRequest } from './check-request.ts';
import { subjectDifferences } from './compare-subject.ts';
import type { CertificatesDeps } from './deps.ts';
import { insertEnrollment } from './enrollment-store.ts';
import { ENROLLMENT_QUEUE } from './process-enrollment.ts';
import { enrollingLogin } from './read-enrollment-data.ts';
import { remainingOf } from './read-limits.ts';
import { lockOwner } from './store.ts';
import { nameOf, subjectDataOf, toleratedOf } from './subject-data.ts';

type Body = Input<typeof enrollCertificate, 'body'>;

/** Takes a request for a certificate, after every check that needs no waiting, in the order of the interface. */
export async function enroll(
  deps: CertificatesDeps,
  caller: Caller,
  body: Body,
  baseUrl: string,
): Promise<Output<typeof enrollCertificate>> {
  const login = await enrollingLogin(deps, caller, 25002);
  const { csr, validFrom } = readInput(body, deps.clock.now());
  const request = checkRequest(csr);
  const subject = subjectDataOf(login);
  const differences = subjectDifferences(request.subject, nameOf(subject), toleratedOf(login));
  if (differences.length > 0) throw refuse(25003, ...differences);

  const reference = deps.references.next('EH');
  const requestedAt = deps.clock.now();
  // Before the transaction: inside it a second connection might never come.
  const limits = await deps.limitsOf(caller.subject);
  await deps.database.transaction(async (tx) => {
    await lockOwner(tx, caller.subject);
    const { enrollment, certificate } = await remainingOf(tx, caller.subject, limits, requestedAt);
    if (enrollment.remaining === 0)
      throw refuse(25006, detail('Limit: {limit} wniosków w ciągu 30 dni.', { limit: enrollment.limit }));
    // No details: a published client compares code and text as a whole.
    if (certificate.remaining === 0) throw refuse(25007);
    await insertEnrollment(tx, {
      reference,
      owner: caller.subject,
      requestedAt,
      type: body.certificateType,
      name: body.certificateName,
      csr,
      subject,
      validFrom,
      serviceAddress: addressText(baseUrl),
    });
    await deps.jobs.add(tx, [{ queue: ENROLLMENT_QUEUE, payload: { reference } }]);
  });
  return { referenceNumber: reference, timestamp: formatTimestamp(requestedAt) };
}

/** In the letters that a certificate can hold. */
function addressText(baseUrl: string): string {
  return (URL.canParse(baseUrl) ? new URL(baseUrl).href : encodeURI(baseUrl)).replace(/\/+$/, '');
}

/** What the schema cannot say: Base64 with line breaks, and a start of validity that leaves a certificate some use. */
function readInput(body: Body, now: number): { csr: Buffer; validFrom: number | undefined } {
  const failures: string[] = [];
  const csr = decodeRequest(body.csr);
  if (!csr) failures.push("'csr' is not in the correct format.");
  let validFrom: number | undefined;
  if (body.validFrom !== undefined) {
    validFrom = Math.floor(millisecondsOf(parseDateTime(body.validFrom) ?? 0n) / 1000) * 1000;
    const latest = now + LIFETIMES.certificateStartAhead;
    if (yearsLater(validFrom, CERTIFICATE_YEARS) <= now || validFrom > latest)
      failures.push(
        `'validFrom' must be between ${formatTimestamp(yearsLater(now, -CERTIFICATE_YEARS))} and ${formatTimestamp(latest)}. You entered ${body.validFrom}.`,
      );
  }
  if (!csr || failures.length > 0)
    throw new Refusal([{ code: 21405, details: failures.map((text) => detail('{0}', { 0: text })) }]);
  return { csr, validFrom };
}
