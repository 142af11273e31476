import { type PassphrasePrompt, UnusablePassphraseError } from '../../src/adapters/passphrase/passphrase-prompt.ts';
import { LockedBuffer } from '../../src/adapters/vault/locked-buffer.ts';
import { OperatorError } from '../../src/domain/model/errors.ts';

/**
 * A PassphrasePrompt that is answered with these lines, one a prompt; an error is a rejected line.
 * After the last nobody answers.
 */
export class TypedPassphrases implements PassphrasePrompt {
  /** Prompts so far. */
  readonly questions: string[] = [];
  /** Passphrases so far, to check who frees them. */
  readonly given: LockedBuffer[] = [];
  /** Whether a prompt is not closed yet. */
  isOpen = false;
  readonly #lines: (string | UnusablePassphraseError)[];

  constructor(...lines: readonly (string | UnusablePassphraseError)[]) {
    this.#lines = [...lines];
  }

  async readPassphrase(question: string): Promise<LockedBuffer> {
    this.questions.push(question);
    this.isOpen = true;
    const line = this.#lines.shift();
    if (line === undefined) throw new OperatorError('Nobody is here to type a passphrase.');
    if (line instanceof UnusablePassphraseError) throw line;
    const bytes = Buffer.from(line);
    const passphrase = new LockedBuffer(bytes.length);
    passphrase.use((target) => bytes.copy(target));
    this.given.push(passphrase);
    return passphrase;
  }

  close(): void {
    this.isOpen = false;
  }
}
