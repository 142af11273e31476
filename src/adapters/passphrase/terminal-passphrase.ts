import { isUtf8 } from 'node:buffer';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { OperatorError } from '../../domain/model/errors.ts';
import { LockedBuffer } from '../vault/locked-buffer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { NoEchoTerminal } from './no-echo-terminal.ts';
import { EMPTY_LINE, type PassphraseLine, typeByte } from './passphrase-line.ts';
import { type PassphrasePrompt, UnusablePassphraseError } from './passphrase-prompt.ts';

const MAX_PASSPHRASE_BYTES = 1024;
const POLL_MILLISECONDS = 25;

/**
 * Prompts at the process's terminal, even if standard input is something else: 1 to 1024 bytes of
 * valid UTF-8, not normalised, straight from the kernel to locked memory.
 *
 * Until `close`, echo is off, typed-ahead input answers the next question, and a terminating signal
 * ends the current or next one with OperatorError. One question at a time; SIGCONT repeats it.
 */
export class TerminalPassphrase implements PassphrasePrompt {
  readonly #device: string;
  #terminal: NoEchoTerminal | undefined;

  /** @param device the terminal; overridden in tests */
  constructor(device = '/dev/tty') {
    this.#device = device;
  }

  async readPassphrase(question: string): Promise<LockedBuffer> {
    this.#terminal ??= new NoEchoTerminal(this.#device);
    const terminal = this.#terminal;
    // Signals that arrived during computation are delivered in the next tick.
    await setImmediate();
    terminal.throwIfTerminated();
    // One byte longer than the longest line.
    const buffer = new LockedBuffer(MAX_PASSPHRASE_BYTES + 1);
    try {
      const line = await readLine(terminal, question, buffer);
      return buffer.use((bytes) => takePassphrase(line, bytes));
    } finally {
      buffer.free();
      endLine(terminal);
    }
  }

  close(): void {
    this.#terminal?.close();
    this.#terminal = undefined;
  }
}

async function readLine(terminal: NoEchoTerminal, question: string, buffer: LockedBuffer): Promise<PassphraseLine> {
  let line = EMPTY_LINE;
  let resumptions: number | undefined;
  for (;;) {
    if (resumptions !== terminal.resumptions) {
      resumptions = terminal.resumptions;
      line = EMPTY_LINE;
      buffer.useAndWipe(() => undefined);
      while (!terminal.write(question)) await nextPoll(terminal);
      continue;
    }
    line = buffer.use((bytes) => readAvailable(terminal, line, bytes));
    if (line.end !== undefined) return line;
    await nextPoll(terminal);
  }
}

function readAvailable(terminal: NoEchoTerminal, start: PassphraseLine, bytes: Buffer): PassphraseLine {
  let line = start;
  // Bounded per tick, so that signals are delivered during a paste; bytes after Enter belong to
  // the next question.
  for (let count = 0; count < bytes.length && line.end === undefined; count += 1) {
    if (!terminal.readByte(bytes, line.length)) return line;
    line = typeByte(line, bytes);
  }
  return line;
}

async function nextPoll(terminal: NoEchoTerminal): Promise<void> {
  await setTimeout(POLL_MILLISECONDS);
  terminal.throwIfTerminated();
}

/** Enter is not echoed either. */
function endLine(terminal: NoEchoTerminal): void {
  try {
    terminal.write('\n');
  } catch {
    // The terminal is gone.
  }
}

/**
 * Copies the passphrase into its own locked memory.
 * @throws OperatorError if the line is not one
 */
function takePassphrase({ length, issue, end }: PassphraseLine, bytes: Buffer): LockedBuffer {
  if (end === 'cancelled') throw new OperatorError('No passphrase was entered: the prompt was canceled.');
  if (issue === 'too long') {
    throw new UnusablePassphraseError(`The passphrase was rejected: it is longer than ${MAX_PASSPHRASE_BYTES} bytes.`);
  }
  if (issue !== undefined) {
    throw new UnusablePassphraseError(
      'The passphrase was rejected: it contains a control key such as an arrow or Tab. Edit it with Backspace and Ctrl-U only.',
    );
  }
  if (length === 0) throw new UnusablePassphraseError('No passphrase was entered: the line was empty.');
  const typed = bytes.subarray(0, length);
  if (!isUtf8(typed)) {
    throw new UnusablePassphraseError('The passphrase was rejected: it is not valid UTF-8. Set the terminal to UTF-8.');
  }
  const passphrase = new LockedBuffer(length);
  passphrase.use((target) => copySecret(typed, target));
  return passphrase;
}
