import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { MAX_LINE_BYTES } from '../../../audit-trail/audit-record.ts';
import { type LineBlock, readLines } from '../../../audit-trail/file-lines.ts';

/** What became of the part of a file that was read already. */
export type FileChange =
  | 'none'
  /** Its last lines were taken back; those before them are as they were. */
  | 'cut'
  /** It holds something else now. */
  | 'replaced';

/**
 * A whole line, as a rule: it holds the hash of the line before, and so of everything before it.
 */
const MARK_BYTES = 1024;
const NEWLINE = 0x0a;

/** An open file, how far it was read, and enough of what was read to notice that it was changed. */
export class FollowedFile {
  readonly path: string;
  /** Device and inode: the file itself, whatever its path is by now. It can't be given to another file while this one is open. */
  readonly id: string;
  readonly #handle: FileHandle;
  #offset = 0;
  #beginning: Buffer = Buffer.alloc(0);
  #beforeOffset: Buffer = Buffer.alloc(0);

  private constructor(path: string, id: string, handle: FileHandle) {
    this.path = path;
    this.id = id;
    this.#handle = handle;
  }

  /**
   * Opens a regular file for reading.
   * @throws the error of open(2), or one with code EINVAL when it is something else, such as a folder or a pipe.
   */
  static async open(path: string): Promise<FollowedFile> {
    // Without O_NONBLOCK, to open a named pipe would wait for its writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const status = await handle.stat({ bigint: true });
      if (!status.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'EINVAL' });
      return new FollowedFile(path, `${status.dev}:${status.ino}`, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** For readers that keep their own place. */
  get handle(): FileHandle {
    return this.#handle;
  }

  /** Offset behind the newline of the last line that was read, bytes. */
  get offset(): number {
    return this.#offset;
  }

  async size(): Promise<number> {
    return (await this.#handle.stat()).size;
  }

  /** Whether it has something that is read as a line. */
  async hasLine(): Promise<boolean> {
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(MAX_LINE_BYTES), 0, MAX_LINE_BYTES, 0);
    return bytesRead === MAX_LINE_BYTES || buffer.subarray(0, bytesRead).includes(NEWLINE);
  }

  /** Goes on reading from here, which has to be where a line begins. */
  async moveTo(offset: number): Promise<void> {
    this.#offset = offset;
    this.#beginning = await this.#read(0, Math.min(offset, MARK_BYTES));
    this.#beforeOffset = await this.#read(Math.max(0, offset - MARK_BYTES), Math.min(offset, MARK_BYTES));
  }

  /** Looks whether what was read is still there. */
  async findChange(): Promise<FileChange> {
    const size = await this.size();
    const beginning = await this.#read(0, this.#beginning.length);
    if (!beginning.equals(this.#beginning)) return 'replaced';
    if (size < this.#offset) return size === 0 ? 'replaced' : 'cut';
    const start = this.#offset - this.#beforeOffset.length;
    const before = await this.#read(start, this.#beforeOffset.length);
    return before.equals(this.#beforeOffset) ? 'none' : 'replaced';
  }

  /** The complete lines that stand behind the offset now; the offset moves behind each block before the next one is read. */
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
