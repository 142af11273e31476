import type { FileHandle } from 'node:fs/promises';
import { getFileIdentity, openRegularFile } from '../../files/open-regular-file.ts';
import { type LineBlock, readLines } from '../record/file-lines.ts';
import { MAX_LINE_BYTES } from '../record/record-fields.ts';

/** What happened to the part already read. */
type FileChange =
  | 'none'
  /** The end was cut; the rest is unchanged. */
  | 'cut'
  /** It has other content. */
  | 'replaced';

/** Usually a whole line, whose hash covers everything before it. */
const SAMPLE_BYTES = 1024;
const NEWLINE = 0x0a;

/** An open file, its read offset, and samples to detect changes. */
export class FollowedFile {
  readonly path: string;
  /** Device and inode: identifies the open file, whatever its path. */
  readonly id: string;
  readonly #handle: FileHandle;
  #offset = 0;
  #startSample: Buffer = Buffer.alloc(0);
  #endSample: Buffer = Buffer.alloc(0);

  private constructor(path: string, id: string, handle: FileHandle) {
    this.path = path;
    this.id = id;
    this.#handle = handle;
  }

  /** @throws UnsuitableFileError for other than a regular file; the error of open(2) */
  static async open(path: string): Promise<FollowedFile> {
    const { handle, stats } = await openRegularFile(path);
    return new FollowedFile(path, getFileIdentity(stats), handle);
  }

  /** For readers with an offset of their own. */
  get handle(): FileHandle {
    return this.#handle;
  }

  /** Offset just after the last line read, bytes. */
  get offset(): number {
    return this.#offset;
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  /** Whether it has a readable line. */
  async hasLine(): Promise<boolean> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(MAX_LINE_BYTES), 0, MAX_LINE_BYTES, 0);
    return bytesRead === MAX_LINE_BYTES || buffer.subarray(0, bytesRead).includes(NEWLINE);
  }

  /** Sets the offset, which must be the start of a line. */
  async moveTo(offset: number): Promise<void> {
    this.#offset = offset;
    this.#startSample = await this.#read(0, Math.min(offset, SAMPLE_BYTES));
    this.#endSample = await this.#read(Math.max(0, offset - SAMPLE_BYTES), Math.min(offset, SAMPLE_BYTES));
  }

  /** Detects changes of what was read. */
  async findChange(): Promise<FileChange> {
    const size = await this.size();
    const beginning = await this.#read(0, this.#startSample.length);
    if (!beginning.equals(this.#startSample)) return 'replaced';
    if (size < this.#offset) return size === 0 ? 'replaced' : 'cut';
    const start = this.#offset - this.#endSample.length;
    const before = await this.#read(start, this.#endSample.length);
    return before.equals(this.#endSample) ? 'none' : 'replaced';
  }

  /** The complete lines from the offset on; each block advances it. */
  async *readOn(): AsyncGenerator<LineBlock & { readonly start: number }> {
    const size = await this.size();
    if (size <= this.#offset) return;
    for await (const block of readLines(this.#handle, this.#offset, size)) {
      const start = this.#offset;
      await this.moveTo(block.end);
      yield { ...block, start };
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #read(position: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  }
}
