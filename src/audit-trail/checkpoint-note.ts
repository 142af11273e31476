import { createPublicKey, hash, verify } from 'node:crypto';

/** What a checkpoint vouches for: all records of a chain up to one. */
export interface Checkpoint {
  /** The process that signed it. */
  readonly instanceId: string;
  /** Number of the last record that it covers. */
  readonly seq: number;
  /** That record's `hash`, `sha256:<64 hex>`, which stands for all the records before it, too. */
  readonly hash: string;
  /** When it was signed, ISO 8601 UTC with milliseconds. */
  readonly time: string;
}

/** Signs checkpoints; the secret half stays inside. */
export interface CheckpointKey {
  /** Ed25519 public key (RFC 8032), 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Ed25519 signature, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** A checkpoint as it was read, and what it takes to verify it. */
export interface SignedCheckpoint extends Checkpoint {
  /** The bytes that were signed. */
  readonly signedText: string;
  /** First 4 bytes of the signature line: they name the key. */
  readonly keyId: Buffer;
  /** 64 bytes. */
  readonly signature: Buffer;
}

/** Begins the name of each key, as signed notes want it. */
const NAME_PREFIX = 'signing-service-audit/';
/** Signature type Ed25519 of c2sp.org/signed-note. */
const ED25519 = Buffer.from([0x01]);
const KEY_ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const PUBLIC_KEY_BYTES = 32;

const NOTE =
  /^(signing-service-audit\/([A-Za-z0-9][A-Za-z0-9._:@%-]{0,383})\n([1-9]\d{0,15})\n([A-Za-z0-9+/]{43}=)\n(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\n)\n— (\S+) ([A-Za-z0-9+/]{91}=)\n$/;

/**
 * Signs a checkpoint as a signed note (https://c2sp.org/signed-note), in the layout of a transparency log's checkpoint (https://c2sp.org/tlog-checkpoint): origin,
 * number of records, hash in base64, and the time as an extension line. The hash is the head of a chain, not the root of a Merkle tree.
 *
 * @example
 * // signing-service-audit/signer-1
 * // 1000
 * // O0h2…=
 * // 2026-11-20T08:49:00.123Z
 * //
 * // — signing-service-audit/signer-1 kd8h…=
 */
export function signCheckpoint(checkpoint: Checkpoint, key: CheckpointKey): string {
  const name = nameOf(checkpoint.instanceId);
  const digest = Buffer.from(checkpoint.hash.slice('sha256:'.length), 'hex').toString('base64');
  const text = `${name}\n${checkpoint.seq}\n${digest}\n${checkpoint.time}\n`;
  const signature = Buffer.concat([keyIdOf(name, key.publicKey), key.sign(Buffer.from(text))]);
  return `${text}\n— ${name} ${signature.toString('base64')}\n`;
}

/** Reads a note; null when it is none. Its signature is not verified by this. */
export function readCheckpoint(note: string): SignedCheckpoint | null {
  const match = NOTE.exec(note);
  if (match === null) return null;
  const [, signedText = '', encodedId = '', seq = '', digest = '', time = '', signer, signatureText = ''] = match;
  const instanceId = encodedId.replaceAll('%2B', '+');
  if (signer !== nameOf(instanceId)) return null;
  const signed = Buffer.from(signatureText, 'base64');
  return {
    instanceId,
    seq: Number(seq),
    hash: `sha256:${Buffer.from(digest, 'base64').toString('hex')}`,
    time,
    signedText,
    keyId: signed.subarray(0, KEY_ID_BYTES),
    signature: signed.subarray(KEY_ID_BYTES),
  };
}

/** Whether the checkpoint was signed with the secret half of `publicKey` (32 bytes). */
export function isSignedBy(checkpoint: SignedCheckpoint, publicKey: Uint8Array): boolean {
  if (checkpoint.signature.length !== SIGNATURE_BYTES || publicKey.length !== PUBLIC_KEY_BYTES) return false;
  if (!checkpoint.keyId.equals(keyIdOf(nameOf(checkpoint.instanceId), publicKey))) return false;
  const x = Buffer.from(publicKey).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(checkpoint.signedText), key, checkpoint.signature);
}

/** Names of signed notes must not hold a plus, which ids may. */
function nameOf(instanceId: string): string {
  return NAME_PREFIX + instanceId.replaceAll('+', '%2B');
}

/** SHA-256 over name, newline, signature type and public key, its first 4 bytes. */
function keyIdOf(name: string, publicKey: Uint8Array): Buffer {
  const subject = Buffer.concat([Buffer.from(`${name}\n`), ED25519, publicKey]);
  return hash('sha256', subject, 'buffer').subarray(0, KEY_ID_BYTES);
}
