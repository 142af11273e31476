import { OperatorError } from '../../domain/model/errors.ts';
import type { LockedBuffer } from '../vault/locked-buffer.ts';

/** Prompts the operator for passphrases. */
export interface PassphrasePrompt {
  /**
   * Shows `question` and reads a line without echo. Echo stays off until `close`, also between
   * questions.
   * @returns the line's UTF-8 bytes without line break, in locked memory that the caller frees
   * @throws UnusablePassphraseError if the line is not a passphrase: prompt again
   * @throws OperatorError if there is no terminal, or no passphrase was entered
   */
  readPassphrase(question: string): Promise<LockedBuffer>;

  /**
   * Restores echo; further questions may follow. Idempotent. May end the process by a deferred
   * signal, so close other resources first.
   */
  close(): void;
}

/** The line is not a passphrase, such as one with an arrow key. The message has the reason. */
export class UnusablePassphraseError extends OperatorError {
  override readonly name = 'UnusablePassphraseError';
}
