/** Where a byte stands, for messages: line and column from 1, the column in bytes. */
export function placeAt(bytes: Buffer, offset: number): string {
  let line = 1;
  let start = 0;
  for (let at = bytes.indexOf(10); at >= 0 && at < offset; at = bytes.indexOf(10, at + 1)) {
    line++;
    start = at + 1;
  }
  return `line ${line}, column ${offset - start + 1}`;
}
