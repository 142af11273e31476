/** For a hundred records, as a rule. */
const FIRST_BYTES = 128 * 1024;
/** Longer texts get memory of their own, which is not kept. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Most bytes that UTF-8 takes for one UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** Memory for the lines of one group after the other: it is neither allocated for each, nor is looked first how much each takes. */
export class LineBuffer {
  #memory: Buffer | null = null;

  /** The UTF-8 of a text, which is there until this is called again. */
  bytesOf(text: string): Uint8Array {
    const most = text.length * BYTES_PER_UNIT;
    if (most > MOST_BYTES) return Buffer.from(text);
    if (this.#memory === null || this.#memory.length < most) {
      this.#memory = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(most))));
    }
    return this.#memory.subarray(0, this.#memory.write(text));
  }
}
