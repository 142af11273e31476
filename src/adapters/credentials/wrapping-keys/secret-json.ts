import type { LendSecret } from '../../../ports/wrapping-key.ts';
import { decodeBase64, encodeBase64 } from '../../key-files/base64.ts';
import { withLockedBytes } from '../../vault/locked-buffer.ts';

/** Longest base64 of a 32-byte key. */
const KEY_DIGITS = 44;
/** Plaintexts of another length than a master key's are rejected later. */
const MAX_PLAINTEXT_BYTES = 4096;

/**
 * Builds a JSON object with a secret in base64, for the duration of a call: no string has the
 * secret, and the bytes are wiped.
 * @param fields other members
 * @param lend lends 32 bytes
 */
export async function withSecretJson<Result>(
  fields: { readonly [name: string]: unknown },
  name: string,
  lend: LendSecret,
  send: (json: Buffer) => Promise<Result>,
): Promise<Result> {
  const start = Buffer.from(`${JSON.stringify(fields).slice(0, -1)},${JSON.stringify(name)}:"`);
  const json = Buffer.alloc(start.length + KEY_DIGITS + 2, '"}');
  start.copy(json);
  lend((secret) =>
    encodeBase64(Buffer.from(secret.buffer, secret.byteOffset, secret.length), json.subarray(start.length)),
  );
  json.write('"}', start.length + KEY_DIGITS, 'latin1');
  try {
    return await send(json);
  } finally {
    json.fill(0);
  }
}

/**
 * Decodes a base64 secret in locked memory.
 * @param digits padded base64, which the caller wipes
 * @throws MalformedSecretError
 */
export function withDecodedSecret<Result>(digits: Buffer, use: (secret: Uint8Array) => Result): Result {
  return withLockedBytes(MAX_PLAINTEXT_BYTES, (bytes) => use(bytes.subarray(0, decodeBase64(digits, bytes))));
}
