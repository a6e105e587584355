import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ACCESS_HELP, ACCESS_OPTIONS, withLogin } from './access.ts';
import { FILTER_HELP, FILTER_OPTIONS, readFilters } from './invoice-filters.ts';
import type { Io } from './io.ts';
import { LOGIN_HELP, SERVICE_HELP } from './login-options.ts';
import { createProgress } from './progress.ts';
import { Misuse, OK, readArguments, runCommand } from './run-command.ts';

const HELP = `Usage: kwit export <folder> (--nip <nip> | --token <token> | --access-token <token> | ...) [options]

Exports invoices of the context into a folder: <number>.xml for each, and _metadata.json. The package is encrypted on its way;
every part and every document is checked by its hash. At most 10,000 invoices come at once: the last line says how to go on.

  --only-metadata          no documents
  --tar-gz                 packed as tar.gz on its way
  --json                   the result as JSON

${FILTER_HELP}

${LOGIN_HELP}
${ACCESS_HELP}

${SERVICE_HELP}

Exit code 0: done, 1: refused or failed, 2: wrong command line.`;

/** `kwit export FOLDER` */
export function exportCommand(args: readonly string[], io: Io): Promise<number> {
  return runCommand(io, { name: 'export', help: HELP, args }, async () => {
    const { values, positionals } = readArguments(args, {
      ...ACCESS_OPTIONS,
      ...FILTER_OPTIONS,
      'only-metadata': { type: 'boolean' },
      'tar-gz': { type: 'boolean' },
      json: { type: 'boolean' },
    });
    const [folder, ...more] = positionals;
    if (folder === undefined || more.length > 0) throw new Misuse("'export' needs one folder.");
    const filters = readFilters(values, io.environment.now());
    const options = {
      onlyMetadata: values['only-metadata'] ?? false,
      compression: values['tar-gz'] ? ('TarGz' as const) : ('Zip' as const),
    };
    return withLogin(values, io, async ({ invoices }) => {
      mkdirSync(folder, { recursive: true });
      const progress = createProgress(io.progress);
      const written: string[] = [];
      try {
        const started = await invoices.startExport(filters, options);
        const ready = await invoices.waitForExport(started.referenceNumber);
        const records = await invoices.openPackage(started, ready, {
          onBytes: (done, of) => progress.show('downloaded', done, of),
          async onDocument(number, content) {
            const path = join(folder, `${number}.xml`);
            await writeFile(path, content);
            written.push(path);
          },
        });
        writeFileSync(join(folder, '_metadata.json'), `${JSON.stringify({ invoices: records }, undefined, 2)}\n`);
        const { parts: _, ...summary } = ready;
        const goOn = ready.lastPermanentStorageDate ?? ready.lastInvoicingDate ?? ready.lastIssueDate;
        progress.end();
        if (values.json) io.out(JSON.stringify({ referenceNumber: started.referenceNumber, ...summary }, undefined, 2));
        else
          io.out(`${records.length} invoices in ${folder}${goOn ? `; there are more, go on with --from ${goOn}` : ''}`);
        return OK;
      } catch (error) {
        // What could not be verified as a whole is not left lying about.
        for (const path of written) rmSync(path, { force: true });
        throw error;
      } finally {
        progress.end();
      }
    });
  });
}
