import { isUtf8 } from 'node:buffer';
import { setTimeout } from 'node:timers/promises';
import { HiddenTerminal } from './hidden-terminal.ts';
import { LockedBuffer } from './locked-buffer.ts';
import { EMPTY_LINE, type PassphraseLine, typeByte } from './passphrase-line.ts';
import { type PassphrasePrompt, PassphraseRefusedError } from './passphrase-prompt.ts';

const MAX_PASSPHRASE_BYTES = 1024;
const POLL_MILLISECONDS = 25;

/** Signals that end a question. */
const ENDING_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP'];

/**
 * Asks at the terminal of this process, also where its standard input is something else. What is typed goes from the kernel straight to locked memory and is
 * not shown. It is valid UTF-8 of 1 to 1024 bytes, taken as it was typed, without Unicode normalisation.
 *
 * A signal that would end the process ends the question instead, with PassphraseRefusedError, so that the terminal is always given back as it was. One question
 * at a time.
 */
export class TerminalPassphrase implements PassphrasePrompt {
  readonly #device: string;

  /** @param device the terminal; other than the process's own for tests alone */
  constructor(device = '/dev/tty') {
    this.#device = device;
  }

  async ask(question: string): Promise<LockedBuffer> {
    const bytes = new LockedBuffer(MAX_PASSPHRASE_BYTES + 1);
    try {
      const line = await this.#askForLine(question, bytes);
      return takePassphrase(line, bytes);
    } finally {
      bytes.free();
    }
  }

  async #askForLine(question: string, bytes: LockedBuffer): Promise<PassphraseLine> {
    const terminal = new HiddenTerminal(this.#device);
    const interruption = listenForEnd();
    try {
      while (!terminal.write(question)) await nextPoll(interruption.signal);
      return await readLine(terminal, bytes, interruption.signal);
    } finally {
      interruption.stopListening();
      endLine(terminal);
      terminal.close();
    }
  }
}

async function readLine(terminal: HiddenTerminal, bytes: LockedBuffer, signal: AbortSignal): Promise<PassphraseLine> {
  let line = EMPTY_LINE;
  for (;;) {
    line = bytes.use((buffer) => typeWhatIsThere(terminal, buffer, line));
    if (line.end !== undefined) return line;
    await nextPoll(signal);
  }
}

function typeWhatIsThere(terminal: HiddenTerminal, buffer: Buffer, start: PassphraseLine): PassphraseLine {
  let line = start;
  // Not more in one turn, so that signals get theirs however much is pasted; and nothing beyond Enter, which belongs to the next question.
  for (let count = 0; count < buffer.length && line.end === undefined; count += 1) {
    if (!terminal.readByte(buffer, line.length)) return line;
    line = typeByte(line, buffer);
  }
  return line;
}

async function nextPoll(signal: AbortSignal): Promise<void> {
  await setTimeout(POLL_MILLISECONDS);
  signal.throwIfAborted();
}

/** The passphrase in locked memory of its own. @throws PassphraseRefusedError when the line is none */
function takePassphrase({ length, fault, end }: PassphraseLine, bytes: LockedBuffer): LockedBuffer {
  if (end === 'cancelled') throw new PassphraseRefusedError('No passphrase was given: the question was cancelled.');
  if (fault === 'too long') {
    throw new PassphraseRefusedError(`The passphrase was refused: it has more than ${MAX_PASSPHRASE_BYTES} bytes.`);
  }
  if (fault !== undefined) {
    throw new PassphraseRefusedError(
      'The passphrase was refused: a key that is no character was pressed, such as an arrow or Tab. Backspace and Ctrl-U are the keys that edit.',
    );
  }
  if (length === 0) throw new PassphraseRefusedError('No passphrase was given: the line was empty.');
  return bytes.use((buffer) => {
    const typed = buffer.subarray(0, length);
    if (!isUtf8(typed)) {
      throw new PassphraseRefusedError('The passphrase was refused: it is not UTF-8; set the terminal to UTF-8.');
    }
    const passphrase = new LockedBuffer(length);
    passphrase.use((target) => typed.copy(target));
    return passphrase;
  });
}

/** Aborts when a signal asks the process to end. SIGHUP does so only where nothing answers it: in the service it asks for a reload. */
function listenForEnd(): { readonly signal: AbortSignal; readonly stopListening: () => void } {
  const controller = new AbortController();
  const end = (name: NodeJS.Signals): void =>
    controller.abort(new PassphraseRefusedError(`No passphrase was given: ${name} ended the question.`));
  const names = ENDING_SIGNALS.filter((name) => name !== 'SIGHUP' || process.listenerCount(name) === 0);
  for (const name of names) process.on(name, end);
  return {
    signal: controller.signal,
    stopListening: () => {
      for (const name of names) process.off(name, end);
    },
  };
}

/** Enter is not shown either, so what is printed next would stand behind the question. */
function endLine(terminal: HiddenTerminal): void {
  try {
    terminal.write('\n');
  } catch {
    // The terminal is gone, and so is the line.
  }
}
