import { ApiError } from '@kwit/client';
import { getCertificateLimits } from '@kwit/contract/certificate-endpoints';
import { ACCESS_HELP, ACCESS_OPTIONS, withLogin } from './access.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, SERVICE_HELP } from './login-options.ts';
import { OK, readArguments, runCommand } from './run-command.ts';
import { table } from './table.ts';

const HELP = `Usage: kwit limits [options]

Shows which limits apply: invoices in sessions, certificates (with what is left of them), and requests.

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

  --json                   as JSON

Exit code 0: done, 1: refused, 2: wrong command line.`;

/** `kwit limits`: what applies to the login, and what is left. */
export function limitsCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'limits', help: HELP, args }, () => {
    const { values } = readArguments(args, { ...ACCESS_OPTIONS, json: { type: 'boolean' } });
    return withLogin(values, io, async (login) => {
      const [context, subject, requests] = await Promise.all([
        login.limits.context(),
        login.limits.subject(),
        login.limits.requests(),
      ]);
      // A login by system token may not ask what is left of its author's certificates.
      const left = await login.call(getCertificateLimits, {}).catch((error) => {
        if (error instanceof ApiError && error.status === 403) return undefined;
        throw error;
      });
      if (values.json) {
        io.out(JSON.stringify({ context, subject, certificates: left, requests }, undefined, 2));
        return OK;
      }
      const sessions = [
        ['interactive', context.onlineSession],
        ['batch', context.batchSession],
      ] as const;
      const certificates = [
        ['enrollments', subject.enrollment?.maxEnrollments, left?.enrollment.remaining],
        ['certificates', subject.certificate?.maxCertificates, left?.certificate.remaining],
      ] as const;
      const show = (value: number | undefined) => (value === undefined ? '-' : String(value));
      io.out(
        [
          ...table(
            ['SESSIONS', 'INVOICES', 'MB EACH', 'MB WITH ATTACHMENT'],
            sessions.map(([name, l]) => [
              name,
              show(l.maxInvoices),
              show(l.maxInvoiceSizeInMB),
              show(l.maxInvoiceWithAttachmentSizeInMB),
            ]),
          ),
          '',
          ...table(
            ['CERTIFICATES', 'LIMIT', 'LEFT'],
            certificates.map(([name, limit, rest]) => [name, show(limit), show(rest)]),
          ),
          '',
          ...table(
            ['REQUESTS', 'PER SECOND', 'PER MINUTE', 'PER HOUR'],
            Object.entries(requests).map(([group, r]) => [
              group,
              show(r.perSecond),
              show(r.perMinute),
              show(r.perHour),
            ]),
          ),
        ].join('\n'),
      );
      return OK;
    });
  });
}
