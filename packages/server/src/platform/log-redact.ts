// What must never reach a log, whoever logs it: the finished line is looked at, so no caller, serializer or child logger gets around it.

const HIDDEN = '[redacted]';

/** Cheap question first: most lines hold nothing of the kind and are written as they are. */
const SUSPICIOUS =
  /passw|pwd|secret|token|authori[sz]|cookie|key|pesel|sig|eyJ|-----BEGIN|:\/\/[^"\s]*@|(?<!\d)\d{11}(?!\d)|bearer|basic |"type":"Buffer"|\|[0-9a-f]{32}/i;
/** Longer lines are shortened value by value: a log is no place for documents. */
const LONG_LINE = 16_000;
const LONG_TEXT = 4_000;

/** Names (without case, `-` and `_`) whose values are secrets. */
const SECRET_NAME =
  /passw(?:or)?d|passphrase|^pwd$|secret|authori[sz]ation$|cookie|privatekey|masterkey|accesskey|apikey|symmetrickey|encryptionkey|wrappedkey|tokens?$|signature$|^sig$|^jwt$/;
/** Names under which an identifier of a person may stand. */
const PERSON_NAME = /pesel|identifier|^value$|subject|author|person/;

export function redactLine(line: string): string {
  if (line.length < LONG_LINE && !SUSPICIOUS.test(line)) return line;
  const end = line.endsWith('\n') ? '\n' : '';
  try {
    return JSON.stringify(redact(JSON.parse(line))) + end;
  } catch {
    // Not JSON: only possible when someone writes past the logger.
    return redactText(line);
  }
}

/** A copy of plain data with every secret replaced. */
export function redact(value: unknown, name = ''): unknown {
  const key = name.toLowerCase().replaceAll(/[-_]/g, '');
  if (SECRET_NAME.test(key) && value !== null && typeof value !== 'boolean' && !isCount(value)) return HIDDEN;
  if (typeof value === 'string') {
    if (PERSON_NAME.test(key) && /^\s*\d{11}\s*$/.test(value)) return HIDDEN;
    return redactText(
      value.length > LONG_TEXT ? `${value.slice(0, LONG_TEXT)}... (${value.length} characters)` : value,
    );
  }
  if (typeof value === 'number') return PERSON_NAME.test(key) && /^\d{11}$/.test(String(value)) ? HIDDEN : value;
  // The name holds for the elements of a list as well.
  if (Array.isArray(value)) return value.map((element) => redact(element, name));
  if (typeof value !== 'object' || value === null) return value;
  if ('type' in value && value.type === 'Buffer' && 'data' in value && Array.isArray(value.data)) {
    return `(${value.data.length} bytes)`;
  }
  return Object.fromEntries(Object.entries(value).map(([inner, content]) => [inner, redact(content, inner)]));
}

/** `tokens: 5` is a number worth seeing; a secret that is a number is long. */
function isCount(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) < 1_000_000;
}

/** Secrets recognised by their form, wherever they stand in a text. */
export function redactText(text: string): string {
  return text
    .replaceAll(/-----BEGIN ([A-Z ]*)PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, HIDDEN)
    .replaceAll(/\beyJ[\w-]{8,}(?:\.[\w-]*){1,4}/g, HIDDEN)
    .replaceAll(/\b(bearer|basic)\s+[\w.~+/=|-]{8,}/gi, `$1 ${HIDDEN}`)
    .replaceAll(/(:\/\/[^\s:@/]*):[^\s]*@/g, `$1:${HIDDEN}@`)
    .replaceAll(/\b([\w-]*(?:password|passwd|pwd|secret|token|signature|sig))=[^\s&;,"']+/gi, `$1=${HIDDEN}`)
    .replaceAll(/(\|[^|\s]{1,80}\|)[0-9A-Fa-f]{32,}/g, `$1${HIDDEN}`)
    .replaceAll(/(?<!\d)\d{11}(?!\d)/g, (digits) => (isPesel(digits) ? HIDDEN : digits));
}

const WEIGHTS = [1, 3, 7, 9, 1, 3, 7, 9, 1, 3];

function isPesel(digits: string): boolean {
  const month = Number(digits.slice(2, 4)) % 20;
  const day = Number(digits.slice(4, 6));
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * Number(digits[index]), 0);
  return (10 - (sum % 10)) % 10 === Number(digits[10]);
}
