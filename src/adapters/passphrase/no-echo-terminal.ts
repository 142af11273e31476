import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { isatty, ReadStream } from 'node:tty';
import { OperatorError } from '../../domain/model/errors.ts';
import { systemErrorCode } from '../files/system-error-code.ts';

/**
 * A terminal without echo, in raw mode, until `close` or process exit. Reads and writes never
 * block.
 */
export class NoEchoTerminal {
  readonly #descriptor: number;
  /** Only switches modes: reading from a stream would put input into ordinary memory. */
  readonly #stream: ReadStream;
  readonly #restore = (): void => void this.#stream.setRawMode(false);
  #isGone = false;

  /** @throws OperatorError if `device` cannot be opened or is not a terminal */
  constructor(device: string) {
    this.#descriptor = openTerminal(device);
    this.#stream = new ReadStream(this.#descriptor);
    // Failure shows at isRaw; an unhandled error event would end the process.
    this.#stream.on('error', () => undefined);
    // At exit Node restores only the first terminal of a process.
    process.on('exit', this.#restore);
    this.hide();
    if (this.#stream.isRaw) return;
    this.close();
    throw notHidden();
  }

  /** Whether a read or write found the terminal closed. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** Disables echo again, in case another process such as the shell changed the mode. */
  hide(): void {
    // The stream ignores repeated calls with the same mode.
    this.#stream.setRawMode(false);
    this.#stream.setRawMode(true);
  }

  /**
   * Reads the next byte into `target`.
   * @returns false if there is none yet
   * @throws OperatorError if the terminal is gone or could not be hidden again
   */
  readByte(target: Buffer, offset: number): boolean {
    if (!this.#stream.isRaw) throw notHidden();
    const count = this.#tryNonBlocking(() => readSync(this.#descriptor, target, offset, 1, null));
    if (count === 0) throw this.#gone();
    return count !== undefined;
  }

  /** @returns false if it would block @throws OperatorError if the terminal is gone */
  write(text: string): boolean {
    return this.#tryNonBlocking(() => writeSync(this.#descriptor, text)) !== undefined;
  }

  /** Restores the terminal. */
  close(): void {
    process.off('exit', this.#restore);
    this.#restore();
    // The stream has its own descriptor of the terminal.
    closeSync(this.#descriptor);
    this.#stream.destroy();
  }

  /** The result of a non-blocking call; undefined if it would block. */
  #tryNonBlocking(call: () => number): number | undefined {
    try {
      return call();
    } catch (error) {
      if (systemErrorCode(error) === 'EAGAIN') return undefined;
      throw this.#gone(error);
    }
  }

  #gone(cause?: unknown): OperatorError {
    this.#isGone = true;
    return new OperatorError('No passphrase was entered: the terminal was closed.', { cause });
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

function notHidden(): OperatorError {
  return new OperatorError('Terminal echo cannot be disabled, so no passphrase was read.');
}

function noTerminal(cause?: unknown): OperatorError {
  return new OperatorError(
    'A passphrase can only be entered at a terminal, and this process has none. ' +
      'For an unattended start, use a master key file without a passphrase.',
    { cause },
  );
}

/**
 * Signals that end a process by default (signal(7)) and can be handled, without SIGUSR1 and
 * SIGPROF, which Node uses, and those for program errors.
 */
const ENDING_SIGNALS: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGQUIT',
  'SIGHUP',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGXCPU',
  'SIGABRT',
  'SIGIO',
  'SIGPWR',
  'SIGSTKFLT',
];

/**
 * Defers terminating signals until `close`. SIGHUP only if it has no handler: the service reloads
 * on it.
 */
export class TerminatingSignals {
  #received: NodeJS.Signals | undefined;
  #isReported = false;
  readonly #names = ENDING_SIGNALS.filter((name) => name !== 'SIGHUP' || process.listenerCount(name) === 0);
  readonly #listener = (name: NodeJS.Signals): void => {
    this.#received ??= name;
  };

  constructor() {
    for (const name of this.#names) process.on(name, this.#listener);
  }

  /**
   * @throws OperatorError after a signal; its handler ends what the signal was to end
   */
  throwIfReceived(): void {
    if (this.#received === undefined) return;
    this.#isReported = true;
    throw new OperatorError(`No passphrase was entered: ${this.#received} ended the prompt.`);
  }

  /**
   * Stops deferring in the next event-loop tick; an unreported signal then takes effect.
   * @param isHungUp whether the terminal is gone: then the process ends now by SIGHUP, unless
   * handled, because Node can neither write to such a terminal nor exit cleanly
   */
  close(isHungUp: boolean): void {
    if (isHungUp) {
      this.#stopListening();
      raiseSignal('SIGHUP');
      return;
    }
    // Signals that arrived during computation are delivered in the next tick.
    setImmediate(() => {
      this.#stopListening();
      if (this.#received !== undefined && !this.#isReported) raiseSignal(this.#received);
    });
  }

  #stopListening(): void {
    for (const name of this.#names) process.off(name, this.#listener);
  }
}

/** Ends the process as the signal would by default, unless handled. */
function raiseSignal(name: NodeJS.Signals): void {
  if (process.listenerCount(name) === 0) process.kill(process.pid, name);
}
