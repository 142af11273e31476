import { KeyFileError } from '../../key-files/secret-file.ts';
import {
  type PassphrasePrompt,
  PassphraseUnavailableError,
  UnusablePassphraseError,
} from '../../passphrase/passphrase-prompt.ts';
import type { LockedBuffer } from '../../vault/locked-buffer.ts';
import type { MasterKey } from './master-key.ts';
import type { StoredWrappedKey } from './master-key-file.ts';
import {
  PASSPHRASE_COST,
  type PassphraseCost,
  parseWrappedMasterKey,
  unwrapMasterKey,
  WrappedMasterKeyError,
  wrapMasterKey,
} from './wrapped-master-key.ts';

const MAX_ATTEMPTS = 3;
const DOES_NOT_OPEN = 'Wrong passphrase. ';
/** Minimum length of new passphrases, characters. Cost slows each guess; length multiplies them. */
const MIN_PASSPHRASE_CHARACTERS = 12;

/** An opened master key and its passphrase, owned by the dialog. */
interface UnwrappedMasterKey {
  readonly key: MasterKey;
  readonly passphrase: LockedBuffer;
}

/**
 * Passphrase prompts of one start or command. Passphrases stay in locked memory, and echo off,
 * until `close`. An unusable line counts as an attempt.
 */
export class PassphraseDialog {
  readonly #prompt: PassphrasePrompt;
  readonly #cost: PassphraseCost;
  readonly #passphrases: LockedBuffer[] = [];

  /** @param cost of new wrapped keys */
  constructor(prompt: PassphrasePrompt, cost: PassphraseCost = PASSPHRASE_COST) {
    this.#prompt = prompt;
    this.#cost = cost;
  }

  /**
   * Opens a wrapped key with an earlier passphrase, or prompts up to three times.
   * @returns the key, which the caller destroys
   * @throws KeyFileError if no passphrase is available or correct
   */
  async unwrap(stored: StoredWrappedKey): Promise<UnwrappedMasterKey> {
    for (const passphrase of this.#passphrases) {
      const key = tryPassphrase(stored, passphrase);
      if (key !== undefined) return { key, passphrase };
    }
    let problem = '';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const passphrase = await this.#ask(stored.file, `${problem}Passphrase for ${stored.file}: `);
      if (passphrase instanceof UnusablePassphraseError) {
        problem = `${passphrase.message} `;
        continue;
      }
      const key = this.#keepIf(passphrase, () => tryPassphrase(stored, passphrase));
      if (key !== undefined) return { key, passphrase };
      problem = DOES_NOT_OPEN;
    }
    throw new KeyFileError(
      stored.file,
      problem === DOES_NOT_OPEN
        ? `none of ${MAX_ATTEMPTS} passphrases is correct; find the right one, or restore the file if it was altered`
        : `none of ${MAX_ATTEMPTS} attempts was the correct passphrase. ${problem.trimEnd()}`,
    );
  }

  /**
   * Prompts for a new passphrase, twice, up to three times. Owned by the dialog.
   * @throws KeyFileError if none is obtained
   */
  async choose(file: string): Promise<LockedBuffer> {
    const question = `New passphrase for ${file}, at least ${MIN_PASSPHRASE_CHARACTERS} characters: `;
    let problem = '';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const passphrase = await this.#ask(file, `${problem}${question}`);
      if (passphrase instanceof UnusablePassphraseError) {
        problem = `${passphrase.message} `;
        continue;
      }
      if (!this.#keepIf(passphrase, () => isLongEnough(passphrase))) {
        problem = 'The passphrase is too short. ';
        continue;
      }
      const again = await this.#ask(file, 'Repeat the passphrase: ');
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
      file,
      `no new passphrase after ${MAX_ATTEMPTS} attempts; type one of at least ${MIN_PASSPHRASE_CHARACTERS} characters twice`,
    );
  }

  /**
   * Content of a wrapped master key file, tested to open.
   * @throws KeyFileError if it cannot be made
   */
  wrap(file: string, key: MasterKey, passphrase: LockedBuffer): Buffer {
    const text = withFileName(file, () => passphrase.use((bytes) => wrapMasterKey(key, bytes, this.#cost)));
    const wrapped = parseWrappedMasterKey(text);
    const opened = wrapped && tryPassphrase({ kind: 'wrapped', file, id: key.id, wrapped }, passphrase);
    if (opened === undefined) {
      throw new KeyFileError(file, 'the new file cannot be opened; check the memory of this machine');
    }
    opened.destroy();
    return Buffer.from(`${text}\n`);
  }

  /** Wipes passphrases and closes the prompt. Idempotent. */
  close(): void {
    for (const passphrase of this.#passphrases.splice(0)) passphrase.free();
    this.#prompt.close();
  }

  /** The passphrase, or why the line is unusable. @throws KeyFileError if nothing was entered */
  async #ask(file: string, question: string): Promise<LockedBuffer | UnusablePassphraseError> {
    try {
      return await this.#prompt.readPassphrase(question);
    } catch (error) {
      if (error instanceof UnusablePassphraseError) return error;
      if (!(error instanceof PassphraseUnavailableError)) throw error;
      throw new KeyFileError(file, `it requires a passphrase, and none is available. ${error.message}`, error);
    }
  }

  /** Keeps a passphrase until `close` if `use` returns something, otherwise wipes it. */
  #keepIf<Result>(passphrase: LockedBuffer, use: () => Result): Result {
    let result: Result | undefined;
    try {
      result = use();
      return result;
    } finally {
      if (result) this.#passphrases.push(passphrase);
      else passphrase.free();
    }
  }
}

function tryPassphrase({ file, wrapped }: StoredWrappedKey, passphrase: LockedBuffer): MasterKey | undefined {
  return withFileName(file, () => passphrase.use((bytes) => unwrapMasterKey(wrapped, bytes)));
}

function withFileName<Result>(file: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    if (error instanceof WrappedMasterKeyError) throw new KeyFileError(file, error.message, error);
    throw error;
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
