import { base58 } from '@scure/base';
import type { SecretDecoding } from '../domain/model/account.ts';
import { ALGORITHM_ROWS, type Algorithm, type KeyKind } from '../domain/model/algorithm.ts';
import type { KeyFileFormat, KeyFileReference } from '../domain/model/key-source.ts';
import { HelperProblem } from './helper-program.ts';

/** A key to decode: in a file, or written in the configuration. */
export type KeyToDecode = (KeyFileReference | { readonly plaintext: string }) & {
  readonly algorithm: Algorithm;
  /** Format of an HMAC secret by default. */
  readonly secretDecoding: SecretDecoding;
};

/** A decoded key, or why there is none. */
export type DecodedKey =
  | { readonly length: number }
  | {
      /** A clause about "it", without anything of the content. */
      readonly problem: string;
      readonly in: 'file' | 'passwordFile';
      /** Of the system's error if the file cannot be read. */
      readonly code?: string | undefined;
    };

const FORMATS: { readonly [Kind in KeyKind]: readonly KeyFileFormat[] } = {
  ed25519: ['raw', 'hex', 'base58', 'base64', 'pem', 'keystore', 'solana'],
  secp256k1: ['raw', 'hex', 'base58', 'base64', 'pem', 'keystore', 'mnemonic'],
  p256: ['raw', 'hex', 'base64', 'pem'],
  stark: ['raw', 'hex'],
  rsa: ['raw', 'hex', 'base64', 'pem'],
  secret: ['raw', 'hex', 'base64', 'base64url', 'utf8', 'base64-text'],
};

const KEY_BYTES = 32;
const HEX_DIGITS = 2 * KEY_BYTES;
/** An Ed25519 seed and its public key (libsodium, Solana). */
const PAIR_BYTES = 64;

/**
 * Decodes a private key.
 * @param readPassword reads a password file, at most once
 * @returns the bytes that the algorithm's Signer takes; for RSA, RSAPrivateKey in DER (RFC 8017
 * §A.1.2). Lengths of secrets are not checked.
 * @throws HelperProblem about "it", the content
 */
export async function decodeKey(
  content: Buffer,
  key: KeyToDecode,
  readPassword: (file: string) => string,
): Promise<Uint8Array> {
  const kind = ALGORITHM_ROWS[key.algorithm].keys;
  if (content.length === 0) throw new HelperProblem('it is empty; check that the secret was written to it');
  const format = chooseFormat(content, kind, key);
  const password = () => {
    if ('file' in key && key.passwordFile !== undefined) return readPassword(key.passwordFile);
    throw new HelperProblem('it is encrypted; give the file with its password: --password-file, or "passwordFile"');
  };
  const decoded = await decode(content, format, kind, password, key);
  if (kind === 'rsa' && format !== 'pem') return (await import('./pem-key.ts')).decodeRsaDer(decoded);
  if (kind === 'rsa' || kind === 'secret' || decoded.length === KEY_BYTES) return decoded;
  if (kind !== 'ed25519' || decoded.length !== PAIR_BYTES) {
    throw new HelperProblem(`it has ${decoded.length} bytes; a private key of ${KEY_BYTES} bytes is required`);
  }
  const { publicKeyOfSeed } = await import('./pem-key.ts');
  const seed = decoded.subarray(0, KEY_BYTES);
  if (publicKeyOfSeed(seed).equals(decoded.subarray(KEY_BYTES))) return seed;
  throw new HelperProblem('its second half is not the Ed25519 public key of its first; check that it is a key pair');
}

/** JSON files of other tools are read by their members, see `json-key.ts`. */
type Format = KeyFileFormat | 'json';

function chooseFormat(content: Buffer, kind: KeyKind, key: KeyToDecode): Format {
  const given = 'file' in key ? key.format : undefined;
  // The format of a secret is never guessed: hex digits may mean characters or bytes.
  const format = given ?? (kind === 'secret' ? key.secretDecoding : detectFormat(content, kind, 'plaintext' in key));
  const isSuitable = format === 'json' || (format !== undefined && FORMATS[kind].includes(format));
  const choice = `set it with --key-format or "format": ${FORMATS[kind].join(', ')}`;
  if (format === undefined) throw new HelperProblem(`its format cannot be detected; ${choice}`);
  if (!isSuitable) throw new HelperProblem(`a key for ${key.algorithm} cannot have the format ${format}; ${choice}`);
  if ('file' in key && key.derivationPath !== undefined && format !== 'mnemonic') {
    throw new HelperProblem(`a derivation path was given, but its format is ${format}, not mnemonic; remove the path`);
  }
  return format;
}

/** The format, where the content leaves no doubt: base58 and base64 of one key look alike. */
function detectFormat(content: Buffer, kind: KeyKind, isPlaintext: boolean): Format | undefined {
  const isPair = kind === 'ed25519' && content.length === PAIR_BYTES;
  if ((content.length === KEY_BYTES || isPair) && !content.every(isTextByte)) return 'raw';
  const text = toText(content);
  if (text.includes('-----BEGIN')) return 'pem';
  if (text.startsWith('{')) return 'json';
  if (text.startsWith('[')) return 'solana';
  if (text.startsWith(ED25519_PREFIX)) return 'base58';
  if (isHex(unwrap(text), kind)) return 'hex';
  // Neither base58 nor hex has an equals sign.
  if (/^[\w+/-]+={1,2}$/.test(unwrap(text))) return 'base64';
  return isPlaintext && kind === 'ed25519' ? 'base58' : undefined;
}

/** Of any length; but up to 44 hex digits without 0x can be base58 or base64 of a key. */
function isHex(text: string, kind: KeyKind): boolean {
  if (/^0x[0-9a-f]+$/i.test(text)) return true;
  return /^[0-9a-f]{45,}$/i.test(text) && (kind !== 'stark' || text.length === HEX_DIGITS);
}

function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

async function decode(
  content: Buffer,
  format: Format,
  kind: KeyKind,
  password: () => string,
  key: KeyToDecode,
): Promise<Uint8Array> {
  if (format === 'raw') return content;
  const text = toText(content);
  switch (format) {
    case 'hex':
      return decodeHex(unwrap(text), kind);
    case 'base58':
      return decodeBase58(unwrap(text), kind);
    case 'base64':
    case 'base64url':
      return decodeBase64(unwrap(text), format);
    case 'utf8':
      return Buffer.from(toVisible(text));
    case 'base64-text':
      return Buffer.from(Buffer.from(toVisible(text)).toString('base64'));
    case 'solana':
      return (await import('./json-key.ts')).decodeSolana(text);
    case 'json':
    case 'keystore':
      return (await import('./json-key.ts')).decodeJson(text, kind, password, (inner) =>
        decodeKey(Buffer.from(inner), key, password),
      );
    case 'pem':
      return (await import('./pem-key.ts')).decodePem(text, kind, password);
    case 'mnemonic':
      return (await import('./mnemonic.ts')).decodeMnemonic(text, key);
  }
}

/** The text of a file. @throws HelperProblem for UTF-16 */
export function decodeUtf8(content: Buffer): string {
  if (/^(?:fffe|feff)/.test(content.toString('hex', 0, 2))) throw new HelperProblem('it is UTF-16; save it as UTF-8');
  return content.toString();
}

/** As text without a byte order mark and white space around it; CRLF becomes LF. */
function toText(content: Buffer): string {
  return decodeUtf8(content)
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .trim();
}

/** Without the quotes and line breaks of a JSON file or a wrapped text. */
function unwrap(text: string): string {
  if (/^(?:export )?[A-Za-z_]\w* ?= ?["']?\w/.test(text)) {
    throw new HelperProblem('it looks like an environment file; save only the value to it');
  }
  return text.replace(/^(["'])(.*)\1,?$/s, '$2').replaceAll('\n', '');
}

function decodeHex(text: string, kind: KeyKind): Buffer {
  const digits = text.replace(/^0x/i, '');
  if (!/^[0-9a-f]+$/i.test(digits)) {
    throw new HelperProblem('it has a character that is not a hexadecimal digit (0-9, a-f, A-F)');
  }
  const { length } = digits;
  if (kind === 'secret' || kind === 'rsa') {
    if (length % 2 === 0) return Buffer.from(digits, 'hex');
    throw new HelperProblem('it has an odd number of hex digits');
  }
  // Tools write the keys that are numbers with more leading zeros, or without.
  const key = kind === 'ed25519' ? digits : digits.replace(/^0+(?=.{64}$)/, '').padStart(HEX_DIGITS, '0');
  const isWhole = key.length === HEX_DIGITS || (kind === 'ed25519' && length === 2 * PAIR_BYTES);
  if (isWhole && (kind === 'stark' || length >= HEX_DIGITS - 2)) return Buffer.from(key, 'hex');
  throw new HelperProblem(`it has ${length} hex digits; a private key has ${HEX_DIGITS}`);
}

/** Prefix of Ed25519 keys of NEAR and Orderly. */
const ED25519_PREFIX = 'ed25519:';

function decodeBase58(text: string, kind: KeyKind): Uint8Array {
  const hasPrefix = text.startsWith(ED25519_PREFIX);
  if (hasPrefix && kind !== 'ed25519') {
    throw new HelperProblem('it has a key for Ed25519, but one for secp256k1 is required');
  }
  const digits = hasPrefix ? text.slice(ED25519_PREFIX.length) : text;
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(digits)) {
    throw new HelperProblem('it has a character that is not a base58 digit (Bitcoin alphabet)');
  }
  return base58.decode(digits);
}

/** RFC 4648 §4 or §5, padded or not. Node's decoder ignores what is no digit, so it is compared. */
function decodeBase64(text: string, format: 'base64' | 'base64url'): Buffer {
  const bytes = Buffer.from(text, format);
  const canonical = bytes.toString(format);
  const length = 4 * Math.ceil(canonical.length / 4);
  if (bytes.length > 0 && text.padEnd(length, '=') === canonical.padEnd(length, '=')) return bytes;
  throw new HelperProblem(`it is not ${format}: it has other characters, or is truncated`);
}

/** One line of visible ASCII. */
function toVisible(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  const mistake = text.includes('\n')
    ? 'it has more than one line'
    : /[ \t]/.test(text)
      ? 'it contains a space or tab'
      : 'it has bytes that are not visible ASCII characters; if they are the secret itself, use format raw';
  throw new HelperProblem(`${mistake}; a secret is one line of visible ASCII characters without spaces`);
}
