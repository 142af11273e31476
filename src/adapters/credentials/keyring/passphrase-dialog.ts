import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import { KeyFileError } from '../../key-files/secret-file.ts';
import {
  type PassphrasePrompt,
  PassphraseUnavailableError,
  UnusablePassphraseError,
} from '../../passphrase/passphrase-prompt.ts';
import type { LockedBuffer } from '../../vault/locked-buffer.ts';
import type { MasterKey, TakeMasterKey } from './master-key.ts';
import {
  openProtectedKey,
  PASSPHRASE_COST,
  type PassphraseCost,
  type PassphraseProtectedKey,
  parseProtectedKey,
  protectMasterKey,
} from './passphrase-protected-key.ts';

const MAX_ATTEMPTS = 3;
const DOES_NOT_OPEN = 'Wrong passphrase. ';
/** Minimum length of new passphrases, characters. Cost slows each guess; length multiplies them. */
const MIN_PASSPHRASE_CHARACTERS = 12;

/**
 * Passphrase prompts of one start or command. Passphrases stay in locked memory, and echo off,
 * until `close`. An unusable line counts as an attempt.
 */
export class PassphraseDialog {
  readonly #file: string;
  readonly #prompt: PassphrasePrompt;
  readonly #cost: PassphraseCost;
  readonly #passphrases: LockedBuffer[] = [];
  readonly #byId = new Map<string, LockedBuffer>();

  /**
   * @param file keyring, for messages
   * @param cost of new protected keys
   */
  constructor(file: string, prompt: PassphrasePrompt, cost: PassphraseCost = PASSPHRASE_COST) {
    this.#file = file;
    this.#prompt = prompt;
    this.#cost = cost;
  }

  /**
   * Opens a protected key with an earlier passphrase, or prompts up to three times.
   * @throws KeyFileError if no passphrase is available or correct; MasterKeyUnavailableError if the
   * memory cannot be allocated
   */
  async open(key: PassphraseProtectedKey, take: TakeMasterKey): Promise<void> {
    const tryOne = (passphrase: LockedBuffer): boolean => {
      const isOpened = passphrase.use((bytes) => openProtectedKey(key, bytes, take));
      if (isOpened) this.#byId.set(key.id, passphrase);
      return isOpened;
    };
    if (this.#passphrases.some(tryOne)) return;
    let problem = '';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const passphrase = await this.#ask(`${problem}Passphrase for master key ${key.id} in ${this.#file}: `);
      if (passphrase instanceof UnusablePassphraseError) {
        problem = `${passphrase.message} `;
        continue;
      }
      if (this.#keepIf(passphrase, () => tryOne(passphrase))) return;
      problem = DOES_NOT_OPEN;
    }
    throw new KeyFileError(
      this.#file,
      problem === DOES_NOT_OPEN
        ? `none of ${MAX_ATTEMPTS} passphrases is correct; find the right one, or restore the file if it was altered`
        : `none of ${MAX_ATTEMPTS} attempts was the correct passphrase. ${problem.trimEnd()}`,
    );
  }

  /** The passphrase that opened this key, owned by the dialog. */
  passphraseOf(id: string): LockedBuffer {
    const passphrase = this.#byId.get(id);
    if (passphrase === undefined) throw new Error('This dialog did not open that master key.');
    return passphrase;
  }

  /**
   * Prompts for a new passphrase, twice, up to three times. Owned by the dialog.
   * @throws KeyFileError if none is obtained
   */
  async choose(): Promise<LockedBuffer> {
    const question = `New passphrase for ${this.#file}, at least ${MIN_PASSPHRASE_CHARACTERS} characters: `;
    let problem = '';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const passphrase = await this.#ask(`${problem}${question}`);
      if (passphrase instanceof UnusablePassphraseError) {
        problem = `${passphrase.message} `;
        continue;
      }
      if (!this.#keepIf(passphrase, () => isLongEnough(passphrase))) {
        problem = 'The passphrase is too short. ';
        continue;
      }
      const again = await this.#ask('Repeat the passphrase: ');
      if (again instanceof UnusablePassphraseError) {
        problem = `${again.message} `;
        continue;
      }
      try {
        if (isEqual(passphrase, again)) return passphrase;
      } finally {
        again.free();
      }
      problem = 'The passphrases do not match. ';
    }
    throw new KeyFileError(
      this.#file,
      `no new passphrase after ${MAX_ATTEMPTS} attempts; type one of at least ${MIN_PASSPHRASE_CHARACTERS} characters twice`,
    );
  }

  /**
   * Line of a protected key, tested to open.
   * @throws MasterKeyUnavailableError if memory is not available or faulty
   */
  protect(key: MasterKey, passphrase: LockedBuffer): string {
    return passphrase.use((bytes) => {
      const text = protectMasterKey(key, bytes, this.#cost);
      const stored = parseProtectedKey(text);
      if (stored !== undefined && openProtectedKey(stored, bytes)) return text;
      throw new MasterKeyUnavailableError('it cannot be opened again; check the memory of this machine');
    });
  }

  /** Wipes passphrases and closes the prompt. Idempotent. */
  close(): void {
    for (const passphrase of this.#passphrases.splice(0)) passphrase.free();
    this.#byId.clear();
    this.#prompt.close();
  }

  /** The passphrase, or why the line is unusable. @throws KeyFileError if nothing was entered */
  async #ask(question: string): Promise<LockedBuffer | UnusablePassphraseError> {
    try {
      return await this.#prompt.readPassphrase(question);
    } catch (error) {
      if (error instanceof UnusablePassphraseError) return error;
      if (!(error instanceof PassphraseUnavailableError)) throw error;
      throw new KeyFileError(this.#file, `it requires a passphrase, and none is available. ${error.message}`, error);
    }
  }

  /** Keeps a passphrase until `close` if it is usable, otherwise wipes it. */
  #keepIf(passphrase: LockedBuffer, isUsable: () => boolean): boolean {
    let result = false;
    try {
      result = isUsable();
      return result;
    } finally {
      if (result) this.#passphrases.push(passphrase);
      else passphrase.free();
    }
  }
}

/** Counts UTF-8 characters: all but continuation bytes. */
function isLongEnough(passphrase: LockedBuffer): boolean {
  const characters = passphrase.use((bytes) =>
    bytes.reduce((sum, byte) => ((byte & 0xc0) === 0x80 ? sum : sum + 1), 0),
  );
  return characters >= MIN_PASSPHRASE_CHARACTERS;
}

function isEqual(left: LockedBuffer, right: LockedBuffer): boolean {
  return left.use((one) => right.use((other) => one.equals(other)));
}
