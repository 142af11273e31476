const END_OF_HEAD = Buffer.from('\r\n\r\n');
const STATUS_AT = 9;
const DIGIT_0 = 0x30;
const NOTHING: Buffer = Buffer.alloc(0);

/** Reads the answers of one HTTP/1.1 connection (RFC 9112), one at a time, by their Content-Length. For load: it looks at no more of them than it has to. */
export class AnswerReader {
  #head = NOTHING;
  /** Bytes that the answer still lacks; null while its head is not whole. */
  #missing: number | null = null;
  #status = 0;
  #kept: Buffer[] | null = null;

  /** The next answer is kept whole. */
  keep(): void {
    this.#kept = [];
  }

  /** Status of the last whole answer. */
  get status(): number {
    return this.#status;
  }

  /** The last whole answer, where it was to be kept: head and body. */
  take(): Buffer {
    const whole = Buffer.concat(this.#kept ?? []);
    this.#kept = null;
    return whole;
  }

  /** Whether an answer is whole with this. @throws Error for an answer without Content-Length, and for more than one */
  add(chunk: Buffer): boolean {
    this.#kept?.push(chunk);
    if (this.#missing !== null) this.#missing -= chunk.length;
    else this.#readHead(chunk);
    if (this.#missing === null || this.#missing > 0) return false;
    if (this.#missing < 0) throw new Error('More came than one answer.');
    this.#missing = null;
    return true;
  }

  #readHead(chunk: Buffer): void {
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) {
      this.#head = bytes;
      return;
    }
    this.#head = NOTHING;
    const length = /\r\ncontent-length: (\d+)/i.exec(bytes.toString('latin1', 0, end))?.[1];
    if (length === undefined) throw new Error('An answer without Content-Length.');
    this.#status = statusIn(bytes);
    this.#missing = end + END_OF_HEAD.length + Number(length) - bytes.length;
  }
}

/** `HTTP/1.1 200 …`. */
function statusIn(bytes: Buffer): number {
  const digit = (index: number) => (bytes[STATUS_AT + index] ?? 0) - DIGIT_0;
  return 100 * digit(0) + 10 * digit(1) + digit(2);
}
