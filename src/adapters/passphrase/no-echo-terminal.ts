import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { isatty, ReadStream } from 'node:tty';
import { OperatorError } from '../../domain/model/errors.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { withLockedBytes } from '../vault/locked-buffer.ts';

/** More than a terminal buffers. */
const MAX_DISCARDED_BYTES = 1 << 17;

/** Those of docs/operators/monitor.md. */
const TERMINATING_SIGNALS: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGQUIT',
  'SIGHUP',
  'SIGUSR2',
  'SIGALRM',
  'SIGXCPU',
];

/**
 * A terminal without echo, in raw mode, until `close` or process exit. Reads and writes never
 * block.
 *
 * Terminating signals are deferred until `close`, so that the terminal is restored: SIGHUP only if
 * it has no handler, because the service reloads on it.
 */
export class NoEchoTerminal {
  readonly #descriptor: number;
  /** Only switches modes: reading from a stream would put input into ordinary memory. */
  readonly #stream: ReadStream;
  readonly #restore = (): void => void this.#stream.setRawMode(false);
  readonly #deferred = TERMINATING_SIGNALS.filter((name) => name !== 'SIGHUP' || process.listenerCount(name) === 0);
  readonly #defer = (name: NodeJS.Signals): void => {
    this.#signal ??= name;
  };
  /** Echo is disabled again: another process such as the shell changed the mode. */
  readonly #resume = (): void => {
    this.#hide();
    this.#resumptions += 1;
  };
  #signal: NodeJS.Signals | undefined;
  #isSignalReported = false;
  #resumptions = 0;
  #isGone = false;

  /** @throws OperatorError if `device` cannot be opened or is not a terminal */
  constructor(device: string) {
    this.#descriptor = openTerminal(device);
    this.#stream = new ReadStream(this.#descriptor);
    // Failure shows at isRaw; an unhandled error event would end the process.
    this.#stream.on('error', () => undefined);
    // At exit Node restores only the first terminal of a process.
    process.on('exit', this.#restore);
    process.on('SIGCONT', this.#resume);
    for (const name of this.#deferred) process.on(name, this.#defer);
    this.#hide();
    if (this.#stream.isRaw) return;
    this.close();
    throw notHidden();
  }

  /** How often the process was resumed (SIGCONT): what was shown may no longer be visible. */
  get resumptions(): number {
    return this.#resumptions;
  }

  /**
   * @throws OperatorError after a terminating signal; its handler ends what the signal was to end
   */
  throwIfTerminated(): void {
    if (this.#signal === undefined) return;
    this.#isSignalReported = true;
    throw new OperatorError(`No passphrase was entered: ${this.#signal} ended the prompt.`);
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

  /**
   * Restores the terminal; discards typed-ahead input, which the shell would show. An unreported
   * signal takes effect in the next event-loop tick, or now if the terminal is gone.
   */
  close(): void {
    process.off('SIGCONT', this.#resume);
    this.#discardTypedAhead();
    process.off('exit', this.#restore);
    this.#restore();
    // The stream has its own descriptor of the terminal.
    closeSync(this.#descriptor);
    this.#stream.destroy();
    // Node can neither write to a terminal that is gone nor exit cleanly.
    if (this.#isGone) this.#stopDeferring('SIGHUP');
    // Signals that arrived during computation are delivered in the next tick.
    else setImmediate(() => this.#stopDeferring(this.#isSignalReported ? undefined : this.#signal));
  }

  #hide(): void {
    // The stream ignores repeated calls with the same mode.
    this.#stream.setRawMode(false);
    this.#stream.setRawMode(true);
  }

  #discardTypedAhead(): void {
    try {
      withLockedBytes(1, (byte) => {
        for (let count = 0; count < MAX_DISCARDED_BYTES && this.readByte(byte, 0); count += 1);
      });
    } catch {
      // The terminal is gone, or no memory can be locked.
    }
  }

  /** @param signal ends the process as by default, unless handled */
  #stopDeferring(signal: NodeJS.Signals | undefined): void {
    for (const name of this.#deferred) process.off(name, this.#defer);
    if (signal !== undefined && process.listenerCount(signal) === 0) process.kill(process.pid, signal);
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
  let cause: unknown;
  try {
    const descriptor = openSync(device, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    if (isatty(descriptor)) return descriptor;
    closeSync(descriptor);
  } catch (error) {
    cause = error;
  }
  throw new OperatorError(
    'A passphrase can only be entered at a terminal, and this process has none. ' +
      'For an unattended start, use a master key file without a passphrase.',
    { cause },
  );
}

function notHidden(): OperatorError {
  return new OperatorError('Terminal echo cannot be disabled, so no passphrase was read.');
}
