import { dirname, resolve } from 'node:path';
import type { KeyLengths, SecretBytes, SecretDecoding } from '../../domain/model/account.ts';
import { type Algorithm, isMacAlgorithm, type MacAlgorithm } from '../../domain/model/algorithm.ts';
import type { KeyFileFormat } from '../../ports/credential-editor.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { decodeBase58 } from '../key-files/base58.ts';
import { decodeBase64, decodeBase64Url } from '../key-files/base64.ts';
import { KEY_FORMATS, TEXT_FORMATS } from '../key-files/detect-key-format.ts';
import { decodeHex, decodeHexNumber } from '../key-files/hex.ts';
import { NUMBER_FORMATS, withKeyFile } from '../key-files/key-file.ts';
import type { PemCurve } from '../key-files/pkcs8.ts';
import { KeyFileError } from '../key-files/secret-file.ts';
import { formatBounds, MalformedSecretError } from '../key-files/secret-text.ts';
import { decodeText, decodeTextToBase64 } from '../key-files/text.ts';
import { LockedBuffer, MemoryLockError, withLockedBytes } from '../vault/locked-buffer.ts';
import type { MasterKeyRing } from './master-key/master-key-ring.ts';
import type { AccountEntry } from './schema/account-schema.ts';
import { openSealedKey, SEALED_KEY_LENGTHS, SealedKeyError } from './sealed-key.ts';

/** A key file as configured. */
export interface KeyFileReference {
  readonly file: string;
  /** Default: the platform's for HMAC secrets, otherwise detected. */
  readonly format?: KeyFileFormat | undefined;
  /** Password file of an Ethereum V3 keystore. */
  readonly passwordFile?: string | undefined;
  /** BIP-32 path of a mnemonic's key; default: {@link ETHEREUM_PATH} or {@link COSMOS_PATH}. */
  readonly derivationPath?: string | undefined;
}

/** HMAC secrets are neither curve keys nor given out as base58. */
const SECRET_FORMATS: readonly KeyFileFormat[] = ['raw', 'hex', 'base64', ...TEXT_FORMATS];
const KEY_PAIR_FORMATS: readonly KeyFileFormat[] = KEY_FORMATS.filter((format) => format !== 'mnemonic');
/** Key formats of algorithms that do not take all of them: no wallet keeps P-256 keys. */
const FORMATS_OF: { readonly [Name in Algorithm]?: readonly KeyFileFormat[] } = {
  starknet: NUMBER_FORMATS,
  'rsa-sha256': ['raw', 'hex', 'base64', 'pem'],
  es256: ['raw', 'hex', 'base64', 'pem'],
  eip191: KEY_FORMATS,
  eip712: KEY_FORMATS,
  'hyperliquid-l1': KEY_FORMATS,
  cosmos: KEY_FORMATS,
};

/** First account of Ethereum wallets (BIP-44, SLIP-0044). */
const ETHEREUM_PATH = "m/44'/60'/0'/0/0";
/** First account of Cosmos wallets (BIP-44, SLIP-0044). */
const COSMOS_PATH = "m/44'/118'/0'/0/0";

/**
 * Passes the private key in a file to a synchronous callback, in locked memory, then wipes it. An
 * ed25519 key may also be 64 bytes, seed and public key (Solana). The format of an HMAC secret is
 * never guessed: hex digits may mean characters or bytes. Hex digits of a Stark key may lack
 * leading zeros.
 * @throws KeyFileError if unreadable, without such a key, or of an unsuitable format
 */
export function withAccountKeyFile<Result>(
  reference: KeyFileReference,
  { algorithm, lengths, secretDecoding }: KeySpec,
  use: (privateKey: SecretBytes) => Result,
): Result {
  assertPathOfMnemonic(reference);
  if (isMacAlgorithm(algorithm)) {
    const format = reference.format ?? secretDecoding;
    assertFormat(reference.file, format, SECRET_FORMATS, 'an HMAC secret cannot have the format');
    return withKeyFile({ ...reference, format, lengths }, use);
  }
  const { file, format } = reference;
  const formats = FORMATS_OF[algorithm] ?? KEY_PAIR_FORMATS;
  if (format !== undefined) assertFormat(file, format, formats, `a key for ${algorithm} cannot have the format`);
  if (algorithm === 'starknet') return withKeyFile({ ...reference, lengths, isNumber: true }, use);
  if (algorithm === 'rsa-sha256') return withKeyFile({ ...reference, lengths, isRsa: true }, use);
  const curve = getCurve(algorithm);
  const derivationPath = reference.derivationPath ?? (algorithm === 'cosmos' ? COSMOS_PATH : ETHEREUM_PATH);
  return withKeyFile(
    { ...reference, derivationPath, lengths, curve, allowSeedWithPublicKey: curve === 'ed25519' },
    use,
  );
}

function assertPathOfMnemonic({ file, format, derivationPath }: KeyFileReference): void {
  if (derivationPath === undefined || format === 'mnemonic') return;
  throw new KeyFileError(
    file,
    'a derivation path was given, but its format is not mnemonic; set that with --key-format or "format", or remove the path',
  );
}

function getCurve(algorithm: Exclude<Algorithm, MacAlgorithm | 'starknet' | 'rsa-sha256'>): PemCurve {
  if (algorithm === 'es256') return 'p256';
  return algorithm === 'ed25519' ? algorithm : 'secp256k1';
}

function assertFormat(file: string, format: KeyFileFormat, allowed: readonly KeyFileFormat[], problem: string): void {
  if (allowed.includes(format)) return;
  const choice = allowed.join(', ');
  throw new KeyFileError(file, `${problem} ${format}; set its format with --key-format or "format": ${choice}`);
}

/** Decodes and returns the number of bytes. */
type Decode = (text: Buffer, output: Buffer) => number;

const SECRET_DECODERS: { readonly [Name in SecretDecoding]: Decode } = {
  utf8: decodeText,
  hex: decodeHex,
  base64: decodeBase64,
  base64url: decodeBase64Url,
  'base64-text': decodeTextToBase64,
};

/**
 * Decodes a plaintext key in locked memory: hex (`0x` allowed), base58, or an HMAC secret. For
 * development only: the string itself stays in ordinary memory.
 * @throws MalformedSecretError on other input or length
 */
function withPlaintextKey<Result>(plaintext: string, spec: KeySpec, use: (privateKey: SecretBytes) => Result): Result {
  const { lengths } = spec;
  return withLockedBytes(Buffer.byteLength(plaintext), (text) => {
    text.write(plaintext);
    return withLockedBytes(lengths.max, (privateKey) => {
      const written = selectDecoder(plaintext, spec)(text, privateKey);
      if (written < lengths.min || written > lengths.max) {
        throw new MalformedSecretError(`it has ${written} bytes; ${formatBounds(lengths)} are required`);
      }
      return use(privateKey.subarray(0, written));
    });
  });
}

function selectDecoder(plaintext: string, { algorithm, lengths, secretDecoding }: KeySpec): Decode {
  if (isMacAlgorithm(algorithm)) return SECRET_DECODERS[secretDecoding];
  if (algorithm === 'starknet') return decodeHexNumber;
  if (algorithm === 'rsa-sha256') throw new MalformedSecretError('an RSA key cannot be a plaintext; name its file');
  return isHex(plaintext, lengths) ? decodeHex : decodeBase58;
}

/** No base58 text of that many bytes is as long, and none has a zero. */
function isHex(plaintext: string, { max }: KeyLengths): boolean {
  return plaintext.startsWith('0x') || plaintext.length === 2 * max;
}

const NO_SUCH_FILE: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/** An account's key is unavailable. The message has nothing of the key. */
export class KeySourceError extends Error {
  override readonly name = 'KeySourceError';
}

/** Opens the keys of one reading of the credentials file. */
export class KeyOpener {
  readonly #folder: string;
  readonly #masterKeys: MasterKeyRing | undefined;
  /**
   * Reused for all sealed keys: freed buffers are unmapped only in a later event-loop tick, and
   * mappings are limited (vm.max_map_count, about 16,000 buffers).
   */
  #memory: LockedBuffer | undefined;
  #closed = false;

  /**
   * @param file the credentials file, base of relative paths
   * @param masterKeys owned; required for sealed keys
   */
  constructor(file: string, masterKeys: MasterKeyRing | undefined) {
    this.#folder = dirname(file);
    this.#masterKeys = masterKeys;
  }

  /**
   * Passes an account's key to `use` in locked memory, then wipes it. Errors of `use` pass through.
   * @throws KeySourceError if it cannot be read, opened or decoded, or has another length
   */
  open<Result>(account: AccountEntry, spec: KeySpec, use: (privateKey: SecretBytes) => Result): Result {
    if (this.#closed) throw new KeySourceError('is not accessible: this configuration was closed');
    let isOpened = false;
    try {
      return this.#open(account, spec, (privateKey) => {
        isOpened = true;
        return use(privateKey);
      });
    } catch (error) {
      if (isOpened || !isKeyError(error)) throw error;
      throw error instanceof KeySourceError ? error : new KeySourceError(error.message, { cause: error });
    }
  }

  /** Keeps keys and memory accessible while `work` opens many. Not re-entrant, synchronous. */
  together<Result>(work: () => Result): Result {
    const masterKeys = this.#masterKeys;
    if (masterKeys === undefined || this.#closed) return work();
    this.#memory ??= new LockedBuffer(SEALED_KEY_LENGTHS.max);
    return this.#memory.keepAccessible(() => masterKeys.keepAccessible(work));
  }

  /** Wipes master keys and memory. Idempotent. */
  close(): void {
    this.#closed = true;
    this.#masterKeys?.close();
    this.#memory?.free();
  }

  #open<Result>(account: AccountEntry, spec: KeySpec, use: (privateKey: SecretBytes) => Result): Result {
    const { key, publicKey } = account;
    if ('plaintext' in key) return withPlaintextKey(key.plaintext, spec, use);
    if ('file' in key) {
      const file = resolve(this.#folder, key.file);
      const passwordFile = key.passwordFile === undefined ? undefined : resolve(this.#folder, key.passwordFile);
      return hideMissingPath(file, () => withAccountKeyFile({ ...key, file, passwordFile }, spec, use));
    }
    if (this.#masterKeys === undefined || publicKey === undefined) {
      throw new Error('An account with a sealed key must have a publicKey, and its file a master key.');
    }
    this.#memory ??= new LockedBuffer(SEALED_KEY_LENGTHS.max);
    return openSealedKey(this.#masterKeys, { ...account, publicKey }, key.sealed, spec.lengths, this.#memory, use);
  }
}

/** Paths without a file are neither quoted nor kept as cause: they may be the secret itself. */
function hideMissingPath<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof KeyFileError) || !NO_SUCH_FILE.includes(systemErrorCode(error.cause))) throw error;
    const field = error.file === file ? 'file' : 'passwordFile';
    throw new KeySourceError(
      `has a "${field}" that does not exist: give the path of a file, not the secret itself; relative paths start at the folder of this credentials file`,
    );
  }
}

function isKeyError(error: unknown): error is Error {
  return (
    error instanceof KeySourceError ||
    error instanceof SealedKeyError ||
    error instanceof KeyFileError ||
    error instanceof MalformedSecretError ||
    error instanceof MemoryLockError
  );
}

/** Requirements on a private key. */
export interface KeySpec {
  readonly algorithm: Algorithm;
  readonly lengths: KeyLengths;
  /** Default encoding of an HMAC secret; ignored by other algorithms. */
  readonly secretDecoding: SecretDecoding;
}
