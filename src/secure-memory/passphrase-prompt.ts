import type { LockedBuffer } from './locked-buffer.ts';

/** Asks the person who started this program for passphrases. */
export interface PassphrasePrompt {
  /**
   * Shows `question` and reads one line without echo. From the first question until `close` nothing of what is typed is shown, also between two questions.
   * @returns exactly the line's UTF-8 bytes, without its line break, in locked memory that the caller frees
   * @throws UnusablePassphraseError when a line was entered that is no passphrase: the person may be asked again
   * @throws PassphraseRefusedError when there is nobody to ask, or none was given
   */
  ask(question: string): Promise<LockedBuffer>;

  /**
   * Ends the questions, so that what is typed is shown again. Safe to call twice, and before any question; another question may follow. It may end the process,
   * by a signal that came in between: close what else is open before.
   */
  close(): void;
}

/** No passphrase could be had. The message says why and what to do, and nothing of what was typed. */
export class PassphraseRefusedError extends Error {
  override readonly name: string = 'PassphraseRefusedError';
}

/** The line that was entered can't be a passphrase, such as one with an arrow key in it. The message, a whole sentence, says why. */
export class UnusablePassphraseError extends PassphraseRefusedError {
  override readonly name = 'UnusablePassphraseError';
}
