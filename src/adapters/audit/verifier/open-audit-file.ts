import { type FileHandle, readdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { OperatorError } from '../../../domain/model/errors.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { getFileIdentity, openRegularFile, readFileIdentity } from '../../files/open-regular-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { MAX_LINE_BYTES } from '../record/audit-record.ts';
import { readLines } from '../record/file-lines.ts';
import type { ReadRecord } from '../record/read-record.ts';
import { readFirstRecord } from '../record/segment-files.ts';
import type { SegmentFile } from './find-chain.ts';

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist; check the path',
  EACCES: 'cannot be read by this user (EACCES); its owner can grant access',
  EISDIR: 'is a folder; give the files in it',
  EINVAL: 'is not a regular file',
  EMFILE: 'cannot be opened: the process has reached its limit on open files (EMFILE); raise `ulimit -n`',
};

/** @param what kind of file: `audit file` */
export function toReadError(what: string, path: string, error: unknown): OperatorError {
  const code = systemErrorCode(error);
  const reason = REASONS[code] ?? `cannot be read (${code})`;
  return new OperatorError(`The ${what} ${printable(path)} ${reason}.`, { cause: error });
}

/** Whether {@link toReadError} reported a missing file. */
export function isMissing(error: unknown): boolean {
  return error instanceof OperatorError && systemErrorCode(error.cause) === 'ENOENT';
}

/** Consecutive lines, and their length with newlines. */
export interface VerifiableBlock {
  /** Without newlines; null for one that cannot be a record. */
  readonly lines: readonly (string | null)[];
  readonly bytes: number;
}

const NEWLINE = 0x0a;
/** Between reads of an incomplete line, milliseconds. */
const PAUSE_MS = 20;

/** An open audit file, read up to its size when opened: it may grow. */
export class OpenAuditFile {
  /** Printable path. */
  readonly name: string;
  /** Device and inode. */
  readonly identity: string;
  readonly #handle: FileHandle;
  readonly #lineTimeoutMs: number;
  #size: number;

  private constructor(name: string, handle: FileHandle, at: { identity: string; size: number; lineTimeoutMs: number }) {
    this.name = name;
    this.identity = at.identity;
    this.#handle = handle;
    this.#size = at.size;
    this.#lineTimeoutMs = at.lineTimeoutMs;
  }

  /**
   * @param lineTimeoutMs how long to wait for the end of a line
   * @throws OperatorError when it cannot be opened or is not a regular file
   */
  static async open(path: string, lineTimeoutMs: number): Promise<OpenAuditFile> {
    const name = printable(path);
    try {
      const { handle, stats } = await openRegularFile(path);
      return new OpenAuditFile(name, handle, {
        identity: getFileIdentity(stats),
        size: Number(stats.size),
        lineTimeoutMs,
      });
    } catch (error) {
      throw toReadError('audit file', path, error);
    }
  }

  /** Bytes to read. */
  get size(): number {
    return this.#size;
  }

  /** The first line; undefined when empty or incomplete. */
  async firstLine(): Promise<string | null | undefined> {
    const end = await this.#endOfLine(0);
    if (end === null) return undefined;
    this.#size = Math.max(this.#size, end);
    for await (const { lines } of readLines(this.#handle, 0, end)) return lines[0];
    return undefined;
  }

  /**
   * Limits reading to an earlier size, bytes: later records may follow unknown files.
   * @throws OperatorError when the file became shorter
   */
  async limitTo(size: number): Promise<void> {
    this.#size = size;
    await this.#assertNotShorter();
  }

  /** Whether it begins with this segment record. */
  async beginsWith({ hash }: ReadRecord): Promise<boolean> {
    return (await readFirstRecord(this.#handle))?.hash === hash;
  }

  /**
   * All lines; waits for a group in progress.
   * @param isComplete whether what was read ends with a whole group
   * @returns whether the last line is complete
   */
  async *blocks(isComplete: () => boolean): AsyncGenerator<VerifiableBlock, boolean> {
    let read = 0;
    for (;;) {
      for await (const { lines, end } of this.#lines(read)) {
        yield { lines, bytes: end - read };
        read = end;
      }
      if (read === this.#size && isComplete()) return true;
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

  /** End offset of the line at `start`; null on timeout or if too long. */
  async #endOfLine(start: number): Promise<number | null> {
    const deadline = performance.now() + this.#lineTimeoutMs;
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
      `The audit file ${this.name} shrank while it was being read. If the service just removed a partially written line, verify again.`,
    );
  }
}

/** A folder listing can miss a file during a rename. */
const MAX_ATTEMPTS = 3;
const REOPEN_PAUSE_MS = 100;

/**
 * Reopens an inspected file, perhaps renamed meanwhile. The caller closes it.
 * @param lineTimeoutMs how long to wait for the end of a line
 * @throws OperatorError when it cannot be found or opened
 */
export async function reopenFile(segment: SegmentFile, lineTimeoutMs: number): Promise<OpenAuditFile> {
  const { path, name, identity } = segment.file;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const now = (await readFileIdentity(path)) === identity ? path : await findBeside(path, identity);
    const file = now === null ? null : await openIfSame(now, segment, lineTimeoutMs);
    if (file !== null) return file;
    await setTimeout(REOPEN_PAUSE_MS);
  }
  throw new OperatorError(`The audit file ${name} was moved, replaced or deleted during verification: verify again.`);
}

async function findBeside(path: string, identity: string): Promise<string | null> {
  // A link may point to a file in another folder.
  const folder = dirname(await realpath(path).catch(() => resolve(path)));
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if ((await readFileIdentity(join(folder, name))) === identity) return join(folder, name);
  }
  return null;
}

async function openFileIfExists(path: string, lineTimeoutMs: number): Promise<OpenAuditFile | null> {
  try {
    return await OpenAuditFile.open(path, lineTimeoutMs);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Null when another file has the path, or reuses the inode. */
async function openIfSame(
  path: string,
  { file, first }: SegmentFile,
  lineTimeoutMs: number,
): Promise<OpenAuditFile | null> {
  const opened = await openFileIfExists(path, lineTimeoutMs);
  if (opened === null) return null;
  try {
    if (opened.identity === file.identity) {
      // Content first: the size of another file means nothing.
      if (await opened.beginsWith(first)) {
        await opened.limitTo(file.size);
        return opened;
      }
    }
  } catch (error) {
    await opened.close();
    throw error;
  }
  await opened.close();
  return null;
}
