import { LockedBuffer } from '../../src/secure-memory/locked-buffer.ts';
import {
  type PassphrasePrompt,
  PassphraseRefusedError,
  UnusablePassphraseError,
} from '../../src/secure-memory/passphrase-prompt.ts';

/** A PassphrasePrompt at which these lines are typed, one for each question; an error is a line that is refused. After the last there is nobody to ask. */
export class TypedPassphrases implements PassphrasePrompt {
  /** What was asked so far. */
  readonly questions: string[] = [];
  /** What was handed out, for tests of who frees it. */
  readonly given: LockedBuffer[] = [];
  /** Whether something was asked since the last `close`, if any. */
  isOpen = false;
  readonly #lines: (string | UnusablePassphraseError)[];

  constructor(...lines: readonly (string | UnusablePassphraseError)[]) {
    this.#lines = [...lines];
  }

  async ask(question: string): Promise<LockedBuffer> {
    this.questions.push(question);
    this.isOpen = true;
    const line = this.#lines.shift();
    if (line === undefined) throw new PassphraseRefusedError('Nobody is here to type a passphrase.');
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
