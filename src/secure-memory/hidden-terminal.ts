import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { isatty, ReadStream } from 'node:tty';
import { PassphraseRefusedError } from './passphrase-prompt.ts';

/**
 * A terminal that shows nothing of what is typed and hands on every key as it is, from its construction until `close`, or until the process
 * exits. Reading and writing never wait.
 */
export class HiddenTerminal {
  readonly #descriptor: number;
  /** Only switches the mode. It never reads: a stream reads into ordinary memory. */
  readonly #stream: ReadStream;
  readonly #restore = (): void => void this.#stream.setRawMode(false);
  #isGone = false;

  /** @throws PassphraseRefusedError when `device` can't be opened or is no terminal */
  constructor(device: string) {
    this.#descriptor = openTerminal(device);
    this.#stream = new ReadStream(this.#descriptor);
    // What can't be switched is seen at isRaw, and an error event without a listener would end the process.
    this.#stream.on('error', () => undefined);
    // Node itself restores the first terminal of a process at exit, and no second one.
    process.on('exit', this.#restore);
    this.hide();
    if (this.#stream.isRaw) return;
    this.close();
    throw notHidden();
  }

  /** Whether it was seen, in reading or writing, that the terminal was closed. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Hides what is typed, also where another process, such as the shell, has changed the mode of the terminal meanwhile. */
  hide(): void {
    // The stream keeps the mode that it was switched to last in mind and does nothing for the same again.
    this.#stream.setRawMode(false);
    this.#stream.setRawMode(true);
  }

  /**
   * Reads the next byte that was typed to a place in `target`.
   * @returns false when there is none yet
   * @throws PassphraseRefusedError when the terminal is gone, or could not be hidden again
   */
  readByte(target: Buffer, offset: number): boolean {
    if (!this.#stream.isRaw) throw notHidden();
    const count = this.#unlessNotReady(() => readSync(this.#descriptor, target, offset, 1, null));
    if (count === 0) throw this.#gone();
    return count !== undefined;
  }

  /** @returns false when it can't be written yet @throws PassphraseRefusedError when the terminal is gone */
  write(text: string): boolean {
    return this.#unlessNotReady(() => writeSync(this.#descriptor, text)) !== undefined;
  }

  /** Gives the terminal back as it was. */
  close(): void {
    process.off('exit', this.#restore);
    this.#restore();
    // The stream has a descriptor of its own for the same terminal.
    closeSync(this.#descriptor);
    this.#stream.destroy();
  }

  /** What a call on the non-blocking descriptor returns; undefined when it would have to wait. */
  #unlessNotReady(call: () => number): number | undefined {
    try {
      return call();
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
      throw this.#gone(error);
    }
  }

  #gone(cause?: unknown): PassphraseRefusedError {
    this.#isGone = true;
    return new PassphraseRefusedError('No passphrase was given: the terminal was closed.', { cause });
  }
}

function openTerminal(device: string): number {
  const descriptor = tryOpen(device);
  if (isatty(descriptor)) return descriptor;
  closeSync(descriptor);
  throw noTerminal();
}

function tryOpen(device: string): number {
  try {
    return openSync(device, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  } catch (error) {
    throw noTerminal(error);
  }
}

function notHidden(): PassphraseRefusedError {
  return new PassphraseRefusedError('The terminal does not let its echo be switched off, so no passphrase was read.');
}

function noTerminal(cause?: unknown): PassphraseRefusedError {
  return new PassphraseRefusedError(
    'A passphrase can only be typed at a terminal, and this program has none. ' +
      'To start it where nobody types, use a master key file without passphrase.',
    { cause },
  );
}
