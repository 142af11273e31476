import { EditRefusedError } from '../../../../domain/model/errors.ts';
import type {
  MasterKeyFact,
  MasterKeyReport,
  MasterKeyRetirement,
  MasterKeyRotation,
} from '../../../../domain/model/master-key-rotation.ts';
import { isSystemError } from '../../../../files/system-error-code.ts';
import { KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import type { PassphrasePrompt } from '../../../../secure-memory/passphrase-prompt.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import type { StoredMasterKey } from '../master-key/master-key-file.ts';
import { forgetPair, type MasterKeyFiles, readMasterKeyPair } from '../master-key/master-key-pair.ts';
import { PassphraseDialog } from '../master-key/passphrase-dialog.ts';
import { PASSPHRASE_COST, type PassphraseCost } from '../master-key/wrapped-master-key.ts';
import { countSealed } from '../sealed-counts.ts';
import type { RotationProgress } from './reseal-accounts.ts';
import { retireMasterKey } from './retire-master-key.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import { systemErrorMessage } from './rotation-failure.ts';
import { findLeftovers } from './rotation-leftovers.ts';
import type { RotationSubject } from './rotation-subject.ts';

/** What a {@link MasterKeyAdministration} is made of. */
export interface MasterKeyAdministrationOptions {
  /** Path of the credentials file. */
  readonly file: string;
  readonly masterKeyFiles: MasterKeyFiles;
  readonly prompt: PassphrasePrompt;
  /** Of new keys with a passphrase. */
  readonly cost?: PassphraseCost;
}

/**
 * Replaces the master key under which the keys of a credentials file are sealed.
 *
 * At every moment, also after a kill, the files load with every account's key, and `rotate`
 * finishes the work. The previous key stays until `retire`, for replicas that have not reloaded. It
 * may prompt for passphrases. Every method rejects with CredentialLoadError when the configuration
 * is wrong, and with EditRefusedError when the operation can't be done as things are.
 */
export class MasterKeyAdministration {
  /** Path of the credentials file. */
  readonly location: string;
  readonly #subject: RotationSubject;
  readonly #prompt: PassphrasePrompt;
  readonly #cost: PassphraseCost;

  constructor({ file, masterKeyFiles, prompt, cost = PASSPHRASE_COST }: MasterKeyAdministrationOptions) {
    this.location = file;
    this.#subject = { credentialsFile: file, files: masterKeyFiles };
    this.#prompt = prompt;
    this.#cost = cost;
  }

  /**
   * The current state; prompts for no passphrase.
   * @throws CredentialLoadError, EditRefusedError
   */
  async report(): Promise<MasterKeyReport> {
    const { content } = await readCredentialsFile(this.location);
    const counts = countSealed(content);
    return this.#refusing(async () => {
      const pair = readMasterKeyPair(this.#subject.files);
      forgetPair(pair);
      const { primary, previous } = pair;
      const counted = (stored: StoredMasterKey) => ({ ...factOf(stored), accounts: counts.get(stored.id) ?? 0 });
      const missing = [...counts].filter(([id]) => id !== primary.id && id !== previous?.id);
      return {
        primary: counted(primary),
        previous: previous === undefined ? null : withoutDoubles(counted(previous), primary.id),
        missing: missing.map(([id, accounts]) => ({ id, accounts })),
        leftovers: await findLeftovers(this.location, this.#subject.files),
      };
    });
  }

  /**
   * Makes a new master key and seals every account under it. The new key has a passphrase where the
   * old one has, the same one.
   * @param newPassphrase whether the new key gets a new passphrase
   * @param onProgress called now and then while keys are sealed and checked, with the number of
   *   finished steps and of all steps
   * @throws CredentialLoadError, EditRefusedError, MemoryLockError
   */
  async rotate(newPassphrase: boolean, onProgress?: RotationProgress): Promise<MasterKeyRotation> {
    const dialog = new PassphraseDialog(this.#prompt, this.#cost);
    try {
      return await this.#refusing(() => rotateMasterKey(this.#subject, newPassphrase, dialog, onProgress));
    } finally {
      dialog.close();
    }
  }

  /**
   * Removes the previous master key when no account is sealed under it, and before it whatever
   * killed commands left. It is refused when there is neither; when something can't be removed, the
   * message names what was removed and what was not.
   * @throws CredentialLoadError, EditRefusedError, MemoryLockError
   */
  async retire(): Promise<MasterKeyRetirement> {
    return this.#refusing(() => retireMasterKey(this.#subject));
  }

  async #refusing<Result>(action: () => Promise<Result>): Promise<Result> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof KeyFileError) throw new EditRefusedError(error.message, { cause: error });
      if (!isSystemError(error)) throw error;
      throw new EditRefusedError(systemErrorMessage(this.#subject.files.primary, error), { cause: error });
    }
  }
}

function factOf({ file, id, kind }: StoredMasterKey): MasterKeyFact {
  return { file, id, hasPassphrase: kind === 'wrapped' };
}

function withoutDoubles<Fact extends MasterKeyFact>(fact: Fact, primaryId: string): Fact {
  return fact.id === primaryId ? { ...fact, accounts: 0 } : fact;
}
