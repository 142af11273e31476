import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { MAX_LINE_BYTES } from '../../../audit-trail/audit-record.ts';
import { readLines } from '../../../audit-trail/file-lines.ts';
import type { ReadRecord } from '../../../audit-trail/read-record.ts';
import { readFirstRecord } from '../../../audit-trail/segment-files.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { identityOf } from './file-identity.ts';
import { unreadable } from './input-error.ts';
import { shownPath } from './shown-path.ts';

/** Lines that follow each other, and how many bytes they and their newlines have. */
export interface VerifiableBlock {
  /** Text of each line without its newline; null for what can't be a record. */
  readonly lines: readonly (string | null)[];
  readonly bytes: number;
}

const NEWLINE = 0x0a;
/** Pause between two looks at a line that is being written, milliseconds. */
const PAUSE_MS = 20;

/** An audit file that is open for reading. It is read as far as it reached when it was opened first: it may be growing. */
export class OpenAuditFile {
  /** Path as it is shown. */
  readonly name: string;
  /** Names the file itself, whatever its path is by now. */
  readonly identity: string;
  readonly #handle: FileHandle;
  readonly #patienceMs: number;
  #size: number;

  private constructor(name: string, handle: FileHandle, at: { identity: string; size: number; patienceMs: number }) {
    this.name = name;
    this.identity = at.identity;
    this.#handle = handle;
    this.#size = at.size;
    this.#patienceMs = at.patienceMs;
  }

  /**
   * @param patienceMs how long a line without an end is waited for
   * @throws OperatorError when it can't be opened or is no regular file
   */
  static async open(path: string, patienceMs: number): Promise<OpenAuditFile> {
    const name = shownPath(path);
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const stats = await handle.stat({ bigint: true });
      if (stats.isDirectory()) throw new OperatorError(`The audit file ${name} is a folder; name the files in it.`);
      if (!stats.isFile()) throw new OperatorError(`The audit file ${name} is no regular file.`);
      return new OpenAuditFile(name, handle, { identity: identityOf(stats), size: Number(stats.size), patienceMs });
    } catch (error) {
      await handle?.close();
      throw error instanceof OperatorError ? error : unreadable('audit file', path, error);
    }
  }

  /** Bytes that are read of it. */
  get size(): number {
    return this.#size;
  }

  /** The first line; undefined when the file is empty or its first line has no end. */
  async firstLine(): Promise<string | null | undefined> {
    const end = await this.#endOfLine(0);
    if (end === null) return undefined;
    this.#size = Math.max(this.#size, end);
    for await (const { lines } of readLines(this.#handle, 0, end)) return lines[0];
    return undefined;
  }

  /**
   * Goes back to the size that it had when it was looked at before, bytes: what came since may belong behind records of files that nobody knew of then.
   * @throws OperatorError when it became shorter
   */
  async readOnlyTo(size: number): Promise<void> {
    this.#size = size;
    await this.#assertNotShorter();
  }

  /** Whether it begins with this segment record. */
  async beginsWith({ hash }: ReadRecord): Promise<boolean> {
    return (await readFirstRecord(this.#handle))?.hash === hash;
  }

  /**
   * Every line. A last group that is just being written is waited for.
   * @param isSettled whether what was read so far ends with a whole group
   * @returns whether the last line has its end
   */
  async *blocks(isSettled: () => boolean): AsyncGenerator<VerifiableBlock, boolean> {
    let read = 0;
    for (;;) {
      for await (const { lines, end } of this.#lines(read)) {
        yield { lines, bytes: end - read };
        read = end;
      }
      if (read === this.#size && isSettled()) return true;
      const end = await this.#endOfLine(read);
      if (end === null) return read === this.#size;
      this.#size = Math.max(this.#size, end);
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  #lines(start: number) {
    return readLines(this.#handle, start, this.#size);
  }

  /** Offset behind the newline of the line that begins at `start`; null when none comes in time or the line is too long. */
  async #endOfLine(start: number): Promise<number | null> {
    const deadline = performance.now() + this.#patienceMs;
    const bytes = Buffer.alloc(MAX_LINE_BYTES);
    for (;;) {
      await this.#assertNotShorter();
      const { bytesRead } = await this.#handle.read(bytes, 0, MAX_LINE_BYTES, start);
      const newline = bytes.subarray(0, bytesRead).indexOf(NEWLINE);
      if (newline !== -1) return start + newline + 1;
      if (bytesRead === MAX_LINE_BYTES || performance.now() >= deadline) return null;
      await setTimeout(PAUSE_MS);
    }
  }

  async #assertNotShorter(): Promise<void> {
    const { size } = await this.#handle.stat();
    if (size >= this.#size) return;
    throw new OperatorError(
      `The audit file ${this.name} became shorter while it was read. If its service just took back a line that it could not write whole, verify it again.`,
    );
  }
}
