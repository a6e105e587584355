import type { KeyObject } from 'node:crypto';
import { DerError, type DerNode, readWholeBits, sequenceOf } from '../../platform/x509/der.ts';
import { readSignatureAlgorithm, verifySignature } from '../../platform/x509/signature-algorithm.ts';

/** `SEQUENCE { content, AlgorithmIdentifier, BIT STRING, ... }`: the shape that revocation lists and OCSP answers share. */
export interface SignedData {
  content: DerNode;
  rest: readonly DerNode[];
  isSignedBy(key: KeyObject): boolean;
}

export function readSignedData(outer: DerNode, what: string): SignedData {
  const [content, algorithmNode, signatureNode, ...rest] = sequenceOf(outer, what);
  if (content === undefined || algorithmNode === undefined) throw new DerError(`${what} is not whole`);
  const algorithm = readSignatureAlgorithm(algorithmNode);
  // An authority that still signs with SHA-1 says nothing that can be relied on.
  if (algorithm === undefined || algorithm.weak) throw new DerError(`${what} is signed with an algorithm not accepted`);
  const signature = readWholeBits(signatureNode, 'the signature');
  return { content, rest, isSignedBy: (key) => verifySignature(algorithm, content.bytes, signature, key) };
}
