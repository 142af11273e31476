import { z } from 'zod';
import { formatLengths, getKeyLengths, type SecretBytes } from '../../domain/model/account.ts';
import type { DecodedKey, KeyToDecode } from '../../key-helpers/key-formats.ts';
import type { MemoryFile } from './memory-file.ts';
import { runKeyHelper, toProgram } from './run-key-helper.ts';

/** For scrypt of the highest cost that is accepted. */
const TIMEOUT_PER_KEY_MS = 60_000;

const RESPONSE = z.strictObject({
  keys: z.array(
    z.union([
      z.strictObject({ length: z.int().min(0) }),
      z.strictObject({ problem: z.string(), in: z.enum(['file', 'passwordFile']), code: z.string().optional() }),
    ]),
  ),
}) satisfies z.ZodType<{ readonly keys: readonly DecodedKey[] }, unknown>;

const NO_SUCH_FILE: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'];

/** Why a private key is not available. */
interface KeyProblem {
  /** A clause about "it", the file or the plaintext. */
  readonly problem: string;
  readonly in: 'file' | 'passwordFile';
  /** Undefined for a plaintext. */
  readonly file: string | undefined;
  /** Whether there is no file at the path: it may be the secret itself, so do not quote it. */
  readonly isMissing: boolean;
}

/**
 * Decodes private keys in one run of the key helper `decode-key`.
 * @returns the keys and problems, which the caller closes
 * @throws OperatorError if the helper cannot be run
 */
export async function decodeKeys(keys: readonly KeyToDecode[]): Promise<DecodedKeys> {
  const command = toProgram('decode-key');
  const timeoutMs = TIMEOUT_PER_KEY_MS * keys.length;
  const timeoutAdvice = 'export keystores with a lower cost, or use fewer';
  const helper = { name: 'decode-key', command, environment: {}, timeoutMs, timeoutAdvice };
  const { response, secrets } = await runKeyHelper(helper, { keys }, RESPONSE);
  return new DecodedKeys(keys, response.keys, secrets);
}

/** Decoded keys in a file in memory, which only this process reads, until `close`. */
export class DecodedKeys {
  readonly #keys: readonly KeyToDecode[];
  readonly #decoded: readonly DecodedKey[];
  readonly #secrets: MemoryFile;

  /**
   * @param decoded one for each key
   * @param secrets the decoded keys, one after another; owned
   */
  constructor(keys: readonly KeyToDecode[], decoded: readonly DecodedKey[], secrets: MemoryFile) {
    this.#keys = keys;
    this.#decoded = decoded;
    this.#secrets = secrets;
  }

  /** Why there is no key, of a length that its algorithm takes; null if there is one. */
  problemOf(index: number): KeyProblem | null {
    const [key, decoded] = [this.#keys[index], this.#decoded[index]];
    if (key === undefined || decoded === undefined) throw new RangeError(`There is no key ${index}.`);
    if ('problem' in decoded) {
      const file = 'file' in key ? key[decoded.in] : undefined;
      return { ...decoded, file, isMissing: NO_SUCH_FILE.includes(decoded.code ?? '') };
    }
    const { length } = decoded;
    const lengths = getKeyLengths(key.algorithm);
    if (length >= lengths.min && length <= lengths.max) return null;
    const problem = `it has ${length} bytes; ${formatLengths(lengths)} are required`;
    return { problem, in: 'file', file: 'file' in key ? key.file : undefined, isMissing: false };
  }

  /**
   * Passes a key to a synchronous callback, in locked memory that is wiped afterwards.
   * @throws MemoryLockError
   */
  use<Result>(index: number, use: (privateKey: SecretBytes) => Result): Result {
    return this.#secrets.use(this.#decoded, index, use);
  }

  /** Wipes the keys. */
  close(): void {
    this.#secrets.close();
  }
}
