import sodium from 'sodium-native';
import { decodeBase58 } from './decode-base58.ts';
import { decodeBase64 } from './decode-base64.ts';
import { decodeHex } from './decode-hex.ts';
import { decodeKeystore } from './decode-keystore.ts';
import { decodePkcs8, type PemCurve } from './decode-pkcs8.ts';
import { decodeSolana } from './decode-solana.ts';
import { decodeText, decodeTextToBase64 } from './decode-text.ts';
import { detectKeyFormat, KEY_FORMATS, type KeyFormat } from './detect-key-format.ts';
import { isPublicKeyOfSeed } from './ed25519-key-pair.ts';
import { hasEd25519Prefix, withoutEd25519Prefix } from './ed25519-prefix.ts';
import { withoutFinalNewline } from './final-newline.ts';
import { KeyFileError } from './key-file-error.ts';
import { boundsText, type LengthBounds } from './length-bounds.ts';
import { withLockedBytes } from './locked-buffer.ts';
import { MalformedSecretError } from './malformed-secret-error.ts';
import { withSecretFile } from './secret-file.ts';

const MAX_KEY_FILE_BYTES = 16_384;
const MAX_PASSWORD_FILE_BYTES = 1024;
const SEED_BYTES = 32;
const SEED_WITH_PUBLIC_KEY_BYTES = 64;

/** Which key file to read, and what must be in it. */
export interface KeyFileOptions {
  readonly file: string;
  /** Absent: told from the content where that is certain; keys of varying length need it named. */
  readonly format?: KeyFormat | undefined;
  /** File that holds a keystore's password, one final newline not counted; for a keystore only. */
  readonly passwordFile?: string | undefined;
  /** Bytes that the private key may have. */
  readonly lengths: LengthBounds;
  /** Curve that a PEM file must name; absent: Ed25519 or secp256k1. */
  readonly curve?: PemCurve | undefined;
  /**
   * Whether an Ed25519 key of 32 bytes may also stand as 64, seed and public key, as libsodium and Solana write it. The public key must be the seed's.
   */
  readonly allowSeedWithPublicKey?: boolean | undefined;
}

/**
 * Lends the private key in a file: of a length within `lengths`, read and decoded in locked memory, wiped however `use` ends.
 *
 * @throws KeyFileError when the file can't be read, its format is in doubt, or it does not hold exactly such a key
 */
export function withKeyFile<Result>(options: KeyFileOptions, use: (privateKey: Buffer) => Result): Result {
  return withSecretFile(options.file, MAX_KEY_FILE_BYTES, (content) => {
    const format = options.format ?? detectFormat(options, content);
    return withLockedBytes(mayBePair(options) ? SEED_WITH_PUBLIC_KEY_BYTES : options.lengths.max, (decoded) => {
      const written = withFileName(options.file, () => decode(options, format, content, decoded));
      return use(checkedKey(options, decoded.subarray(0, written)));
    });
  });
}

/** Lends `length` fresh random bytes in locked memory, wiped however `use` ends. */
export function withGeneratedKey<Result>(length: number, use: (privateKey: Buffer) => Result): Result {
  return withLockedBytes(length, (bytes) => {
    sodium.randombytes_buf(bytes);
    return use(bytes);
  });
}

function mayBePair({ lengths, allowSeedWithPublicKey }: KeyFileOptions): boolean {
  return allowSeedWithPublicKey === true && lengths.max === SEED_BYTES;
}

function detectFormat(options: KeyFileOptions, content: Buffer): KeyFormat {
  const { min, max } = options.lengths;
  const lengths = mayBePair(options) ? [max, SEED_WITH_PUBLIC_KEY_BYTES] : [max];
  const format = min === max ? detectKeyFormat(content, lengths) : undefined;
  if (format !== undefined) return format;
  throw new KeyFileError(
    options.file,
    `its format is not certain from its content; name it, with --key-format or "format": ${KEY_FORMATS.join(', ')}`,
  );
}

function decode(options: KeyFileOptions, format: KeyFormat, content: Buffer, output: Buffer): number {
  if (format === 'keystore') return decodeWithPassword(options, content, output);
  if (options.passwordFile !== undefined) {
    throw new KeyFileError(
      options.file,
      'a password file was given, but it is no keystore; leave the password file out',
    );
  }
  if (format === 'hex') return decodeHex(content, output);
  if (format === 'base58') return decodeBase58Key(options, content, output);
  if (format === 'base64') return decodeBase64(content, output);
  if (format === 'pem') return decodePkcs8(content, output, options.curve);
  if (format === 'solana') return decodeSolana(content, output);
  if (format === 'utf8') return decodeText(content, output);
  if (format === 'base64-text') return decodeTextToBase64(content, output);
  if (content.length > output.length) throw new MalformedSecretError(`it holds more than ${output.length} bytes`);
  return content.copy(output);
}

function decodeBase58Key({ curve }: KeyFileOptions, content: Buffer, output: Buffer): number {
  if (curve === 'secp256k1' && hasEd25519Prefix(content)) {
    throw new MalformedSecretError('it holds a key for Ed25519, and one for secp256k1 is needed');
  }
  return decodeBase58(withoutEd25519Prefix(content), output);
}

function decodeWithPassword({ file, passwordFile }: KeyFileOptions, content: Buffer, output: Buffer): number {
  if (passwordFile === undefined) {
    throw new KeyFileError(file, 'it is a keystore, which needs its password; name the file that holds the password');
  }
  return withSecretFile(passwordFile, MAX_PASSWORD_FILE_BYTES, (password) =>
    decodeKeystore(content, withoutFinalNewline(password), output),
  );
}

/** The key alone, where the public key stood behind it. */
function checkedKey(options: KeyFileOptions, decoded: Buffer): Buffer {
  const { file, lengths } = options;
  if (decoded.length >= lengths.min && decoded.length <= lengths.max) return decoded;
  if (!mayBePair(options) || decoded.length !== SEED_WITH_PUBLIC_KEY_BYTES) {
    const needed = boundsText(lengths);
    throw new KeyFileError(file, `it holds ${decoded.length} bytes; a private key of ${needed} bytes is needed`);
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
