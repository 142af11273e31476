import { isUtf8 } from 'node:buffer';
import { OperatorError } from '../../domain/model/errors.ts';
import { LockedBuffer } from '../vault/locked-buffer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import type { PassphraseLine } from './passphrase-line.ts';
import { type PassphrasePrompt, UnusablePassphraseError } from './passphrase-prompt.ts';
import { TerminalPrompt } from './terminal-prompt.ts';

const MAX_PASSPHRASE_BYTES = 1024;

/**
 * Prompts at the process's terminal, even if standard input is something else: 1 to 1024 bytes of
 * valid UTF-8, not normalised, straight from the kernel to locked memory.
 *
 * Until `close`, echo is off and a terminating signal ends the question with
 * OperatorError. One question at a time.
 */
export class TerminalPassphrase implements PassphrasePrompt {
  readonly #device: string;
  #conversation: TerminalPrompt | undefined;

  /** @param device the terminal; overridden in tests */
  constructor(device = '/dev/tty') {
    this.#device = device;
  }

  async readPassphrase(question: string): Promise<LockedBuffer> {
    this.#conversation ??= new TerminalPrompt(this.#device, MAX_PASSPHRASE_BYTES);
    return this.#conversation.promptForLine(question, takePassphrase);
  }

  close(): void {
    this.#conversation?.close();
    this.#conversation = undefined;
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
