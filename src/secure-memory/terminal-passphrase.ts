import { isUtf8 } from 'node:buffer';
import { LockedBuffer } from './locked-buffer.ts';
import type { PassphraseLine } from './passphrase-line.ts';
import { type PassphrasePrompt, PassphraseRefusedError, UnusablePassphraseError } from './passphrase-prompt.ts';
import { TerminalConversation } from './terminal-conversation.ts';

const MAX_PASSPHRASE_BYTES = 1024;

/**
 * Asks at the terminal of this process, also where its standard input is something else. What is typed goes from the kernel straight to locked memory and is
 * not shown. It is valid UTF-8 of 1 to 1024 bytes, taken as it was typed, without Unicode normalisation.
 *
 * From the first question until `close` the terminal is hidden, and a signal that would end the process ends the question instead, with
 * PassphraseRefusedError. One question at a time.
 */
export class TerminalPassphrase implements PassphrasePrompt {
  readonly #device: string;
  #conversation: TerminalConversation | undefined;

  /** @param device the terminal; other than the process's own for tests alone */
  constructor(device = '/dev/tty') {
    this.#device = device;
  }

  async ask(question: string): Promise<LockedBuffer> {
    this.#conversation ??= new TerminalConversation(this.#device, MAX_PASSPHRASE_BYTES);
    return this.#conversation.ask(question, takePassphrase);
  }

  close(): void {
    this.#conversation?.close();
    this.#conversation = undefined;
  }
}

/** The passphrase in locked memory of its own. @throws PassphraseRefusedError when the line is none */
function takePassphrase({ length, fault, end }: PassphraseLine, bytes: Buffer): LockedBuffer {
  if (end === 'cancelled') throw new PassphraseRefusedError('No passphrase was given: the question was cancelled.');
  if (fault === 'too long') {
    throw new UnusablePassphraseError(`The passphrase was refused: it has more than ${MAX_PASSPHRASE_BYTES} bytes.`);
  }
  if (fault !== undefined) {
    throw new UnusablePassphraseError(
      'The passphrase was refused: a key that is no character was pressed, such as an arrow or Tab. Backspace and Ctrl-U are the keys that edit.',
    );
  }
  if (length === 0) throw new UnusablePassphraseError('No passphrase was given: the line was empty.');
  const typed = bytes.subarray(0, length);
  if (!isUtf8(typed)) {
    throw new UnusablePassphraseError('The passphrase was refused: it is not UTF-8; set the terminal to UTF-8.');
  }
  const passphrase = new LockedBuffer(length);
  passphrase.use((target) => typed.copy(target));
  return passphrase;
}
