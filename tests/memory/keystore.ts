import { createCipheriv, pbkdf2Sync, randomBytes, randomUUID } from 'node:crypto';
import { scrypt } from '@noble/hashes/scrypt.js';
import { keccak256 } from 'ethers';

/** A keystore's key derivation. */
export type Kdf =
  | { readonly name: 'scrypt'; readonly n: number; readonly r: number; readonly p: number }
  | { readonly name: 'pbkdf2'; readonly iterations: number };

/** An Ethereum keystore and its secrets. */
export interface Keystore {
  readonly json: string;
  readonly password: string;
  /** 16 bytes for the cipher and 16 for the MAC. */
  readonly derivedKey: Buffer;
  /** XORed with the private key. */
  readonly keyStream: Buffer;
}

const DERIVED_KEY_BYTES = 32;
const CIPHER_KEY_BYTES = 16;

/** Creates a version 3 keystore (Web3 Secret Storage Definition) with a random password. */
export function makeKeystore(privateKey: Buffer, kdf: Kdf): Keystore {
  const password = randomBytes(24).toString('base64');
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const derivedKey = derive(password, salt, kdf);
  const cipherKey = derivedKey.subarray(0, CIPHER_KEY_BYTES);
  const ciphertext = createCipheriv('aes-128-ctr', cipherKey, iv).update(privateKey);
  const mac = keccak256(Buffer.concat([derivedKey.subarray(CIPHER_KEY_BYTES), ciphertext])).slice('0x'.length);
  const keyStream = createCipheriv('aes-128-ctr', cipherKey, iv).update(Buffer.alloc(privateKey.length));
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: kdf.name,
    kdfparams: { dklen: DERIVED_KEY_BYTES, salt: salt.toString('hex'), ...listParameters(kdf) },
    mac,
  };
  return { json: JSON.stringify({ version: 3, id: randomUUID(), crypto }), password, derivedKey, keyStream };
}

function derive(password: string, salt: Buffer, kdf: Kdf): Buffer {
  if (kdf.name === 'pbkdf2') return pbkdf2Sync(password, salt, kdf.iterations, DERIVED_KEY_BYTES, 'sha256');
  return Buffer.from(scrypt(password, salt, { N: kdf.n, r: kdf.r, p: kdf.p, dkLen: DERIVED_KEY_BYTES }));
}

function listParameters(kdf: Kdf): object {
  return kdf.name === 'scrypt' ? { n: kdf.n, r: kdf.r, p: kdf.p } : { c: kdf.iterations, prf: 'hmac-sha256' };
}
