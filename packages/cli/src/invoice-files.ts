import { INVOICE_FORMS, SYSTEM_CODES, type SystemCode } from '@kwit/contract/invoice-forms';
import { readInput } from './login-options.ts';
import { Misuse } from './run-command.ts';

export interface InvoiceFile {
  path: string;
  bytes: Buffer;
  form: SystemCode;
}

const DEFAULT_FORM: SystemCode = 'FA (3)';
/** The root's namespace stands near the beginning of any document. */
const HEAD_BYTES = 8_192;

/** `--form`: spaces and case do not matter, so that `fa3` and `FA(3)` will do. */
export function readForm(text: string | undefined): SystemCode | undefined {
  if (text === undefined) return undefined;
  const plain = (code: string) => code.replace(/[\s()]/g, '').toLowerCase();
  const form = SYSTEM_CODES.find((code) => plain(code) === plain(text));
  if (form === undefined) throw new Misuse(`--form: '${text}' is not one of ${SYSTEM_CODES.join(', ')}.`);
  return form;
}

/** Reads everything before anything is sent: a wrong path must not be noticed half way. */
export function readInvoiceFiles(paths: readonly string[], form: SystemCode | undefined): InvoiceFile[] {
  return paths.map((path) => {
    const bytes = readInput('file', path);
    return { path, bytes, form: form ?? guessForm(bytes) };
  });
}

export function guessForm(bytes: Buffer): SystemCode {
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1');
  return INVOICE_FORMS.find(({ namespace }) => head.includes(namespace))?.systemCode ?? DEFAULT_FORM;
}
