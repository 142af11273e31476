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

  /** @throws PassphraseRefusedError when `device` can't be opened or is no terminal */
  constructor(device: string) {
    this.#descriptor = openTerminal(device);
    this.#stream = new ReadStream(this.#descriptor);
    // What can't be switched is seen at isRaw, and an error event without a listener would end the process.
    this.#stream.on('error', () => undefined);
    // Node itself restores the first terminal of a process at exit, and no second one.
    process.on('exit', this.#restore);
    this.#stream.setRawMode(true);
    if (this.#stream.isRaw) return;
    this.close();
    throw new PassphraseRefusedError('The terminal does not let its echo be switched off, so no passphrase was read.');
  }

  /**
   * Reads the next byte that was typed to a place in `target`.
   * @returns false when there is none yet
   * @throws PassphraseRefusedError when the terminal is gone
   */
  readByte(target: Buffer, offset: number): boolean {
    const count = unlessNotReady(() => readSync(this.#descriptor, target, offset, 1, null));
    if (count === 0) throw goneTerminal();
    return count !== undefined;
  }

  /** @returns false when it can't be written yet @throws PassphraseRefusedError when the terminal is gone */
  write(text: string): boolean {
    return unlessNotReady(() => writeSync(this.#descriptor, text)) !== undefined;
  }

  /** Gives the terminal back as it was. */
  close(): void {
    process.off('exit', this.#restore);
    this.#restore();
    // The stream has a descriptor of its own for the same terminal.
    closeSync(this.#descriptor);
    this.#stream.destroy();
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

/** What a call on a non-blocking descriptor returns; undefined when it would have to wait. */
function unlessNotReady(call: () => number): number | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw goneTerminal(error);
  }
}

function goneTerminal(cause?: unknown): PassphraseRefusedError {
  return new PassphraseRefusedError('No passphrase was given: the terminal was closed.', { cause });
}

function noTerminal(cause?: unknown): PassphraseRefusedError {
  return new PassphraseRefusedError(
    'A passphrase can only be typed at a terminal, and this program has none. ' +
      'To start it where nobody types, use a master key file without passphrase.',
    { cause },
  );
}
