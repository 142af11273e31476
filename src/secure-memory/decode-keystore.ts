import { createCipheriv, pbkdf2Sync } from 'node:crypto';
import { keccak256 } from 'ethers/crypto';
import sodium from 'sodium-native';
import { type KeystoreDocument, type KeystoreKdf, readKeystoreDocument } from './keystore-document.ts';
import { MalformedSecretError } from './malformed-secret-error.ts';
import { scrypt } from './scrypt.ts';

const KEY_BYTES = 32;
const CIPHER_KEY_BYTES = 16;
const DERIVED_KEY_BYTES = 32;
const ZERO_BYTE = Buffer.alloc(1);
const CIPHERTEXT_FIELD = Buffer.from('"ciphertext"');

/**
 * Opens an Ethereum keystore (Web3 Secret Storage Definition, version 3). The private key exists in `output` alone; what could give it away is
 * wiped. It takes as long as the keystore's author chose, usually about a second.
 *
 * @param json the keystore's UTF-8 text
 * @param password the password's bytes as they stand, without a line break
 * @returns number of bytes written to `output`: 32
 * @throws MalformedSecretError when it is not such a keystore, or the password does not open it
 */
export function decodeKeystore(json: Buffer, password: Buffer, output: Buffer): number {
  // JSON with a private key in clear must not become a string; only what can be a keystore does.
  if (!json.includes(CIPHERTEXT_FIELD)) {
    throw new MalformedSecretError('it has no "ciphertext" field; only version 3 Ethereum keystores are read');
  }
  const document = readKeystoreDocument(json.toString('utf8'));
  if (output.length < KEY_BYTES) throw new MalformedSecretError(`it holds more than ${output.length} bytes`);
  const derivedKey = deriveKey(document.kdf, password);
  try {
    if (!isAuthentic(document, derivedKey)) {
      throw new MalformedSecretError('its password is wrong, or the keystore is damaged: its "mac" does not match');
    }
    return decrypt(document, derivedKey.subarray(0, CIPHER_KEY_BYTES), output);
  } finally {
    sodium.sodium_memzero(derivedKey);
  }
}

function deriveKey(kdf: KeystoreKdf, password: Buffer): Buffer {
  if (kdf.name === 'scrypt') return scrypt(password, kdf.salt, kdf.cost, DERIVED_KEY_BYTES);
  return pbkdf2Sync(password, kdf.salt, kdf.iterations, DERIVED_KEY_BYTES, 'sha256');
}

function isAuthentic({ ciphertext, mac }: KeystoreDocument, derivedKey: Buffer): boolean {
  const body = Buffer.concat([derivedKey.subarray(CIPHER_KEY_BYTES), ciphertext]);
  try {
    const expected = Buffer.from(keccak256(body).slice('0x'.length), 'hex');
    return sodium.sodium_memcmp(expected, mac);
  } finally {
    sodium.sodium_memzero(body);
  }
}

/**
 * The cipher encrypts zeros, so that it gives out the key stream and never sees the private key: one byte at a time, because Node frees a first copy of what it
 * gives out without wiping it, and half a key stream beside the ciphertext is half a key.
 */
function decrypt({ iv, ciphertext }: KeystoreDocument, cipherKey: Buffer, output: Buffer): number {
  const cipher = createCipheriv('aes-128-ctr', cipherKey, iv);
  for (let index = 0; index < KEY_BYTES; index += 1) {
    output[index] = ciphertext.readUInt8(index) ^ cipher.update(ZERO_BYTE).readUInt8();
  }
  // Frees the cipher's own state, which OpenSSL wipes.
  cipher.final();
  return KEY_BYTES;
}
