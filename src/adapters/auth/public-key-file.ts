import type { Stats } from 'node:fs';
import sodium from 'sodium-native';
import { inContext, OperatorError } from '../../domain/model/errors.ts';
import { decodeBase58 } from '../../domain/model/text/byte-encodings.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { decodePublicKeyPem } from '../node/ed25519-public-key.ts';
import { withSecretFile } from '../secret-files/secret-file.ts';

const HEX = /^[0-9a-fA-F]{64}$/;

/** First line of a PEM public key; no private key has it. */
const PUBLIC_PEM_HEADING = '-----BEGIN PUBLIC KEY-----';

/**
 * Parses an Ed25519 public key: base58, 64 hex digits, or PEM (RFC 8410 §4).
 * @returns null for other input and for points outside the prime order group, under which anyone
 * can sign
 */
export function parsePublicKey(text: string): Buffer | null {
  const trimmed = text.trim();
  const key = trimmed.startsWith(PUBLIC_PEM_HEADING) ? decodePublicKeyPem(trimmed) : decodeKeyText(trimmed);
  if (key?.length !== sodium.crypto_sign_PUBLICKEYBYTES) return null;
  return sodium.crypto_core_ed25519_is_valid_point(key) ? key : null;
}

function decodeKeyText(text: string): Buffer | null {
  if (HEX.test(text)) return Buffer.from(text, 'hex');
  const bytes = decodeBase58(text);
  return bytes === undefined ? null : Buffer.from(bytes);
}

/** Generous limit, bytes. */
export const MAX_TEXT_BYTES = 65_536;

/**
 * Reads a small public file as a key file is read: never blocks on a pipe, rejects half-written
 * files.
 * @param label the file and its setting, for messages: `The access token of this service
 * (SIGNING_AUTH_TOKEN_FILE)`
 * @param remedy advice if it is missing
 * @param check throws for secret content, before it becomes a string
 * @throws OperatorError, and errors of `check`
 */
export function readTextFile(
  file: string,
  label: string,
  remedy: string,
  check: (content: Buffer, stats: Stats) => void = () => undefined,
): string {
  try {
    return withSecretFile(file, MAX_TEXT_BYTES, (content, stats) => {
      check(content, stats);
      return content.toString('utf8');
    });
  } catch (error) {
    const advice = systemErrorCode(error) === 'ENOENT' ? ` ${remedy}` : '';
    throw inContext(error, (message) => `${label} cannot be read: ${message}${advice}`);
  }
}

const GROUP_OR_OTHERS_READ = 0o044;
const PEM_HEADING = Buffer.from(PUBLIC_PEM_HEADING);

/**
 * Reads a public key file. A seed in hex looks like a public key and would leak in headers, so a
 * file that only its owner can read is rejected unless it has a public PEM heading.
 * @throws OperatorError for such a file, an unusable key or an unreadable file
 */
export function readPublicKeyFile(file: string): Buffer {
  const text = readTextFile(file, 'The public key', 'Check the path.', (content, stats) =>
    rejectPrivateKey(file, content, stats),
  );
  return requirePublicKey(text);
}

/** {@link parsePublicKey} that throws. @throws OperatorError if it is not a usable key */
export function requirePublicKey(text: string): Buffer {
  const publicKey = parsePublicKey(text);
  if (publicKey !== null) return publicKey;
  throw new OperatorError(
    'Not a usable Ed25519 public key: it must be base58, 64 hex digits or PEM, and a point of the prime order group. It may be a private key, whose 64 hex digits look the same: use the public half.',
  );
}

function rejectPrivateKey(file: string, content: Buffer, { mode }: Stats): void {
  if ((mode & GROUP_OR_OTHERS_READ) !== 0 || content.indexOf(PEM_HEADING) === 0) return;
  throw new OperatorError(
    `${file} looks like a private key: only its owner may read it (mode 0${(mode & 0o777).toString(8)}). Its content would be in the token, which is sent in headers. Use the file with the public half; if this is it, make it readable (chmod 644) and try again.`,
  );
}
