import { createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Blobs } from '../platform/blobs/blobs.ts';
import { writeParts } from './write-parts.ts';

function memory(): { kept: Map<string, Buffer>; blobs: Pick<Blobs, 'put'> } {
  const kept = new Map<string, Buffer>();
  const put = async (key: string, content: Readable | Buffer) => {
    const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
    kept.set(key, bytes);
    return { size: bytes.length, sha256: createHash('sha256').update(bytes).digest() };
  };
  return { kept, blobs: { put } };
}

const key = randomBytes(32);
const vector = randomBytes(16);
const settings = { key, vector, blobName: String, progress: () => undefined };

test('whatever comes in whatever pieces is cut at the same places, and comes out again', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.integer({ min: 1, max: 100 }), async (chunks, maxPartBytes) => {
      const { kept, blobs } = memory();
      const whole = Buffer.concat(chunks);
      const source = Readable.from(chunks.map((c) => Buffer.from(c)));
      const parts = await writeParts(source, { ...settings, blobs: blobs as Blobs, maxPartBytes });
      expect(parts.map((p) => p.size)).toEqual(
        Array.from({ length: Math.ceil(whole.length / maxPartBytes) }, (_, i) =>
          Math.min(maxPartBytes, whole.length - i * maxPartBytes),
        ),
      );
      const plain = parts.map((part) => {
        const decipher = createDecipheriv('aes-256-cbc', key, vector);
        const encrypted = kept.get(part.blob) as Buffer;
        expect(part.encryptedSize).toBe(encrypted.length);
        expect(part.encryptedSize).toBe((Math.floor(part.size / 16) + 1) * 16);
        const bytes = Buffer.concat([decipher.update(encrypted), decipher.final()]);
        expect(part.hash.equals(createHash('sha256').update(bytes).digest())).toBe(true);
        return bytes;
      });
      expect(Buffer.concat(plain).equals(whole)).toBe(true);
    }),
  );
});

test('a store that fails ends the archive, at the first chunk, in the middle, or at the end', async () => {
  for (const after of [0, 1, Number.POSITIVE_INFINITY]) {
    const archive = Readable.from(Array.from({ length: 50 }, () => randomBytes(64 * 1024)));
    const put: Blobs['put'] = async (_, content) => {
      let seen = 0;
      for await (const _chunk of content as Readable) {
        seen += 1;
        if (seen > after) throw new Error('the disk is full');
      }
      throw new Error('the disk is full');
    };
    const writing = writeParts(archive, { ...settings, blobs: { put } as Blobs, maxPartBytes: 300_000 });
    await expect(writing).rejects.toThrow('the disk is full');
    expect(archive.destroyed).toBe(true);
  }
});

test('an archive that fails fails the writing, and so does who asks to stop', async () => {
  async function* broken() {
    yield randomBytes(1_000);
    throw new Error('the register lost a document');
  }
  const { blobs } = memory();
  const options = { ...settings, blobs: blobs as Blobs, maxPartBytes: 300 };
  await expect(writeParts(Readable.from(broken()), options)).rejects.toThrow('the register lost a document');
  const stop = () => {
    throw new Error('stopped');
  };
  const archive = Readable.from([randomBytes(10)]);
  await expect(writeParts(archive, { ...options, progress: stop })).rejects.toThrow('stopped');
});
