import { buffer } from 'node:stream/consumers';
import { crc32, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { fromBuffer } from 'yauzl';

export type Files = readonly (readonly [name: string, content: string | Buffer])[];

/** A ZIP with deflated entries, written by hand so that it can also be written wrong. */
export function zipOf(files: Files, change: { method?: number; flags?: number } = {}): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of files) {
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain);
    const label = Buffer.from(name);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    // Names are UTF-8.
    fields.writeUInt16LE(0x0800 | (change.flags ?? 0), 2);
    fields.writeUInt16LE(change.method ?? 8, 4);
    fields.writeUInt16LE(0x21, 8);
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(plain.length, 18);
    fields.writeUInt16LE(label.length, 22);
    bodies.push(Buffer.from('PK\x03\x04', 'latin1'), fields, label, packed);
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, entry, label);
    offset += 4 + fields.length + label.length + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, list, end]);
}

export async function tarGzOf(files: Files, links: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of files) tar.entry({ name }, Buffer.from(content));
  for (const [name, linkname] of Object.entries(links)) tar.entry({ name, type: 'symlink', linkname });
  tar.finalize();
  return gzipSync(await buffer(tar));
}

export function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    fromBuffer(archive, { lazyEntries: true }, (opening, zip) => {
      if (opening) return reject(opening);
      const files = new Map<string, Buffer>();
      zip.on('error', reject);
      zip.on('end', () => resolve(files));
      zip.on('entry', (entry) =>
        zip.openReadStream(entry, async (error, stream) => {
          if (error) return reject(error);
          files.set(entry.fileName, await buffer(stream));
          zip.readEntry();
        }),
      );
      zip.readEntry();
    });
  });
}

export async function untarGz(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>();
  const tar = extract();
  tar.end(gunzipSync(archive));
  for await (const entry of tar) {
    files.set(entry.header.name, await buffer(entry));
  }
  return files;
}
