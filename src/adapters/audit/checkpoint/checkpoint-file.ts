import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { AuditCheckpoint } from '../../../domain/model/audit-entry.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { type FileAccess, takeOver } from '../writer/file-system.ts';
import type { CheckpointTarget } from './checkpoint-copy.ts';

/** Appends; never follows a link, and never waits for the reader of a pipe. */
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** Readable to the group: to auditors, on a shared mount. */
const FILE_MODE = 0o640;
const NEWLINE = 0x0a;
/** First characters of each line. */
const BEGINNING = '{"instanceId":';

/** A file of checkpoints, one JSON line each. Opened for each line, so that it may be rotated. */
export class CheckpointFile implements CheckpointTarget {
  readonly setting = 'SIGNING_AUDIT_CHECKPOINT_FILE';
  readonly place: string;
  /** Of the last file, which a new one inherits; without one, it is readable to the group. */
  #access: FileAccess | null = null;

  constructor(path: string) {
    this.place = path;
  }

  /** Durable when it resolves. */
  async save({ instanceId, seq, time, hash, sig }: AuditCheckpoint): Promise<void> {
    const file = await this.#open();
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new Error(`${this.place} is not a regular file`);
      this.#access = stats;
      // It may be the audit or credentials file under another path, which a line would corrupt.
      if (!BEGINNING.startsWith(await readBeginning(file)))
        throw new Error(`${this.place} contains something other than checkpoints`);
      // A crash may have left part of a line.
      const isWhole = stats.size === 0 || (await readByte(file, stats.size - 1)) === NEWLINE;
      const line = JSON.stringify({ instanceId, seq, time, hash, sig });
      await file.appendFile(`${isWhole ? '' : '\n'}${line}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async #open(): Promise<FileHandle> {
    try {
      return await open(this.place, FLAGS);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
    const file = await open(this.place, FLAGS | constants.O_CREAT, FILE_MODE);
    try {
      await takeOver(file, this.#access ?? { ...(await file.stat()), mode: FILE_MODE });
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }
}

/** The first characters, at most those of {@link BEGINNING}. */
async function readBeginning(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING.length), 0, BEGINNING.length, 0);
  return buffer.toString('latin1', 0, bytesRead);
}

async function readByte(file: FileHandle, position: number): Promise<number> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, position);
  return buffer.readUInt8();
}
