import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import type { SecretBytes } from '../../domain/model/account.ts';
import { OperatorError, UNAVAILABLE } from '../../domain/model/errors.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { withLockedBytes } from '../vault/locked-buffer.ts';

const FOLDER = '/dev/shm';
/** File systems in memory (statfs(2)): TMPFS_MAGIC and RAMFS_MAGIC. */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6];
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;

/** RSA keys of several thousand accounts. */
export const MAX_MEMORY_FILE_BYTES = 16 * 1024 * 1024;

/** A secret in such a file, by its length, or why there is none. */
type Entry = { readonly length: number } | { readonly problem: string };

/**
 * A file in memory without a name: only processes that inherit its descriptor can read it. It
 * passes secrets between this process and a key helper.
 */
export class MemoryFile {
  readonly descriptor: number;

  /** @throws OperatorError without a writable file system in memory at /dev/shm */
  constructor() {
    let opened: number | undefined;
    try {
      if (!IN_MEMORY.includes(statfsSync(FOLDER).type)) throw notInMemory();
      const path = `${FOLDER}/signing-service-${randomUUID()}`;
      opened = openSync(path, FLAGS, 0o600);
      unlinkSync(path);
      this.descriptor = opened;
    } catch (error) {
      if (opened !== undefined) closeSync(opened);
      throw error instanceof OperatorError ? error : notUsable('no file can be created there', error);
    }
  }

  /** Bytes written to it. */
  get size(): number {
    return fstatSync(this.descriptor).size;
  }

  /** Writes at the start. @throws OperatorError if the file system is full */
  write(bytes: Uint8Array): void {
    try {
      writeSync(this.descriptor, bytes, 0, bytes.length, 0);
    } catch (error) {
      throw notUsable('it is full', error);
    }
  }

  /**
   * Passes a secret to a synchronous callback, in locked memory that is wiped afterwards.
   * @param entries of a response, whose secrets are in the file one after another
   * @throws OperatorError if the file ends before the secret does; MemoryLockError
   */
  use<Result>(entries: readonly Entry[], index: number, action: (secret: SecretBytes) => Result): Result {
    const entry = entries[index];
    if (entry === undefined || 'problem' in entry) throw new RangeError(`Entry ${index} has no secret.`);
    const position = entries.slice(0, index).reduce((sum, one) => sum + ('length' in one ? one.length : 0), 0);
    return withLockedBytes(entry.length, (secret) => {
      if (readSync(this.descriptor, secret, 0, secret.length, position) === secret.length) return action(secret);
      throw new OperatorError(
        'A key helper wrote fewer bytes than it says; correct the program of SIGNING_MASTER_KEY_HELPER.',
      );
    });
  }

  /** Overwrites its content with zeros, as far as keys reach, and removes it. */
  close(): void {
    try {
      const zeros = Buffer.alloc(Math.min(this.size, MAX_MEMORY_FILE_BYTES));
      writeSync(this.descriptor, zeros, 0, zeros.length, 0);
    } catch {
      // Nothing was there to overwrite: the helper left it sparse, and the file system is full.
    } finally {
      closeSync(this.descriptor);
    }
  }
}

function notUsable(problem: string, cause: unknown): OperatorError {
  return new OperatorError(
    `Keys are passed between processes in memory at ${FOLDER}, but ${problem} (${systemErrorCode(cause)}). ` +
      `Mount it as a tmpfs that this user can write: \`--shm-size\` or \`--tmpfs ${FOLDER}\` in a container, an emptyDir of medium Memory in Kubernetes.`,
    { cause, code: UNAVAILABLE },
  );
}

function notInMemory(): OperatorError {
  return new OperatorError(
    `Keys are passed between processes in memory, but ${FOLDER} is a folder on a disk. Mount a tmpfs there: \`mount -t tmpfs tmpfs ${FOLDER}\`.`,
  );
}
