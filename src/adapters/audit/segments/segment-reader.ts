import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { getFileIdentity, openRegularFile, UnsuitableFileError } from '../../files/open-regular-file.ts';
import { isSystemError, systemErrorCode } from '../../files/system-error-code.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { type Line, type LineBlock, splitLines, toLines } from './lines.ts';
import { gzipPath, type Segment } from './segment-names.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Usually more than a first line. */
const FIRST_CHUNK_BYTES = 4096;
const NEWLINE = 0x0a;
/** First bytes of a gzip file (RFC 1952 §2.3.1); a record begins with `{`. */
const GZIP = Buffer.from([0x1f, 0x8b]);

/** A damaged gzip file; the message is a predicate to its name, without full stop. */
export class CompressionError extends Error {
  override readonly name = 'CompressionError';
}

/** An open segment, plain or compressed by gzip, which may grow. */
export class SegmentReader {
  readonly path: string;
  /** Device and inode: identifies the file, whatever its path. */
  readonly identity: string;
  readonly isCompressed: boolean;
  readonly #handle: FileHandle;
  #position = 0;
  /** Of a compressed file, bytes. */
  #decompressedLength = 0;

  private constructor(path: string, handle: FileHandle, identity: string, isCompressed: boolean) {
    this.path = path;
    this.identity = identity;
    this.isCompressed = isCompressed;
    this.#handle = handle;
  }

  /** @throws UnsuitableFileError for other than a regular file; the system's error */
  static async open(path: string): Promise<SegmentReader> {
    const { handle, stats } = await openRegularFile(path);
    try {
      const { buffer } = await handle.read(Buffer.alloc(GZIP.length), 0, GZIP.length, 0);
      return new SegmentReader(path, handle, getFileIdentity(stats), buffer.equals(GZIP));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Size of the file, bytes. */
  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  /** Bytes of the file that the last reading has read, for its progress. */
  get position(): number {
    return this.#position;
  }

  /** Offset of the end of the content that the last reading has read, bytes. */
  get contentEnd(): number {
    return this.isCompressed ? this.#decompressedLength : this.#position;
  }

  /**
   * Complete lines from the start of a line on, as far as the file goes.
   * @param from offset in the (uncompressed) content, bytes
   * @param chunkBytes read at once
   * @throws CompressionError for a damaged gzip file
   */
  lines(from = 0, chunkBytes = CHUNK_BYTES): AsyncGenerator<LineBlock> {
    const chunks = this.isCompressed ? this.#decompressed(from, chunkBytes) : this.#chunks(from, chunkBytes);
    return toLines(chunks, from);
  }

  /** The first line; null without a complete one. @throws CompressionError */
  async firstLine(): Promise<Line | null> {
    for await (const { lines } of this.lines(0, FIRST_CHUNK_BYTES)) if (lines[0] !== undefined) return lines[0];
    return null;
  }

  /**
   * The last record; null for a compressed segment, and when the last line is something else.
   * @param stop start of a line, or the end of the file, bytes
   */
  async lastRecord(stop?: number): Promise<ReadRecord | null> {
    if (this.isCompressed) return null;
    for await (const { lines } of this.linesBackwards(stop ?? (await this.size()))) {
      const record = readRecord(lines.at(-1)?.text ?? null);
      return 'issue' in record ? null : record;
    }
    return null;
  }

  /**
   * Blocks of complete lines from the end backwards. Only for a segment that is not compressed.
   * @param stop where to begin: the start of a line, or the end of the file, bytes
   */
  async *linesBackwards(stop: number): AsyncGenerator<LineBlock> {
    for (let end = await this.lineEnd(stop); end > 0; ) {
      const from = Math.max(0, end - CHUNK_BYTES);
      const bytes = await this.read(from, end - from);
      const begin = from === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
      const found = splitLines(bytes.subarray(begin), from + begin);
      // Without one, the last line is longer than a chunk.
      const lines = found.length > 0 ? found : [{ text: null, offset: await this.lineEnd(end - 1) }];
      yield { lines, end };
      end = lines[0]?.offset ?? 0;
    }
  }

  /** Number of newlines before an offset (bytes). Only for a segment that is not compressed. */
  async countLines(stop: number): Promise<number> {
    let lines = 0;
    for (let from = 0; from < stop; from += CHUNK_BYTES) {
      const chunk = await this.read(from, Math.min(CHUNK_BYTES, stop - from));
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
    }
    return lines;
  }

  /**
   * Offset just after the last newline before `stop`, bytes; 0 without one. Only for a segment that
   * is not compressed.
   */
  async lineEnd(stop: number): Promise<number> {
    for (let end = stop; end > 0; end -= CHUNK_BYTES) {
      const from = Math.max(0, end - CHUNK_BYTES);
      const newline = (await this.read(from, end - from)).lastIndexOf(NEWLINE);
      if (newline !== -1) return from + newline + 1;
    }
    return 0;
  }

  /** Bytes from an offset on, fewer at the end of the file. */
  async read(position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    for (let offset = 0; ; ) {
      const { bytesRead } = await this.#handle.read(bytes, offset, length - offset, position + offset);
      offset += bytesRead;
      if (bytesRead === 0 || offset === length) return bytes.subarray(0, offset);
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async *#chunks(from: number, chunkBytes: number): AsyncGenerator<Buffer> {
    this.#position = from;
    for (;;) {
      const chunk = await this.read(this.#position, chunkBytes);
      if (chunk.length === 0) return;
      this.#position += chunk.length;
      yield chunk;
    }
  }

  async *#decompressed(from: number, chunkBytes: number): AsyncGenerator<Buffer> {
    const gunzip = createGunzip({ chunkSize: chunkBytes });
    // An error also ends the iteration, which throws it.
    pipeline(Readable.from(this.#chunks(0, chunkBytes), { objectMode: false }), gunzip, () => undefined);
    this.#decompressedLength = 0;
    try {
      for await (const chunk of gunzip) {
        const skipped = Math.max(0, from - this.#decompressedLength);
        this.#decompressedLength += chunk.length;
        yield chunk.subarray(skipped);
      }
    } catch (error) {
      throw toCompressionError(error);
    }
    if (gunzip.bytesWritten < (await this.size()))
      throw new CompressionError('is a damaged gzip file: other bytes follow the compressed data');
  }
}

/**
 * Opens a listed segment, which may have been compressed since; null if it is gone.
 * @throws UnsuitableFileError for other than a regular file; the error of open(2)
 */
export async function openSegment({ path }: Pick<Segment, 'path'>): Promise<SegmentReader | null> {
  for (const name of [path, gzipPath(path)]) {
    try {
      return await SegmentReader.open(name);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
  }
  return null;
}

/** {@link openSegment} that closes the segment after `use`; null if it is gone. */
export async function withSegment<Result>(
  segment: Pick<Segment, 'path'>,
  use: (reader: SegmentReader) => Promise<Result>,
): Promise<Result | null> {
  const reader = await openSegment(segment);
  try {
    return reader === null ? null : await use(reader);
  } finally {
    await reader?.close();
  }
}

/**
 * {@link SegmentReader.lastRecord}; null also for a segment that is gone or that this user cannot
 * read.
 */
export async function readLastRecord(segment: Segment): Promise<ReadRecord | null> {
  try {
    return await withSegment(segment, (reader) => reader.lastRecord());
  } catch (error) {
    if (isSystemError(error) || error instanceof UnsuitableFileError) return null;
    throw error;
  }
}

/** @returns the error itself unless it is one of zlib */
function toCompressionError(error: unknown): unknown {
  const code = systemErrorCode(error);
  if (!code.startsWith('Z_')) return error;
  const isTruncated = code === 'Z_BUF_ERROR';
  const message = isTruncated
    ? 'is a truncated gzip file: its last records are missing'
    : `is a damaged gzip file (${code})`;
  return new CompressionError(message, { cause: error });
}

const REASONS: { readonly [code: string]: string } = {
  ENOENT: 'does not exist; check the path',
  ENOTDIR: 'does not exist; check the path',
  EACCES: 'cannot be read by this user (EACCES); its owner can grant access',
  EISDIR: 'is a folder; give the path of a file',
  EINVAL: 'is not a regular file',
  EMFILE: 'cannot be opened: the process has reached its limit on open files (EMFILE); raise `ulimit -n`',
};

/**
 * Why a file cannot be opened or read: a predicate to its name, without full stop.
 * @throws the error itself if it is a bug
 */
export function formatReadError(error: unknown): string {
  if (!isSystemError(error) && !(error instanceof UnsuitableFileError)) throw error;
  const code = systemErrorCode(error);
  return REASONS[code] ?? `cannot be read (${code})`;
}
