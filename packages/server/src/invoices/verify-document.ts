/**
 * Verification of one document: checks 2 to 11, 14 and 15 of the interface in their order, then the
 * metadata. Pure: bytes and settings in, verdict out, so it runs in a worker thread. One parse serves well-formedness, schema and
 * reading: what was verified is what is read.
 */
import { createHash } from 'node:crypto';
import { warsawDay } from '@kwit/contract/date-time';
import type { Environment } from '@kwit/contract/enumerations';
import type { SystemCode } from '@kwit/contract/invoice-forms';
import { ParseOption, XmlDocument, XmlParseError } from '../platform/xml/engine.ts';
import { type Declared, declaredProblems } from './check-rules/declared.ts';
import { discouragedCharacterProblems } from './check-rules/discouraged-characters.ts';
import { doctypeProblem } from './check-rules/doctype.ts';
import { byteOrderMarkProblem, prologProblem, utf8Problem } from './check-rules/encoding.ts';
import { asciiIdentifierProblems, checksumProblems } from './check-rules/identifiers.ts';
import { isInForce } from './check-rules/in-force.ts';
import { issueDateProblem } from './check-rules/issue-date.ts';
import { processingInstructionProblems } from './check-rules/processing-instructions.ts';
import { DEFAULT_SIZE_LIMITS, type SizeLimits, sizeProblem, sizeProblemAfterReading } from './check-rules/size.ts';
import { FORMS, type Form } from './forms.ts';
import type { InvoiceMetadata } from './read-metadata/metadata.ts';
import { readMetadata } from './read-metadata/read-metadata.ts';
import { schemaErrors } from './schema-errors.ts';
import { schemaOf } from './schemas.ts';
import { type InvoiceRefusal, refusal, shown, type Verdict } from './verdict.ts';

export interface VerifyInput {
  /** The plain document. */
  readonly bytes: Uint8Array;
  /** Form of the session: the document decides nothing by itself. */
  readonly form: SystemCode;
  readonly environment: Environment;
  /** Which rules are in force is a question of this moment. */
  readonly now: number;
  /** Interactive: receipt of the send request; batch: opening of the session. */
  readonly invoicingDate: number;
  /** Size and hash that the sender declared; batch files have none. */
  readonly declared?: Declared;
  readonly limits?: SizeLimits;
  readonly schemaFolder?: string;
}

/** Wire text of a document that is not well-formed; what the parser found follows it. */
const NOT_XML = 'Nieprawidłowy XML';

/** No network, no external entity, no catalogue; the engine's own bounds stay on. BIG_LINES: true lines beyond 65,535. */
const PARSE_OPTIONS =
  ParseOption.XML_PARSE_NONET |
  ParseOption.XML_PARSE_NO_XXE |
  ParseOption.XML_PARSE_NO_SYS_CATALOG |
  ParseOption.XML_PARSE_BIG_LINES;

type Content =
  | { refusal: InvoiceRefusal; invoiceNumber?: string }
  | { metadata: InvoiceMetadata; later?: InvoiceRefusal };

/** Runs in a worker thread. Never throws for what a document contains; only for a damaged installation. */
export function verifyDocument(input: VerifyInput): Verdict {
  const bytes = Buffer.from(input.bytes.buffer, input.bytes.byteOffset, input.bytes.byteLength);
  const hash = createHash('sha256').update(bytes).digest('base64');
  const warnings: string[] = [];
  const content = verifyContent(bytes, hash, input, warnings);
  const common = { hash, size: bytes.length, warnings };
  return 'metadata' in content ? { ok: true, ...content, ...common } : { ok: false, ...content, ...common };
}

function verifyContent(bytes: Buffer, hash: string, input: VerifyInput, warnings: string[]): Content {
  const limits = input.limits ?? DEFAULT_SIZE_LIMITS;
  const fileRefusal = verifyFile(bytes, hash, input.declared, limits) ?? verifyText(bytes);
  if (fileRefusal) return { refusal: fileRefusal };
  const form = FORMS[input.form];
  const parsed = parse(bytes);
  if (!(parsed instanceof XmlDocument)) return { refusal: parsed };
  try {
    const strict = strictXmlRefusal(bytes, input, warnings);
    return strict ? { refusal: strict } : verifyTree(parsed, form, bytes.length, input, limits);
  } finally {
    parsed.dispose();
  }
}

/** Checks 2 to 4: the file as bytes. */
function verifyFile(
  bytes: Buffer,
  hash: string,
  declared: Declared | undefined,
  limits: SizeLimits,
): InvoiceRefusal | undefined {
  const undeclared = declared ? declaredProblems(bytes.length, hash, declared) : [];
  if (undeclared.length > 0) return refusal(430, undeclared);
  const problem = sizeProblem(bytes, limits) ?? byteOrderMarkProblem(bytes);
  return problem === undefined ? undefined : refusal(430, [problem]);
}

/** Checks 5, 6 and 8, which need no parser. */
function verifyText(bytes: Buffer): InvoiceRefusal | undefined {
  const broken = utf8Problem(bytes);
  if (broken !== undefined) return refusal(450, [broken]);
  const prolog = prologProblem(bytes);
  if (prolog) return refusal(450, prolog.malformed ? [NOT_XML, prolog.text] : [prolog.text]);
  // The parser would take NUL for UTF-16 and guess an encoding.
  if (bytes.includes(0)) return refusal(450, [NOT_XML, 'The file contains a NUL byte.']);
  const doctype = doctypeProblem(bytes);
  return doctype === undefined ? undefined : refusal(450, [doctype]);
}

/** Check 7. */
function parse(bytes: Buffer): XmlDocument | InvoiceRefusal {
  let document: XmlDocument;
  try {
    document = XmlDocument.fromBuffer(bytes, { option: PARSE_OPTIONS, encoding: 'utf-8' });
  } catch (error) {
    if (!(error instanceof XmlParseError)) throw error;
    const found = error.details.map((d) => `line ${d.line}, column ${d.col}: ${shown(d.message.trim(), 300)}`);
    return refusal(450, [NOT_XML, ...found]);
  }
  if (document.dtd === null) return document;
  document.dispose();
  return refusal(450, ['A document type declaration (DOCTYPE) is not allowed.']);
}

/** Checks 9 and 10; where they are not yet in force a breach is a warning. */
function strictXmlRefusal(bytes: Buffer, input: VerifyInput, warnings: string[]): InvoiceRefusal | undefined {
  const inForce = isInForce('strictXml', input.environment, warsawDay(input.now));
  for (const rule of [processingInstructionProblems, discouragedCharacterProblems]) {
    const problems = rule(bytes);
    if (problems.length === 0) continue;
    if (inForce) return refusal(450, problems);
    warnings.push(...refusal(450, problems).details);
  }
  return undefined;
}

/** Checks 11, 14 and 15, and the size again now that attachments are known. */
function verifyTree(document: XmlDocument, form: Form, size: number, input: VerifyInput, limits: SizeLimits): Content {
  const { root } = document;
  if (root.name !== form.root || root.namespaceUri !== form.namespace) {
    const found = `{${shown(root.namespaceUri)}}${shown(root.name)}`;
    return {
      refusal: refusal(450, [
        `The root element is ${found}; a session of ${form.systemCode} takes {${form.namespace}}${form.root}.`,
      ]),
    };
  }
  const errors = schemaErrors(schemaOf(form, input.schemaFolder), document, form);
  if (errors.length > 0) return { refusal: refusal(450, errors) };
  const reading = readMetadata(root, form);
  if ('problems' in reading) {
    const number = reading.invoiceNumber;
    return { refusal: refusal(450, reading.problems), ...(number === undefined ? {} : { invoiceNumber: number }) };
  }
  const { metadata } = reading;
  const { invoiceNumber } = metadata;
  const digits = asciiIdentifierProblems(metadata);
  if (digits.length > 0) return { refusal: refusal(450, digits), invoiceNumber };
  const tooLarge = sizeProblemAfterReading(size, metadata.hasAttachment, limits);
  if (tooLarge !== undefined) return { refusal: refusal(430, [tooLarge]), invoiceNumber };
  const later = laterRefusal(metadata, input);
  return later ? { metadata, later } : { metadata };
}

function laterRefusal(metadata: InvoiceMetadata, input: VerifyInput): InvoiceRefusal | undefined {
  const future = issueDateProblem(metadata.issueDate, input.invoicingDate);
  if (future !== undefined) return refusal(450, [future]);
  if (!isInForce('checksums', input.environment, warsawDay(input.now))) return undefined;
  const wrong = checksumProblems(metadata);
  return wrong.length > 0 ? refusal(450, wrong) : undefined;
}
