/** Worker task: verifies documents; opens those that could not be opened when they were accepted. */
import type { Environment } from '@kwit/contract/enumerations';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import type { SizeLimits } from '../../invoices/check-rules/size.ts';
import type { InvoiceRefusal, Verdict } from '../../invoices/verdict.ts';
import { verifyDocument } from '../../invoices/verify-document.ts';
import { decryptContent } from './decrypt-content.ts';

/** What all contents of one message have in common. */
export interface JudgeInput {
  environment: Environment;
  now: number;
  schemaFolder: string;
  contents: readonly SentContent[];
}

export interface SentContent {
  bytes: Uint8Array;
  /** Absent: the bytes are the plain document. */
  encryption?: { key: Uint8Array; vector: Uint8Array | null };
  declared?: { size: number; hash: string };
  form: SystemCode;
  invoicingDate: number;
  limits: SizeLimits;
}

export type Judged =
  | { opened: false; refusal: InvoiceRefusal }
  /** The document is handed back only when it had to be opened: a plain one is where it came from. */
  | { opened: true; verdict: Verdict; document: Uint8Array | undefined };

const NOT_DECRYPTED: InvoiceRefusal = { code: 435, details: ['Plik niepoprawnie zaszyfrowany'] };

export function judgeContents(input: JudgeInput): Judged[] {
  return input.contents.map((content) => judge(content, input));
}

function judge(content: SentContent, { environment, now, schemaFolder }: JudgeInput): Judged {
  const { bytes, encryption, declared, form, invoicingDate, limits } = content;
  const document = encryption ? decryptContent(bytes, encryption.key, encryption.vector) : bytes;
  if (!document) return { opened: false, refusal: NOT_DECRYPTED };
  const verdict = verifyDocument({
    bytes: document,
    form,
    environment,
    now,
    invoicingDate,
    limits,
    schemaFolder,
    ...(declared ? { declared } : {}),
  });
  return { opened: true, verdict, document: encryption ? document : undefined };
}
