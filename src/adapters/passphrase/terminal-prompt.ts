import { setImmediate, setTimeout } from 'node:timers/promises';
import { LockedBuffer } from '../vault/locked-buffer.ts';
import { NoEchoTerminal, TerminatingSignals } from './no-echo-terminal.ts';
import { EMPTY_LINE, type PassphraseLine, typeByte } from './passphrase-line.ts';

const POLL_MILLISECONDS = 25;
/** More than a terminal buffers. */
const MAX_DISCARDED_BYTES = 1 << 17;

/**
 * Prompts on a terminal whose echo is off until `close`. Typed-ahead input answers the next
 * question; one question at a time.
 *
 * A terminating signal ends the current or next question, so that the terminal is restored. SIGCONT
 * repeats the question.
 */
export class TerminalPrompt {
  readonly #terminal: NoEchoTerminal;
  readonly #signals: TerminatingSignals;
  /** One byte longer than the longest line. */
  readonly #bytes: LockedBuffer;
  #wasStopped = false;
  readonly #onContinue = (): void => {
    this.#terminal.hide();
    this.#wasStopped = true;
  };

  /**
   * @param device path of the terminal
   * @param maxBytes longest line
   * @throws OperatorError if `device` is not a terminal or cannot be hidden
   */
  constructor(device: string, maxBytes: number) {
    this.#bytes = new LockedBuffer(maxBytes + 1);
    try {
      this.#terminal = new NoEchoTerminal(device);
    } catch (error) {
      this.#bytes.free();
      throw error;
    }
    this.#signals = new TerminatingSignals();
    process.on('SIGCONT', this.#onContinue);
  }

  /**
   * Prompts until a line ends, passes its bytes to `take` and wipes them.
   * @throws OperatorError on a signal or a closed terminal
   */
  async promptForLine<Result>(
    question: string,
    take: (line: PassphraseLine, bytes: Buffer) => Result,
  ): Promise<Result> {
    // Signals that arrived during computation are delivered in the next tick.
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

  /** Restores the terminal. Discards typed-ahead input: the shell would show it. */
  close(): void {
    process.off('SIGCONT', this.#onContinue);
    this.#discardTypedAhead();
    this.#terminal.close();
    this.#bytes.free();
    this.#signals.close(this.#terminal.isGone);
  }

  async #readLine(question: string): Promise<PassphraseLine> {
    let line = await this.#startLine(question);
    for (;;) {
      if (this.#wasStopped) line = await this.#startLine(question);
      line = this.#bytes.use((bytes) => this.#readAvailable(line, bytes));
      if (line.end !== undefined) return line;
      await this.#nextPoll();
    }
  }

  async #startLine(question: string): Promise<PassphraseLine> {
    this.#wasStopped = false;
    this.#wipe();
    while (!this.#terminal.write(question)) await this.#nextPoll();
    return EMPTY_LINE;
  }

  #readAvailable(start: PassphraseLine, bytes: Buffer): PassphraseLine {
    let line = start;
    // Bounded per tick, so that signals are delivered during a paste; bytes after Enter belong to
    // the next question.
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

  /** Enter is not echoed either. */
  #endLine(): void {
    try {
      this.#terminal.write('\n');
    } catch {
      // The terminal is gone.
    }
  }

  #discardTypedAhead(): void {
    try {
      this.#bytes.useAndWipe((bytes) => {
        for (let count = 0; count < MAX_DISCARDED_BYTES && this.#terminal.readByte(bytes, 0); count += 1);
      });
    } catch {
      // The terminal is gone.
    }
  }
}
