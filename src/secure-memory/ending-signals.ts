import { PassphraseRefusedError } from './passphrase-prompt.ts';

/**
 * Signals that end a process by default (signal(7)) and that a program may answer. Left out are SIGUSR1 and SIGPROF, which Node uses itself, those that it
 * ignores, and those that tell of a fault in the program.
 */
export const ENDING_SIGNALS: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGQUIT',
  'SIGHUP',
  'SIGUSR2',
  'SIGALRM',
  'SIGVTALRM',
  'SIGXCPU',
  'SIGABRT',
  'SIGIO',
  'SIGPWR',
  'SIGSTKFLT',
];

/**
 * Holds back the signals that would end the process, from its construction until `close`. SIGHUP is held back only where nothing answers it: in the service it
 * asks for a reload.
 */
export class EndingSignals {
  #received: NodeJS.Signals | undefined;
  #isTold = false;
  readonly #names = ENDING_SIGNALS.filter((name) => name !== 'SIGHUP' || process.listenerCount(name) === 0);
  readonly #listener = (name: NodeJS.Signals): void => {
    this.#received ??= name;
  };

  constructor() {
    for (const name of this.#names) process.on(name, this.#listener);
  }

  /** @throws PassphraseRefusedError when one has come: whoever catches it ends what the signal was to end */
  throwIfReceived(): void {
    if (this.#received === undefined) return;
    this.#isTold = true;
    throw new PassphraseRefusedError(`No passphrase was given: ${this.#received} ended the question.`);
  }

  /**
   * Holds nothing back from the next turn of the event loop on. A signal of which nobody was told then does what it does without this class.
   * @param isHungUp whether the terminal is gone: then the process ends here and now by SIGHUP, where nothing answers that, because Node can neither write to a
   *   terminal that is gone nor exit without a crash
   */
  close(isHungUp: boolean): void {
    if (isHungUp) {
      this.#stopListening();
      endBy('SIGHUP');
      return;
    }
    // What came while this process computed is heard in the turn that is to come.
    setImmediate(() => {
      this.#stopListening();
      if (this.#received !== undefined && !this.#isTold) endBy(this.#received);
    });
  }

  #stopListening(): void {
    for (const name of this.#names) process.off(name, this.#listener);
  }
}

/** Ends the process as a signal does by default, unless it is answered otherwise. */
function endBy(name: NodeJS.Signals): void {
  if (process.listenerCount(name) === 0) process.kill(process.pid, name);
}
