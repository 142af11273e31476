import { createCipheriv, pbkdf2Sync } from 'node:crypto';
import { keccak256 } from 'ethers/crypto';
import sodium from 'sodium-native';
import { type ScryptCost, scrypt, scryptMemory } from './scrypt.ts';
import { MalformedSecretError } from './secret-text.ts';

const MAX_SCRYPT_N = 2 ** 20;
const MAX_SCRYPT_R = 32;
const MAX_SCRYPT_P = 16;
/** The table of 1 GiB and overhead. */
const MAX_SCRYPT_MEMORY = scryptMemory({ n: 2 ** 20, r: 8, p: MAX_SCRYPT_P });
const MAX_PBKDF2_ITERATIONS = 10_000_000;
const MIN_SALT_BYTES = 8;
const MAX_SALT_BYTES = 64;
const DERIVED_KEY_BYTES = 32;

/** Key derivation from the password. */
type KeystoreKdf =
  | { readonly name: 'scrypt'; readonly salt: Buffer; readonly cost: ScryptCost }
  | { readonly name: 'pbkdf2'; readonly salt: Buffer; readonly iterations: number };

/** A Web3 Secret Storage (version 3) document; not secret without the password. */
interface KeystoreDocument {
  readonly kdf: KeystoreKdf;
  /** Initial counter block of AES-128-CTR, 16 bytes. */
  readonly iv: Buffer;
  /** The encrypted private key, 32 bytes. */
  readonly ciphertext: Buffer;
  /** Keccak-256 of the derived key's second half and the ciphertext, 32 bytes. */
  readonly mac: Buffer;
}

interface JsonObject {
  readonly [name: string]: unknown;
}

/**
 * Validates a version 3 keystore: aes-128-ctr; scrypt with N a power of two up to 2^20, r up to 32,
 * p up to 16 and 1 GiB of memory, or pbkdf2 with hmac-sha256 and up to 10,000,000 iterations; hex
 * without `0x`. Unknown fields are ignored, as the standard requires.
 * @throws MalformedSecretError that names the field
 */
function readKeystoreDocument(json: string): KeystoreDocument {
  const document = parseObject(json);
  if (document['version'] !== 3) {
    throw new MalformedSecretError('its "version" is not 3; only Ethereum keystores of version 3 are supported');
  }
  const crypto = cryptoSection(document);
  const cipherParams = objectAt(crypto, 'cipherparams');
  constantAt(crypto, 'cipher', 'aes-128-ctr');
  return {
    kdf: readKdf(crypto),
    iv: hexAt(cipherParams, 'iv', 16, 16),
    ciphertext: hexAt(crypto, 'ciphertext', 32, 32),
    mac: hexAt(crypto, 'mac', 32, 32),
  };
}

function parseObject(json: string): JsonObject {
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch {
    // The parser's message quotes its input.
    throw new MalformedSecretError('it is not valid JSON; only Ethereum keystores of version 3 are supported');
  }
  if (!isObject(document)) throw new MalformedSecretError('its JSON is not an object');
  return document;
}

/** Geth writes `crypto`, ethers `Crypto`. */
function cryptoSection(document: JsonObject): JsonObject {
  const names = ['crypto', 'Crypto'].filter((name) => Object.hasOwn(document, name));
  const [name] = names;
  if (name === undefined || names.length > 1) throw new MalformedSecretError('it needs exactly one "crypto" section');
  return objectAt(document, name);
}

function readKdf(crypto: JsonObject): KeystoreKdf {
  const name = crypto['kdf'];
  if (name !== 'scrypt' && name !== 'pbkdf2') throw new MalformedSecretError('its "kdf" is neither scrypt nor pbkdf2');
  const parameters = objectAt(crypto, 'kdfparams');
  const salt = hexAt(parameters, 'salt', MIN_SALT_BYTES, MAX_SALT_BYTES);
  integerAt(parameters, 'dklen', DERIVED_KEY_BYTES, DERIVED_KEY_BYTES);
  if (name === 'pbkdf2') {
    constantAt(parameters, 'prf', 'hmac-sha256');
    return { name, salt, iterations: integerAt(parameters, 'c', 1, MAX_PBKDF2_ITERATIONS) };
  }
  return { name, salt, cost: readScryptCost(parameters) };
}

function readScryptCost(parameters: JsonObject): ScryptCost {
  const n = integerAt(parameters, 'n', 2, MAX_SCRYPT_N);
  const r = integerAt(parameters, 'r', 1, MAX_SCRYPT_R);
  const p = integerAt(parameters, 'p', 1, MAX_SCRYPT_P);
  if (!Number.isInteger(Math.log2(n))) throw new MalformedSecretError('its "n" is not a power of two');
  if (scryptMemory({ n, r, p }) > MAX_SCRYPT_MEMORY) {
    throw new MalformedSecretError('its "n" and "r" together require more than 1 GiB of memory');
  }
  return { n, r, p };
}

function objectAt(parent: JsonObject, name: string): JsonObject {
  const value = valueAt(parent, name);
  if (!isObject(value)) throw new MalformedSecretError(`its "${name}" is missing or not an object`);
  return value;
}

function constantAt(parent: JsonObject, name: string, expected: string): void {
  if (valueAt(parent, name) !== expected) throw new MalformedSecretError(`its "${name}" is not ${expected}`);
}

function integerAt(parent: JsonObject, name: string, minimum: number, maximum: number): number {
  const value = valueAt(parent, name);
  if (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new MalformedSecretError(`its "${name}" is not an integer from ${minimum} to ${maximum}`);
}

function hexAt(parent: JsonObject, name: string, minBytes: number, maxBytes: number): Buffer {
  const value = valueAt(parent, name);
  if (typeof value === 'string' && /^(?:[0-9a-fA-F]{2})+$/.test(value)) {
    const bytes = Buffer.from(value, 'hex');
    if (bytes.length >= minBytes && bytes.length <= maxBytes) return bytes;
  }
  const lengths = minBytes === maxBytes ? `${minBytes}` : `${minBytes} to ${maxBytes}`;
  throw new MalformedSecretError(`its "${name}" is not the hex of ${lengths} bytes`);
}

function valueAt(parent: JsonObject, name: string): unknown {
  return Object.hasOwn(parent, name) ? parent[name] : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const KEY_BYTES = 32;
const CIPHER_KEY_BYTES = 16;
const ZERO_BYTE = Buffer.alloc(1);
const CIPHERTEXT_FIELD = Buffer.from('"ciphertext"');

/**
 * Decrypts an Ethereum keystore (Web3 Secret Storage Definition, version 3) into `output` only,
 * wiping intermediate secrets. Takes about a second, as its author chose.
 * @param password exact bytes, without line break
 * @returns bytes written: 32
 * @throws MalformedSecretError if it is not such a keystore, or the password is wrong
 */
export function decodeKeystore(json: Buffer, password: Buffer, output: Buffer): number {
  // A plaintext key in JSON must not become a string; a keystore may.
  if (!json.includes(CIPHERTEXT_FIELD)) {
    throw new MalformedSecretError('it has no "ciphertext" field; only Ethereum keystores of version 3 are supported');
  }
  const document = readKeystoreDocument(json.toString('utf8'));
  if (output.length < KEY_BYTES) throw new MalformedSecretError(`it has more than ${output.length} bytes`);
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
 * Encrypts zeros, so that the cipher yields the key stream and never sees the key. Byte by byte:
 * Node frees a copy of its output unwiped, and half a key stream reveals half a key.
 */
function decrypt({ iv, ciphertext }: KeystoreDocument, cipherKey: Buffer, output: Buffer): number {
  const cipher = createCipheriv('aes-128-ctr', cipherKey, iv);
  for (let index = 0; index < KEY_BYTES; index += 1) {
    output[index] = ciphertext.readUInt8(index) ^ cipher.update(ZERO_BYTE).readUInt8();
  }
  // Frees the cipher's state, which OpenSSL wipes.
  cipher.final();
  return KEY_BYTES;
}
