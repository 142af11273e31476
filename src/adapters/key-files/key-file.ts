import sodium from 'sodium-native';
import { isPublicKeyOfSeed } from '../vault/ed25519-key.ts';
import { withLockedBytes } from '../vault/locked-buffer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { decodeBase58 } from './base58.ts';
import { decodeBase64, decodeBase64Url } from './base64.ts';
import { DERIVATION_PATH_MESSAGE, parseDerivationPath } from './derivation-path.ts';
import {
  detectKeyFormat,
  hasEd25519Prefix,
  isPem,
  isPrefixedHex,
  KEY_FORMATS,
  type KeyFormat,
  withoutEd25519Prefix,
} from './detect-key-format.ts';
import { decodeHex, decodeHexNumber } from './hex.ts';
import { decodeKeystore } from './keystore.ts';
import { findMistakenContent } from './mistaken-content.ts';
import { decodeMnemonic } from './mnemonic.ts';
import { decodePkcs8, type PemCurve } from './pkcs8.ts';
import { decodeRsaPem, unwrapRsaKey } from './rsa.ts';
import { KeyFileError, withSecretFile } from './secret-file.ts';
import { formatBounds, type LengthBounds, MalformedSecretError, withoutFinalNewline } from './secret-text.ts';
import { decodeSolana } from './solana.ts';
import { decodeText, decodeTextToBase64 } from './text.ts';

const MAX_KEY_FILE_BYTES = 16_384;
const MAX_PASSWORD_FILE_BYTES = 1024;
/** Of keys that are numbers. */
export const NUMBER_FORMATS = ['raw', 'hex'] as const satisfies readonly KeyFormat[];

const SEED_BYTES = 32;
const SEED_WITH_PUBLIC_KEY_BYTES = 64;

export interface KeyFileOptions {
  readonly file: string;
  /** Default: detected; required for keys of variable length. */
  readonly format?: KeyFormat | undefined;
  /** Password file of a keystore; a final newline is ignored. */
  readonly passwordFile?: string | undefined;
  /** BIP-32 path of a mnemonic's key, required for one; see `parseDerivationPath`. */
  readonly derivationPath?: string | undefined;
  /** Allowed lengths of the private key, bytes. */
  readonly lengths: LengthBounds;
  /** Required curve of a PEM key; default: any. */
  readonly curve?: PemCurve | undefined;
  /**
   * Whether an Ed25519 key may also be 64 bytes, seed and matching public key (libsodium, Solana).
   */
  readonly allowSeedWithPublicKey?: boolean | undefined;
  /** Whether the key is a number, whose hex digits may lack leading zeros (StarkNet). */
  readonly isNumber?: boolean | undefined;
  /**
   * Whether it is an RSA key: in PEM or DER; passed on as RSAPrivateKey (RFC 8017 §A.1.2) in DER.
   */
  readonly isRsa?: boolean | undefined;
}

/**
 * Reads and decodes a private key file in locked memory, passes the key to `use` and wipes it.
 * @throws KeyFileError if the file cannot be read, its format is ambiguous, or it has no such key
 */
export function withKeyFile<Result>(options: KeyFileOptions, use: (privateKey: Buffer) => Result): Result {
  return withSecretFile(options.file, MAX_KEY_FILE_BYTES, (content) => {
    assertNotMistaken(options, content);
    const format = options.format ?? detectFormat(options, content);
    return withLockedBytes(acceptsKeyPair(options) ? SEED_WITH_PUBLIC_KEY_BYTES : options.lengths.max, (decoded) => {
      const written = withFileName(options.file, () => {
        const length = decode(options, format, content, decoded);
        return options.isRsa === true ? unwrapRsaKey(decoded.subarray(0, length)) : length;
      });
      return use(validateKey(options, decoded.subarray(0, written)));
    });
  });
}

/** Passes `length` random bytes in locked memory to `use`, then wipes them. */
export function withGeneratedKey<Result>(length: number, use: (privateKey: Buffer) => Result): Result {
  return withLockedBytes(length, (bytes) => {
    sodium.randombytes_buf(bytes);
    return use(bytes);
  });
}

function acceptsKeyPair({ lengths, allowSeedWithPublicKey }: KeyFileOptions): boolean {
  return allowSeedWithPublicKey === true && lengths.max === SEED_BYTES;
}

/** Other formats may have any content, or describe the problem themselves. */
const CHECKED_FORMATS: readonly (KeyFormat | undefined)[] = [undefined, 'pem', 'keystore'];

function assertNotMistaken({ file, format }: KeyFileOptions, content: Buffer): void {
  if (!CHECKED_FORMATS.includes(format)) return;
  const mistake = findMistakenContent(content);
  if (mistake !== undefined) throw new KeyFileError(file, mistake);
}

function detectFormat(options: KeyFileOptions, content: Buffer): KeyFormat {
  const { min, max } = options.lengths;
  if (options.isNumber && isPrefixedHex(content)) return 'hex';
  const lengths = acceptsKeyPair(options) ? [max, SEED_WITH_PUBLIC_KEY_BYTES] : [max];
  const detected = min === max ? detectKeyFormat(content, lengths) : undefined;
  if (options.isRsa === true && isPem(content)) return 'pem';
  if (detected !== undefined && formatsFor(options).includes(detected)) return detected;
  throw new KeyFileError(
    options.file,
    `its format cannot be detected; set it with --key-format or "format": ${formatsFor(options).join(', ')}`,
  );
}

/** A mnemonic is only for secp256k1; no wallet keeps RSA or P-256 keys. */
function formatsFor({ curve, isNumber, isRsa }: KeyFileOptions): readonly KeyFormat[] {
  if (isNumber) return NUMBER_FORMATS;
  if (isRsa || curve === 'p256') return ['raw', 'hex', 'base64', 'pem'];
  return KEY_FORMATS.filter((format) => format !== 'mnemonic' || curve === 'secp256k1');
}

function decode(options: KeyFileOptions, format: KeyFormat, content: Buffer, output: Buffer): number {
  if (format === 'keystore') return decodeWithPassword(options, content, output);
  if (options.passwordFile !== undefined) {
    throw new KeyFileError(
      options.file,
      'a password file was given, but it is not a keystore; remove the password file',
    );
  }
  if (format === 'mnemonic') return decodeDerivedKey(options, content, output);
  if (format === 'hex') return options.isNumber ? decodeHexNumber(content, output) : decodeHex(content, output);
  if (format === 'base58') return decodeBase58Key(options, content, output);
  if (format === 'base64') return decodeBase64(content, output);
  if (format === 'base64url') return decodeBase64Url(content, output);
  if (format === 'pem' && options.isRsa === true) return decodeRsaPem(content, output);
  if (format === 'pem') return decodePkcs8(content, output, options.curve);
  if (format === 'solana') return decodeSolana(content, output);
  if (format === 'utf8') return decodeText(content, output);
  if (format === 'base64-text') return decodeTextToBase64(content, output);
  if (content.length > output.length) throw new MalformedSecretError(`it has more than ${output.length} bytes`);
  return copySecret(content, output);
}

function decodeBase58Key({ curve }: KeyFileOptions, content: Buffer, output: Buffer): number {
  if (curve === 'secp256k1' && hasEd25519Prefix(content)) {
    throw new MalformedSecretError('it has a key for Ed25519, but one for secp256k1 is required');
  }
  return decodeBase58(withoutEd25519Prefix(content), output);
}

function decodeDerivedKey({ curve, derivationPath }: KeyFileOptions, content: Buffer, output: Buffer): number {
  if (curve !== 'secp256k1') throw new MalformedSecretError('a mnemonic is only supported for secp256k1');
  const path = parseDerivationPath(derivationPath ?? '');
  // The path is not quoted: it may be a misplaced mnemonic.
  if (path === undefined) throw new MalformedSecretError(`its derivation path ${DERIVATION_PATH_MESSAGE}`);
  return decodeMnemonic(content, path, output);
}

function decodeWithPassword({ file, passwordFile }: KeyFileOptions, content: Buffer, output: Buffer): number {
  if (passwordFile === undefined) {
    throw new KeyFileError(file, 'it is a keystore; give the file with its password');
  }
  return withSecretFile(passwordFile, MAX_PASSWORD_FILE_BYTES, (password) =>
    decodeKeystore(content, withoutFinalNewline(password), output),
  );
}

/** Strips the verified public key that follows the seed. */
function validateKey(options: KeyFileOptions, decoded: Buffer): Buffer {
  const { file, lengths } = options;
  if (decoded.length >= lengths.min && decoded.length <= lengths.max) return decoded;
  if (!acceptsKeyPair(options) || decoded.length !== SEED_WITH_PUBLIC_KEY_BYTES) {
    const needed = formatBounds(lengths);
    throw new KeyFileError(file, `it has ${decoded.length} bytes; a private key of ${needed} bytes is required`);
  }
  const seed = decoded.subarray(0, SEED_BYTES);
  if (isPublicKeyOfSeed(decoded.subarray(SEED_BYTES), seed)) return seed;
  throw new KeyFileError(
    file,
    'its second half is not the Ed25519 public key of its first; check that it is a key pair',
  );
}

function withFileName<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof MalformedSecretError) throw new KeyFileError(file, error.message, error);
    throw error;
  }
}
