import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { OperatorError } from '../../../domain/model/errors.ts';
import { type ReadableFile, readLines } from '../record/file-lines.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { MAX_LINE_BYTES } from '../record/record-fields.ts';
import { type FirstText, INCOMPLETE, type VerifiableBlock, type VerifiableFile } from './verifiable-file.ts';

const NEWLINE = 0x0a;
const CHUNK_BYTES = 256 * 1024;

const TRUNCATED = 'is a truncated gzip file: its last records are missing';
const TRAILING = 'is a damaged gzip file: other bytes follow the compressed data';

/** A gzip file (RFC 1952), decompressed while it is read, in constant memory. */
export class CompressedAuditFile implements VerifiableFile {
  readonly name: string;
  readonly identity: string;
  readonly isCompressed = true;
  readonly size: number;
  readonly #handle: FileHandle;

  constructor(name: string, handle: FileHandle, { identity, size }: { identity: string; size: number }) {
    this.name = name;
    this.identity = identity;
    this.size = size;
    this.#handle = handle;
  }

  async firstLine(): Promise<FirstText> {
    const text = this.#decompress();
    try {
      for await (const { lines } of readLines(text, 0, Number.POSITIVE_INFINITY)) return { line: lines[0] ?? null };
      if (text.isLineTooLong) return { line: null };
      return text.length === 0 ? null : { issue: INCOMPLETE };
    } catch (error) {
      return { issue: toGzipIssue(error) };
    } finally {
      text.close();
    }
  }

  async limitTo(size: number): Promise<void> {
    if ((await this.#handle.stat()).size === size && size === this.size) return;
    throw new OperatorError(`The audit file ${this.name} changed while it was being read: verify again.`);
  }

  async beginsWith({ hash }: ReadRecord): Promise<boolean> {
    const first = await this.firstLine();
    if (first === null || 'issue' in first) return false;
    const record = readRecord(first.line);
    return !('issue' in record) && record.hash === hash;
  }

  async *blocks(): AsyncGenerator<VerifiableBlock, string | null> {
    const text = this.#decompress();
    let end = 0;
    let read = 0;
    try {
      for await (const block of readLines(text, 0, Number.POSITIVE_INFINITY)) {
        yield { lines: block.lines, bytes: block.end - end, read: text.compressedLength - read };
        end = block.end;
        read = text.compressedLength;
      }
    } catch (error) {
      return toGzipIssue(error);
    } finally {
      text.close();
    }
    if (text.isLineTooLong) {
      yield { lines: [null], bytes: text.length - end, read: 0 };
      return null;
    }
    if (text.length > end) return INCOMPLETE;
    return text.compressedLength === this.size ? null : TRAILING;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  #decompress(): DecompressedText {
    return new DecompressedText(this.#handle, this.size);
  }
}

/** @throws an error of the system, not of zlib */
function toGzipIssue(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string' || !code.startsWith('Z_')) throw error;
  return code === 'Z_BUF_ERROR' ? TRUNCATED : `is a damaged gzip file (${code})`;
}

/** A stream of the handle would close it when it ends early. */
async function* readChunks(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < size; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - position));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/** Content of a gzip file, to read once from its start. Ends early at a line that is too long. */
class DecompressedText implements ReadableFile {
  readonly #gunzip: Gunzip;
  readonly #chunks: AsyncIterator<Buffer>;
  #chunk: Buffer = Buffer.alloc(0);
  #length = 0;
  #lineStart = 0;

  constructor(handle: FileHandle, size: number) {
    this.#gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    // An error also ends the iteration, which throws it.
    pipeline(Readable.from(readChunks(handle, size), { objectMode: false }), this.#gunzip, () => undefined);
    this.#chunks = this.#gunzip[Symbol.asyncIterator]();
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of the file so far. */
  get compressedLength(): number {
    return this.#gunzip.bytesWritten;
  }

  /** Whether it ended early. */
  get isLineTooLong(): boolean {
    return this.#length - this.#lineStart > MAX_LINE_BYTES;
  }

  async read(buffer: Buffer, offset: number, length: number): Promise<{ readonly bytesRead: number }> {
    if (this.isLineTooLong || !(await this.#hasChunk())) return { bytesRead: 0 };
    const bytesRead = this.#chunk.copy(buffer, offset, 0, length);
    const newline = this.#chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline !== -1) this.#lineStart = this.#length + newline + 1;
    this.#length += bytesRead;
    this.#chunk = this.#chunk.subarray(bytesRead);
    return { bytesRead };
  }

  close(): void {
    this.#gunzip.destroy();
  }

  async #hasChunk(): Promise<boolean> {
    while (this.#chunk.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done === true) return false;
      this.#chunk = value;
    }
    return true;
  }
}
