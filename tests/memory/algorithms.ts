import { createPrivateKey, createPublicKey, type KeyObject, verify } from 'node:crypto';
import bs58 from 'bs58';
import { computeAddress, SigningKey, verifyMessage } from 'ethers';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import { ed25519PublicKey } from '../process-memory/secrets.ts';

/** What the proof has to know of an algorithm, from OpenSSL and ethers alone. */
interface AlgorithmKnowledge {
  /** The public key's text, as the service shows it. */
  readonly publicKey: (key: Buffer) => string;
  /** Whether a signature in the algorithm's default encoding is this key's over a text. */
  readonly isSignature: (key: Buffer, text: string, signature: string) => boolean;
  /** The key in PKCS#8, with what OpenSSL adds to it. */
  readonly keyObject: (key: Buffer) => KeyObject;
}

/** PKCS#8 but for its last 32 bytes, the key (RFC 8410 §7; RFC 5958 around RFC 5915). */
const ED25519_START = Buffer.from('302e020100300506032b657004220420', 'hex');
const SECP256K1_START = Buffer.from('303e020100301006072a8648ce3d020106052b8104000a042730250201010420', 'hex');

export const ALGORITHM_KNOWLEDGE: { readonly [Name in Algorithm]: AlgorithmKnowledge } = {
  ed25519: {
    publicKey: (key) => bs58.encode(ed25519PublicKey(key)),
    isSignature: (key, text, signature) =>
      verify(null, Buffer.from(text), createPublicKey(keyObject(ED25519_START, key)), bs58.decode(signature)),
    keyObject: (key) => keyObject(ED25519_START, key),
  },
  eip191: {
    publicKey: (key) => SigningKey.computePublicKey(key, false),
    isSignature: (key, text, signature) => verifyMessage(text, signature) === computeAddress(new SigningKey(key)),
    keyObject: (key) => keyObject(SECP256K1_START, key),
  },
};

function keyObject(start: Buffer, key: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([start, key]), format: 'der', type: 'pkcs8' });
}
