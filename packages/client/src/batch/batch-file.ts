/** An invoice of a package. It is read when its turn comes, and again for nothing. */
export interface BatchFile {
  /** Name in the package, with `/` between folders; verdicts name it. */
  name: string;
  /** Bytes, if they are known before reading: only for choosing the size of parts. */
  size?: number;
  read(): Promise<Uint8Array> | Uint8Array;
}

/** Refused by the service with the whole package; better said before packing. */
export function checkFileName(name: string): void {
  const bad =
    name === '' ||
    /^[/\\]|^[A-Za-z]:|\p{Cc}/u.test(name) ||
    name.split(/[/\\]/).includes('..') ||
    name.endsWith('/') ||
    Buffer.byteLength(name) > 4_096;
  if (bad) throw new TypeError(`no name for a file in a package: ${JSON.stringify(name.slice(0, 200))}`);
}
