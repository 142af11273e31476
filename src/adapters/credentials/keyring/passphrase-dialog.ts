import { inContext, OperatorError } from '../../../domain/model/errors.ts';
import { type PassphrasePrompt, UnusablePassphraseError } from '../../passphrase/passphrase-prompt.ts';
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
const WRONG = 'Wrong passphrase.';
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
   * @throws OperatorError if no passphrase is available or correct, or memory cannot be allocated
   */
  async open(key: PassphraseProtectedKey, take: TakeMasterKey): Promise<void> {
    const tryOne = (passphrase: LockedBuffer): boolean => {
      try {
        const isOpened = passphrase.use((bytes) => openProtectedKey(key, bytes, take));
        if (isOpened) this.#byId.set(key.id, passphrase);
        return isOpened;
      } catch (error) {
        throw inContext(error, (message) => `${this.#file}: ${message}`);
      }
    };
    if (this.#passphrases.some(tryOne)) return;
    await this.#prompted(
      `Passphrase for master key ${key.id} in ${this.#file}: `,
      async (passphrase) => (tryOne(passphrase) ? null : WRONG),
      (issue) =>
        issue === WRONG
          ? `none of ${MAX_ATTEMPTS} passphrases is correct; find the right one, or restore the file if it was altered.`
          : `none of ${MAX_ATTEMPTS} attempts was the correct passphrase. ${issue}`,
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
   * @throws OperatorError if none is obtained
   */
  choose(): Promise<LockedBuffer> {
    return this.#prompted(
      `New passphrase for ${this.#file}, at least ${MIN_PASSPHRASE_CHARACTERS} characters: `,
      async (passphrase) => {
        if (!isLongEnough(passphrase)) return 'The passphrase is too short.';
        const again = await this.#read('Repeat the passphrase: ');
        if (typeof again === 'string') return again;
        try {
          return isEqual(passphrase, again) ? null : 'The passphrases do not match.';
        } finally {
          again.free();
        }
      },
      () =>
        `no new passphrase after ${MAX_ATTEMPTS} attempts; type one of at least ${MIN_PASSPHRASE_CHARACTERS} characters twice.`,
    );
  }

  /**
   * Line of a protected key, tested to open.
   * @throws OperatorError if memory is not available or faulty
   */
  protect(key: MasterKey, passphrase: LockedBuffer): string {
    return passphrase.use((bytes) => {
      const text = protectMasterKey(key, bytes, this.#cost);
      const stored = parseProtectedKey(text);
      if (stored !== undefined && openProtectedKey(stored, bytes)) return text;
      throw new OperatorError('it cannot be opened again; check the memory of this machine.');
    });
  }

  /** Wipes passphrases and closes the prompt. Idempotent. */
  close(): void {
    for (const passphrase of this.#passphrases.splice(0)) passphrase.free();
    this.#byId.clear();
    this.#prompt.close();
  }

  /**
   * Prompts up to three times for a passphrase without an issue, and wipes the others.
   * @param explain describes the failure, from the last issue
   */
  async #prompted(
    question: string,
    findIssue: (passphrase: LockedBuffer) => Promise<string | null>,
    explain: (issue: string) => string,
  ): Promise<LockedBuffer> {
    let issue = '';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const passphrase = await this.#read(issue === '' ? question : `${issue} ${question}`);
      if (typeof passphrase === 'string') {
        issue = passphrase;
        continue;
      }
      this.#passphrases.push(passphrase);
      const found = await findIssue(passphrase);
      if (found === null) return passphrase;
      issue = found;
      this.#passphrases.pop()?.free();
    }
    throw new OperatorError(`${this.#file}: ${explain(issue)}`);
  }

  /** The passphrase, or why the line is unusable. @throws OperatorError if nothing was entered */
  async #read(question: string): Promise<LockedBuffer | string> {
    try {
      return await this.#prompt.readPassphrase(question);
    } catch (error) {
      if (error instanceof UnusablePassphraseError) return error.message;
      throw inContext(error, (message) => `${this.#file}: it requires a passphrase, and none is available. ${message}`);
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
