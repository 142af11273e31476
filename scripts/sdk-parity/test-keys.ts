import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { SecretDecoding } from '../../src/domain/model/account.ts';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import { SDK_KEYS } from './sdk-record.ts';

/** The test key for an algorithm, decoded as in a key file. */
export function toKey(algorithm: Algorithm, secretDecoding: SecretDecoding | undefined): Buffer {
  if (algorithm === 'ed25519') return Buffer.from(SDK_KEYS.seed, 'hex');
  if (algorithm === 'rsa-sha256') return createPrivateKey(SDK_KEYS.rsaPem).export({ format: 'der', type: 'pkcs1' });
  if (!algorithm.startsWith('hmac-')) return Buffer.from(SDK_KEYS.ethereumKey, 'hex');
  if (secretDecoding === 'base64-text') return Buffer.from(Buffer.from(SDK_KEYS.secret).toString('base64'));
  const isBase64 = secretDecoding === 'base64' || secretDecoding === 'base64url';
  return isBase64 ? Buffer.from(SDK_KEYS.base64Secret, secretDecoding) : Buffer.from(SDK_KEYS.secret);
}

/** The test key of signatures that are verified by Node. */
export function toPrivateKey(algorithm: 'es256' | 'ed25519'): KeyObject {
  return createPrivateKey(algorithm === 'es256' ? SDK_KEYS.p256Pem : SDK_KEYS.ed25519Pem);
}
