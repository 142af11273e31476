import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, statfsSync, unlinkSync, writeSync } from 'node:fs';
import { OperatorError } from '../../domain/model/errors.ts';
import { systemErrorCode } from '../files/system-error-code.ts';

const FOLDER = '/dev/shm';
/** File systems in memory (statfs(2)): TMPFS_MAGIC and RAMFS_MAGIC. */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6];
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
const ZEROS = Buffer.alloc(4096);

/** RSA keys of several thousand accounts. */
export const MAX_MEMORY_FILE_BYTES = 16 * 1024 * 1024;

/**
 * A file in memory without a name: only processes that inherit its descriptor can read it. It
 * passes secrets between this process and a key helper.
 */
export class MemoryFile {
  readonly descriptor: number;

  /** @throws OperatorError without a writable file system in memory at /dev/shm */
  constructor() {
    this.descriptor = openUnnamed();
  }

  /** Bytes written to it. */
  get size(): number {
    return fstatSync(this.descriptor).size;
  }

  /** Writes at the start. @throws OperatorError if the file system is full */
  write(bytes: Uint8Array): void {
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.descriptor, bytes, done, bytes.length - done, done);
      }
    } catch (error) {
      throw notUsable('it is full', error);
    }
  }

  /** Fills `target` from a position. */
  read(position: number, target: Buffer): void {
    for (let done = 0; done < target.length; ) {
      const count = readSync(this.descriptor, target, done, target.length - done, position + done);
      if (count === 0) throw new RangeError('A file in memory ended early.');
      done += count;
    }
  }

  /** Overwrites its content with zeros, as far as keys reach, and removes it. */
  close(): void {
    try {
      for (let left = Math.min(this.size, MAX_MEMORY_FILE_BYTES), position = 0; left > 0; ) {
        const count = writeSync(this.descriptor, ZEROS, 0, Math.min(left, ZEROS.length), position);
        left -= count;
        position += count;
      }
    } finally {
      closeSync(this.descriptor);
    }
  }
}

function openUnnamed(): number {
  const path = `${FOLDER}/signing-service-${randomUUID()}`;
  try {
    if (!IN_MEMORY.includes(statfsSync(FOLDER).type)) throw notInMemory();
    const descriptor = openSync(path, FLAGS, 0o600);
    unlinkSync(path);
    return descriptor;
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw notUsable('no file can be created there', error);
  }
}

function notUsable(problem: string, cause: unknown): OperatorError {
  return new OperatorError(
    `Keys are passed between processes in memory at ${FOLDER}, but ${problem} (${systemErrorCode(cause)}). ` +
      `Mount it as a tmpfs that this user can write: \`--shm-size\` or \`--tmpfs ${FOLDER}\` in a container, an emptyDir of medium Memory in Kubernetes.`,
    { cause },
  );
}

function notInMemory(): OperatorError {
  return new OperatorError(
    `Keys are passed between processes in memory, but ${FOLDER} is a folder on a disk. Mount a tmpfs there: \`mount -t tmpfs tmpfs ${FOLDER}\`.`,
  );
}
