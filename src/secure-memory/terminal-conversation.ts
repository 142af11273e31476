import { setImmediate, setTimeout } from 'node:timers/promises';
import { EndingSignals } from './ending-signals.ts';
import { HiddenTerminal } from './hidden-terminal.ts';
import { LockedBuffer } from './locked-buffer.ts';
import { EMPTY_LINE, type PassphraseLine, typeByte } from './passphrase-line.ts';

const POLL_MILLISECONDS = 25;
/** More than a terminal keeps for its reader. */
const MAX_DISCARDED_BYTES = 1 << 17;

/**
 * Questions at a terminal that is hidden from the construction until `close`: what is typed while nothing is asked is not shown and is the next answer. One
 * question at a time.
 *
 * A signal that would end the process ends the question instead, or the next one, so that the terminal is always given back as it was. When the process was
 * stopped, by which a shell takes its terminal back, and goes on, the question begins anew.
 */
export class TerminalConversation {
  readonly #terminal: HiddenTerminal;
  readonly #signals: EndingSignals;
  /** One byte longer than the longest line. */
  readonly #bytes: LockedBuffer;
  #wasStopped = false;
  readonly #goOn = (): void => {
    this.#terminal.hide();
    this.#wasStopped = true;
  };

  /**
   * @param device path of the terminal
   * @param maxBytes longest line, bytes
   * @throws PassphraseRefusedError when `device` is no terminal or can't be hidden, MemoryLockError
   */
  constructor(device: string, maxBytes: number) {
    this.#bytes = new LockedBuffer(maxBytes + 1);
    try {
      this.#terminal = new HiddenTerminal(device);
    } catch (error) {
      this.#bytes.free();
      throw error;
    }
    this.#signals = new EndingSignals();
    process.on('SIGCONT', this.#goOn);
  }

  /**
   * Asks until a line ends, and lends its bytes, the first of the buffer, to `take`; they are wiped afterwards.
   * @throws PassphraseRefusedError when a signal ends the question or the terminal is gone
   */
  async ask<Result>(question: string, take: (line: PassphraseLine, bytes: Buffer) => Result): Promise<Result> {
    // What came while this process computed is heard in the turn that is to come.
    await setImmediate();
    this.#signals.throwIfReceived();
    try {
      const line = await this.#readLine(question);
      return this.#bytes.use((bytes) => take(line, bytes));
    } finally {
      this.#wipe();
      this.#endLine();
    }
  }

  /** Gives the terminal back as it was. What was typed and not asked for is dropped: it may be a passphrase, and the shell would show it. */
  close(): void {
    process.off('SIGCONT', this.#goOn);
    this.#discardTypedAhead();
    this.#terminal.close();
    this.#bytes.free();
    this.#signals.close(this.#terminal.isGone);
  }

  async #readLine(question: string): Promise<PassphraseLine> {
    let line = await this.#begin(question);
    for (;;) {
      if (this.#wasStopped) line = await this.#begin(question);
      line = this.#bytes.use((bytes) => this.#typeWhatIsThere(line, bytes));
      if (line.end !== undefined) return line;
      await this.#nextPoll();
    }
  }

  async #begin(question: string): Promise<PassphraseLine> {
    this.#wasStopped = false;
    this.#wipe();
    while (!this.#terminal.write(question)) await this.#nextPoll();
    return EMPTY_LINE;
  }

  #typeWhatIsThere(start: PassphraseLine, bytes: Buffer): PassphraseLine {
    let line = start;
    // Not more in one turn, so that signals get theirs however much is pasted; and nothing beyond Enter, which belongs to the next question.
    for (let count = 0; count < bytes.length && line.end === undefined; count += 1) {
      if (!this.#terminal.readByte(bytes, line.length)) return line;
      line = typeByte(line, bytes);
    }
    return line;
  }

  async #nextPoll(): Promise<void> {
    await setTimeout(POLL_MILLISECONDS);
    this.#signals.throwIfReceived();
  }

  #wipe(): void {
    this.#bytes.useAndWipe(() => undefined);
  }

  /** Enter is not shown either, so what is printed next would stand behind the question. */
  #endLine(): void {
    try {
      this.#terminal.write('\n');
    } catch {
      // The terminal is gone, and so is the line.
    }
  }

  #discardTypedAhead(): void {
    try {
      this.#bytes.useAndWipe((bytes) => {
        for (let count = 0; count < MAX_DISCARDED_BYTES && this.#terminal.readByte(bytes, 0); count += 1);
      });
    } catch {
      // The terminal is gone, and so is what was typed.
    }
  }
}
