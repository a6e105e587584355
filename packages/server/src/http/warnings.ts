/** `X-System-Warning`: `[code]: message`, several joined with ` | `, plain ASCII. */
export function formatWarning(code: string, message: string): string {
  return `[${code}]: ${message}`;
}

const LETTERS = new Map([
  ['ł', 'l'],
  ['Ł', 'L'],
  ['ß', 'ss'],
  ['–', '-'],
  ['—', '-'],
  ['„', '"'],
  ['”', '"'],
  ['“', '"'],
  ['’', "'"],
]);

/** Polish letters lose their marks; what is left outside printable ASCII, line breaks among it, disappears. */
export function foldToAscii(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[^\x20-\x7e]/gu, (c) => LETTERS.get(c) ?? '')
    .trim();
}

export function joinWarnings(warnings: readonly string[]): string {
  return warnings
    .map(foldToAscii)
    .filter((w) => w !== '')
    .join(' | ');
}
