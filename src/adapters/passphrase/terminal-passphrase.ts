import { isUtf8 } from 'node:buffer';
import { LockedBuffer } from '../vault/locked-buffer.ts';
import type { PassphraseLine } from './passphrase-line.ts';
import { type PassphrasePrompt, PassphraseRefusedError, UnusablePassphraseError } from './passphrase-prompt.ts';
import { TerminalConversation } from './terminal-conversation.ts';

const MAX_PASSPHRASE_BYTES = 1024;

/**
 * Prompts at the process's terminal, even if standard input is something else: 1 to 1024 bytes of
 * valid UTF-8, not normalised, straight from the kernel to locked memory.
 *
 * Until `close`, echo is off and a terminating signal ends the question with
 * PassphraseRefusedError. One question at a time.
 */
export class TerminalPassphrase implements PassphrasePrompt {
  readonly #device: string;
  #conversation: TerminalConversation | undefined;

  /** @param device the terminal; overridden in tests */
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

/**
 * Copies the passphrase into its own locked memory.
 * @throws PassphraseRefusedError if the line is not one
 */
function takePassphrase({ length, issue, end }: PassphraseLine, bytes: Buffer): LockedBuffer {
  if (end === 'cancelled') throw new PassphraseRefusedError('No passphrase was given: the question was cancelled.');
  if (issue === 'too long') {
    throw new UnusablePassphraseError(`The passphrase was refused: it has more than ${MAX_PASSPHRASE_BYTES} bytes.`);
  }
  if (issue !== undefined) {
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
