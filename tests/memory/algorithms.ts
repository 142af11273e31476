import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { getStarkKey } from '@scure/starknet';
import { SigningKey } from 'ethers';
import { ALGORITHM_ROWS, type Algorithm, type KeyKind } from '../../src/domain/model/algorithm.ts';
import { hmacOf } from '../contracts/independent-verification.ts';
import { bs58 } from '../harness/base58.ts';
import { ed25519PublicKey } from '../process-memory/secrets.ts';

/** What the proof needs beyond `SIGNING_PROOFS`, from OpenSSL, ethers and @scure/starknet alone. */
interface AlgorithmKnowledge {
  /** As the service shows it. */
  readonly publicKey: (key: Buffer, algorithm: Algorithm) => string;
  /** Absent: any 32 bytes. */
  readonly newKey?: () => Buffer;
  /** OpenSSL's key object. */
  readonly keyObject: (key: Buffer) => KeyObject;
}

/** PKCS#8 before the 32-byte key (RFC 8410 §7; RFC 5958 around RFC 5915). */
const ED25519_START = Buffer.from('302e020100300506032b657004220420', 'hex');
const SECP256K1_START = Buffer.from('303e020100301006072a8648ce3d020106052b8104000a042730250201010420', 'hex');

const P256_START = Buffer.from('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420', 'hex');

const KNOWLEDGE: { readonly [Keys in KeyKind]: AlgorithmKnowledge } = {
  ed25519: {
    publicKey: (key) => bs58.encode(ed25519PublicKey(key)),
    keyObject: (key) => keyPairObject(ED25519_START, key),
  },
  secp256k1: {
    publicKey: (key, algorithm) =>
      algorithm === 'cosmos'
        ? Buffer.from(SigningKey.computePublicKey(key, true).slice(2), 'hex').toString('base64')
        : SigningKey.computePublicKey(key, false),
    keyObject: (key) => keyPairObject(SECP256K1_START, key),
  },
  secret: {
    publicKey: (key, algorithm) => {
      const code = hmacOf(algorithm, key, Buffer.from(`signing-service/hmac-key-id/v1/${algorithm}`));
      return `hmac:${createHash('sha256').update(code).digest('hex').slice(0, 16)}`;
    },
    keyObject: (key) => createSecretKey(key),
  },
  stark: {
    publicKey: (key) => `0x${getStarkKey(key).slice(2).padStart(64, '0')}`,
    keyObject: (key) => createSecretKey(key),
  },
  rsa: {
    publicKey: (key) => createPublicKey(rsaKeyObject(key)).export({ format: 'der', type: 'spki' }).toString('base64'),
    newKey: () =>
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'der', type: 'pkcs1' }),
    keyObject: rsaKeyObject,
  },
  p256: {
    publicKey: (key) => {
      const publicKey = createPublicKey(keyPairObject(P256_START, key));
      return publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    },
    keyObject: (key) => keyPairObject(P256_START, key),
  },
};

/** What is known of an algorithm. */
export function knowledgeOf(algorithm: Algorithm): AlgorithmKnowledge {
  return KNOWLEDGE[ALGORITHM_ROWS[algorithm].keys];
}

function rsaKeyObject(key: Buffer): KeyObject {
  return createPrivateKey({ key, format: 'der', type: 'pkcs1' });
}

function keyPairObject(start: Buffer, key: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([start, key]), format: 'der', type: 'pkcs8' });
}
