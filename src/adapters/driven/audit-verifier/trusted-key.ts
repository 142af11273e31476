import { createPublicKey } from 'node:crypto';
import { OperatorError } from '../../../domain/model/errors.ts';
import { isMissing } from './input-error.ts';
import { shownPath } from './shown-path.ts';
import { readSmallText } from './small-text.ts';

const KEY_BYTES = 32;
const MAX_FILE_BYTES = 4096;
/** One block and nothing else: a file with a private key in it is not read as a public one. */
const PEM = /^-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----$/;

/**
 * The Ed25519 public key (RFC 8032, 32 bytes) that a text gives: itself in base64, or the path of a file that holds it as SubjectPublicKeyInfo in PEM (RFC 8410 §4), or in base64.
 * @throws OperatorError when it is neither
 */
export async function readTrustedKey(given: string): Promise<Buffer> {
  const direct = fromBase64(given);
  if (direct !== null) return direct;
  const text = (await readKeyFile(given)).trim();
  const key = fromBase64(text) ?? (PEM.test(text) ? fromPem(text) : null);
  if (key !== null) return key;
  throw new OperatorError(
    `The public key ${shownPath(given)} is no Ed25519 public key: name the file that \`init\` wrote beside the audit key (audit.key.pub), or give the base64 of the 32 bytes.`,
  );
}

async function readKeyFile(given: string): Promise<string> {
  try {
    return await readSmallText('public key', given, MAX_FILE_BYTES);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new OperatorError(
      `The public key ${shownPath(given)} is neither a file nor a base64 key of 32 bytes; check the path or the key.`,
      { cause: error },
    );
  }
}

function fromBase64(text: string): Buffer | null {
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES && key.toString('base64') === text ? key : null;
}

function fromPem(text: string): Buffer | null {
  try {
    const { kty, crv, x } = createPublicKey(text).export({ format: 'jwk' });
    return kty === 'OKP' && crv === 'Ed25519' && x !== undefined ? Buffer.from(x, 'base64url') : null;
  } catch {
    return null;
  }
}
