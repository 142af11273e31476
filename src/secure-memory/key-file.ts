import sodium from 'sodium-native';
import { decodeBase58 } from './decode-base58.ts';
import { decodeBase64 } from './decode-base64.ts';
import { decodeHex } from './decode-hex.ts';
import { decodeKeystore } from './decode-keystore.ts';
import { decodePkcs8, type PemCurve } from './decode-pkcs8.ts';
import { decodeSolana } from './decode-solana.ts';
import { detectKeyFormat, KEY_FORMATS, type KeyFormat } from './detect-key-format.ts';
import { isPublicKeyOfSeed } from './ed25519-key-pair.ts';
import { withoutFinalNewline } from './final-newline.ts';
import { KeyFileError } from './key-file-error.ts';
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
  /** Absent: told from the content where that is certain. */
  readonly format?: KeyFormat | undefined;
  /** File that holds a keystore's password, one final newline not counted; for a keystore only. */
  readonly passwordFile?: string | undefined;
  /** Bytes that the private key must have. */
  readonly length: number;
  /** Curve that a PEM file must name; absent: Ed25519 or secp256k1. */
  readonly curve?: PemCurve | undefined;
  /**
   * Whether an Ed25519 key of 32 bytes may also stand as 64, seed and public key, as libsodium and Solana write it. The public key must be the seed's.
   */
  readonly allowSeedWithPublicKey?: boolean | undefined;
}

/**
 * Lends the private key in a file: exactly `length` bytes, read and decoded in locked memory, wiped however `use` ends.
 *
 * @throws KeyFileError when the file can't be read, its format is in doubt, or it does not hold exactly such a key
 */
export function withKeyFile<Result>(options: KeyFileOptions, use: (privateKey: Buffer) => Result): Result {
  const lengths = acceptedLengths(options);
  return withSecretFile(options.file, MAX_KEY_FILE_BYTES, (content) => {
    const format = options.format ?? detectKeyFormat(content, lengths) ?? refuseUncertain(options);
    return withLockedBytes(Math.max(...lengths), (decoded) => {
      const written = withFileName(options.file, () => decode(options, format, content, decoded));
      checkKey(options, decoded.subarray(0, written), lengths);
      return use(decoded.subarray(0, options.length));
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

function acceptedLengths({ length, allowSeedWithPublicKey }: KeyFileOptions): readonly number[] {
  return allowSeedWithPublicKey && length === SEED_BYTES ? [length, SEED_WITH_PUBLIC_KEY_BYTES] : [length];
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
  if (format === 'base58') return decodeBase58(content, output);
  if (format === 'base64') return decodeBase64(content, output);
  if (format === 'pem') return decodePkcs8(content, output, options.curve);
  if (format === 'solana') return decodeSolana(content, output);
  if (content.length > output.length) throw new MalformedSecretError(`it holds more than ${output.length} bytes`);
  return content.copy(output);
}

function decodeWithPassword({ file, passwordFile }: KeyFileOptions, content: Buffer, output: Buffer): number {
  if (passwordFile === undefined) {
    throw new KeyFileError(file, 'it is a keystore, which needs its password; name the file that holds the password');
  }
  return withSecretFile(passwordFile, MAX_PASSWORD_FILE_BYTES, (password) =>
    decodeKeystore(content, withoutFinalNewline(password), output),
  );
}

function checkKey({ file, length }: KeyFileOptions, key: Buffer, lengths: readonly number[]): void {
  if (!lengths.includes(key.length)) {
    throw new KeyFileError(file, `it holds ${key.length} bytes; a private key of ${length} bytes is needed`);
  }
  if (key.length === length) return;
  if (!isPublicKeyOfSeed(key.subarray(SEED_BYTES), key.subarray(0, SEED_BYTES))) {
    throw new KeyFileError(
      file,
      'its second half is not the Ed25519 public key of its first; check that it is a key pair',
    );
  }
}

function refuseUncertain({ file }: KeyFileOptions): never {
  throw new KeyFileError(
    file,
    `its format is not certain from its content; name it, with --key-format or "format": ${KEY_FORMATS.join(', ')}`,
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
