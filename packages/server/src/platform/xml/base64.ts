/**
 * Base64 as XML Schema knows it: white space anywhere, otherwise exactly one spelling for a value. Node's own decoder skips what it
 * does not know, so that many texts would give the same bytes.
 */
export function readBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[ \t\r\n]+/g, '');
  const bytes = Buffer.from(compact, 'base64');
  return bytes.toString('base64') === compact ? bytes : undefined;
}
