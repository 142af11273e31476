import { createDecipheriv, createECDH, pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { z } from 'zod';
import type { KeyKind } from '../domain/model/algorithm.ts';
import { HelperProblem } from './helper-program.ts';
import { decodeJwk, otherPublicKey } from './pem-key.ts';

/**
 * The private key in a JSON file: an Ethereum keystore, a JSON Web Key (RFC 7517), or the file of a
 * tool that has the key as text: `privateKey` (Coinbase) or `private_key` (NEAR).
 * @param password reads that of a keystore
 * @param decodeText decodes such a text
 * @throws HelperProblem
 */
export async function decodeJson(
  text: string,
  kind: KeyKind,
  password: () => string,
  decodeText: (text: string) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const document = parseObject(text);
  if ('kty' in document) return decodeJwk(document, kind);
  if ('crypto' in document || 'Crypto' in document) return decodeKeystore(document, kind, password);
  const inner = document['privateKey'] ?? document['private_key'];
  if (typeof inner === 'string' && !inner.startsWith('{')) return decodeText(inner);
  throw new HelperProblem(
    'it is JSON, but neither an Ethereum keystore nor a JWK, and has no member privateKey or private_key',
  );
}

/** solana-keygen's array of 64 numbers, seed and public key. @throws HelperProblem */
export function decodeSolana(text: string): Uint8Array {
  const { success, data } = z.array(z.int().min(0).max(0xff)).safeParse(parseJson(text));
  if (success) return Uint8Array.from(data);
  throw new HelperProblem(
    'it is not a JSON array of integers from 0 to 255, the key pair format of solana-keygen; the file may be truncated or changed',
  );
}

const MAX_SCRYPT_BYTES = 1024 ** 3;
const KEY_BYTES = 32;
const IV_BYTES = 16;

/** Bytes in hex, of a length within bounds. */
function hex(min: number, max: number) {
  return z
    .string()
    .regex(/^(?:[0-9a-fA-F]{2})+$/)
    .transform((digits) => Buffer.from(digits, 'hex'))
    .refine(({ length }) => length >= min && length <= max);
}

const SCRYPT = z.object({
  kdf: z.literal('scrypt'),
  kdfparams: z.object({
    dklen: z.literal(KEY_BYTES),
    salt: hex(8, 64),
    n: z
      .int()
      .min(2)
      .max(2 ** 20)
      .refine((n) => Number.isInteger(Math.log2(n))),
    r: z.int().min(1).max(32),
    p: z.int().min(1).max(16),
  }),
});

const PBKDF2 = z.object({
  kdf: z.literal('pbkdf2'),
  kdfparams: z.object({
    dklen: z.literal(KEY_BYTES),
    salt: hex(8, 64),
    prf: z.literal('hmac-sha256'),
    c: z.int().min(1).max(10_000_000),
  }),
});

const CRYPTO = z
  .object({
    cipher: z.literal('aes-128-ctr'),
    // Tools drop leading zeros of the counter block, and of the key before they encrypt it.
    cipherparams: z.object({ iv: hex(1, IV_BYTES) }),
    ciphertext: hex(KEY_BYTES - 1, KEY_BYTES + 1),
    mac: hex(KEY_BYTES, KEY_BYTES),
  })
  .and(z.discriminatedUnion('kdf', [SCRYPT, PBKDF2]));

type Keystore = z.output<typeof CRYPTO>;

/** Web3 Secret Storage, version 3; geth writes `crypto`, ethers `Crypto`. */
async function decodeKeystore(
  document: { readonly [name: string]: unknown },
  kind: KeyKind,
  password: () => string,
): Promise<Uint8Array> {
  if (document['version'] !== 3) {
    throw new HelperProblem('its "version" is not 3; only Ethereum keystores of version 3 are supported');
  }
  const { success, data: keystore, error } = CRYPTO.safeParse(document['crypto'] ?? document['Crypto']);
  if (!success) {
    const member = error.issues[0]?.path.join('.') || 'crypto';
    throw new HelperProblem(`its "${member}" is missing or not supported in an Ethereum keystore`);
  }
  const typed = password();
  const bare = typed.replace(/^\uFEFF/, '');
  // ethers derives from the password in NFKC, geth from the file, with its byte order mark.
  for (const form of new Set([typed, bare, bare.normalize('NFKC')])) {
    const derived = await deriveKey(keystore, Buffer.from(form));
    const mac = keccak_256(Buffer.concat([derived.subarray(16), keystore.ciphertext]));
    if (!timingSafeEqual(mac, keystore.mac)) continue;
    const key = decrypt(keystore, derived.subarray(0, 16), kind);
    assertAddress(document['address'], key, kind);
    return key;
  }
  throw new HelperProblem('its password is wrong, or the keystore is damaged: its "mac" does not match');
}

/** Some tools omit the address, and those of other chains write theirs. */
function assertAddress(address: unknown, key: Buffer, kind: KeyKind): void {
  const [, digits] = /^(?:0x)?([0-9a-fA-F]{40})$/.exec(String(address)) ?? [];
  if (kind !== 'secp256k1' || digits === undefined) return;
  const curve = createECDH('secp256k1');
  curve.setPrivateKey(key);
  const hash = keccak_256(curve.getPublicKey().subarray(1));
  if (!Buffer.from(hash.subarray(-20)).equals(Buffer.from(digits, 'hex'))) throw otherPublicKey();
}

async function deriveKey(keystore: Keystore, password: Buffer): Promise<Buffer> {
  if (keystore.kdf === 'pbkdf2') {
    const { salt, c } = keystore.kdfparams;
    return pbkdf2Sync(password, salt, c, KEY_BYTES, 'sha256');
  }
  const { salt, n, r, p } = keystore.kdfparams;
  if (128 * r * n > MAX_SCRYPT_BYTES)
    throw new HelperProblem('its "n" and "r" together need more than 1 GiB of memory');
  // OpenSSL rejects these, which old web3.py and the specification's example have.
  if (n >= 2 ** (16 * r)) {
    const { scrypt } = await import('@noble/hashes/scrypt.js');
    return Buffer.from(scrypt(password, salt, { N: n, r, p, dkLen: KEY_BYTES, maxmem: 2 * MAX_SCRYPT_BYTES }));
  }
  return scryptSync(password, salt, KEY_BYTES, { N: n, r, p, maxmem: 2 * MAX_SCRYPT_BYTES });
}

function decrypt({ ciphertext, cipherparams: { iv } }: Keystore, cipherKey: Buffer, kind: KeyKind): Buffer {
  const block = Buffer.concat([Buffer.alloc(IV_BYTES - iv.length), iv]);
  const key = createDecipheriv('aes-128-ctr', cipherKey, block).update(ciphertext);
  if (key.length === KEY_BYTES || kind === 'ed25519') return key;
  if (key.length < KEY_BYTES) return Buffer.concat([Buffer.alloc(KEY_BYTES - key.length), key]);
  if (key[0] === 0) return key.subarray(1);
  throw new HelperProblem(`it has ${key.length} bytes; a private key of ${KEY_BYTES} bytes is required`);
}

function parseObject(text: string): { readonly [name: string]: unknown } {
  const { success, data } = z.record(z.string(), z.unknown()).safeParse(parseJson(text));
  if (success) return data;
  throw new HelperProblem('its JSON is not an object');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes its input.
    throw new HelperProblem('it is not valid JSON; the file may be truncated or changed');
  }
}
