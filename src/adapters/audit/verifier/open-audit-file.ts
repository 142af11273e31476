import { type FileHandle, readdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { OperatorError } from '../../../domain/model/errors.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { getFileIdentity, openRegularFile, readFileIdentity } from '../../files/open-regular-file.ts';
import { readLines } from '../record/file-lines.ts';
import type { ReadRecord } from '../record/read-record.ts';
import { MAX_LINE_BYTES } from '../record/record-fields.ts';
import { readFirstRecord } from '../record/segment-files.ts';
import { CompressedAuditFile } from './compressed-audit-file.ts';
import type { SegmentFile } from './find-chain.ts';
import { isMissing, toReadError } from './read-error.ts';
import { type FirstText, INCOMPLETE, type VerifiableBlock, type VerifiableFile } from './verifiable-file.ts';

const NEWLINE = 0x0a;
/** Between reads of an incomplete line, milliseconds. */
const PAUSE_MS = 20;

/** A file that is not compressed, read up to its size when opened: it may grow. */
class GrowingAuditFile implements VerifiableFile {
  readonly name: string;
  readonly identity: string;
  readonly isCompressed = false;
  readonly #handle: FileHandle;
  readonly #lineTimeoutMs: number;
  #size: number;

  constructor(name: string, handle: FileHandle, at: { identity: string; size: number; lineTimeoutMs: number }) {
    this.name = name;
    this.identity = at.identity;
    this.#handle = handle;
    this.#size = at.size;
    this.#lineTimeoutMs = at.lineTimeoutMs;
  }

  get size(): number {
    return this.#size;
  }

  async firstLine(): Promise<FirstText> {
    const end = await this.#endOfLine(0);
    if (end === null) return { issue: INCOMPLETE };
    this.#size = Math.max(this.#size, end);
    for await (const { lines } of readLines(this.#handle, 0, end)) return { line: lines[0] ?? null };
    return { issue: INCOMPLETE };
  }

  async limitTo(size: number): Promise<void> {
    this.#size = size;
    await this.#assertNotShorter();
  }

  async beginsWith({ hash }: ReadRecord): Promise<boolean> {
    return (await readFirstRecord(this.#handle))?.hash === hash;
  }

  async *blocks(isComplete: () => boolean): AsyncGenerator<VerifiableBlock, string | null> {
    let read = 0;
    for (;;) {
      for await (const { lines, end } of this.#lines(read)) {
        yield { lines, bytes: end - read, read: end - read };
        read = end;
      }
      if (read === this.#size && isComplete()) return null;
      const end = await this.#endOfLine(read);
      if (end === null) return read === this.#size ? null : INCOMPLETE;
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

/** First bytes of a gzip file (RFC 1952 §2.3.1); a record begins with `{`. */
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * Opens an audit file, gzip or not.
 * @param lineTimeoutMs how long to wait for the end of a line
 * @throws OperatorError when it cannot be opened or is not a regular file
 */
export async function openAuditFile(path: string, lineTimeoutMs: number): Promise<VerifiableFile> {
  const name = printable(path);
  try {
    const { handle, stats } = await openRegularFile(path);
    const at = { identity: getFileIdentity(stats), size: Number(stats.size) };
    const { buffer } = await handle.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0);
    return buffer.equals(GZIP)
      ? new CompressedAuditFile(name, handle, at)
      : new GrowingAuditFile(name, handle, { ...at, lineTimeoutMs });
  } catch (error) {
    throw toReadError('audit file', path, error);
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
export async function reopenFile(segment: SegmentFile, lineTimeoutMs: number): Promise<VerifiableFile> {
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

async function openFileIfExists(path: string, lineTimeoutMs: number): Promise<VerifiableFile | null> {
  try {
    return await openAuditFile(path, lineTimeoutMs);
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
): Promise<VerifiableFile | null> {
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
