import type { LockedBuffer } from './locked-buffer.ts';

/** Asks the person who started this program for a passphrase. */
export interface PassphrasePrompt {
  /**
   * Shows `question` and reads one line without echo.
   * @returns exactly the line's UTF-8 bytes, without its line break, in locked memory that the caller frees
   * @throws PassphraseRefusedError when there is nobody to ask, or none was given
   */
  ask(question: string): Promise<LockedBuffer>;
}

/** No passphrase could be had. The message says why and what to do, and nothing of what was typed. */
export class PassphraseRefusedError extends Error {
  override readonly name = 'PassphraseRefusedError';
}
