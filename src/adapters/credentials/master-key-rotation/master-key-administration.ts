import { EditRefusedError } from '../../../domain/model/errors.ts';
import type {
  MasterKeyInfo,
  MasterKeyProtection,
  MasterKeyReport,
  MasterKeyRetirement,
  MasterKeyRotation,
} from '../../../domain/model/master-key-rotation.ts';
import { isSystemError } from '../../files/system-error-code.ts';
import { KeyFileError } from '../../key-files/secret-file.ts';
import type { PassphrasePrompt } from '../../passphrase/passphrase-prompt.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import type { LoadWrappingKey } from '../master-key/envelope-source.ts';
import type { StoredMasterKey } from '../master-key/master-key-file.ts';
import { type MasterKeyFiles, readMasterKeyPair, wipeMasterKeyPair } from '../master-key/master-key-pair.ts';
import { PassphraseDialog } from '../master-key/passphrase-dialog.ts';
import { sourceNameOf } from '../master-key/stored-key-sources.ts';
import { PASSPHRASE_COST, type PassphraseCost } from '../master-key/wrapped-master-key.ts';
import { countSealedKeys } from '../validated-credentials.ts';
import { createWrappingKeyLoader } from '../wrapping-keys/wrapping-key-loader.ts';
import type { RotationProgress } from './reseal-accounts.ts';
import { findLeftovers, retireMasterKey } from './retire-master-key.ts';
import { rotateMasterKey } from './rotate-master-key.ts';
import type { RotationSubject } from './rotation-paths.ts';
import { systemErrorMessage } from './rotation-state.ts';

interface MasterKeyAdministrationOptions {
  /** Path of the credentials file. */
  readonly file: string;
  readonly masterKeyFiles: MasterKeyFiles;
  readonly prompt: PassphrasePrompt;
  /** Cost of new passphrases. */
  readonly cost?: PassphraseCost;
  /** By default, of a machine without settings for services and tokens. */
  readonly loadWrappingKey?: LoadWrappingKey;
}

/**
 * Replaces the master key that seals a credentials file. All accounts load at every moment, also
 * after a kill; the previous key stays until `retire`, for replicas that have not reloaded. May
 * prompt for passphrases. Rejects with CredentialLoadError for an invalid configuration,
 * EditRefusedError if the operation is impossible now.
 */
export class MasterKeyAdministration {
  readonly location: string;
  readonly #subject: RotationSubject;
  readonly #prompt: PassphrasePrompt;
  readonly #cost: PassphraseCost;
  readonly #load: LoadWrappingKey;

  constructor({ file, masterKeyFiles, prompt, cost, loadWrappingKey }: MasterKeyAdministrationOptions) {
    this.location = file;
    this.#subject = { credentialsFile: file, files: masterKeyFiles };
    this.#prompt = prompt;
    this.#cost = cost ?? PASSPHRASE_COST;
    this.#load = loadWrappingKey ?? createWrappingKeyLoader();
  }

  /**
   * The current state, without prompting.
   * @throws CredentialLoadError, EditRefusedError
   */
  async report(): Promise<MasterKeyReport> {
    const { content } = await readCredentialsFile(this.location);
    const counts = countSealedKeys(content);
    return this.#refusing(async () => {
      const pair = readMasterKeyPair(this.#subject.files);
      wipeMasterKeyPair(pair);
      const { primary, previous } = pair;
      const counted = (stored: StoredMasterKey) => ({ ...toFact(stored), accounts: counts.get(stored.id) ?? 0 });
      const missing = [...counts].filter(([id]) => id !== primary.id && id !== previous?.id);
      return {
        primary: counted(primary),
        previous: previous === undefined ? null : withoutDuplicates(counted(previous), primary.id),
        missing: missing.map(([id, accounts]) => ({ id, accounts })),
        leftovers: await findLeftovers(this.location, this.#subject.files),
      };
    });
  }

  /**
   * Creates a master key and reseals every account under it. The new key keeps the old one's
   * passphrase or wrapping key, if any.
   * @param newPassphrase whether to prompt for a new one
   * @param onProgress called with finished and total steps
   * @param protection of the new key, instead of the old one's; not with a new passphrase
   * @throws CredentialLoadError, EditRefusedError, MemoryLockError
   */
  async rotate(
    newPassphrase: boolean,
    onProgress?: RotationProgress,
    protection?: MasterKeyProtection,
  ): Promise<MasterKeyRotation> {
    const dialog = new PassphraseDialog(this.#prompt, this.#cost);
    const wanted = newPassphrase ? 'new-passphrase' : (protection ?? 'same');
    try {
      return await this.#refusing(() =>
        rotateMasterKey(this.#subject, wanted, { dialog, load: this.#load }, onProgress),
      );
    } finally {
      dialog.close();
    }
  }

  /**
   * Removes leftovers of killed commands, then the previous master key if nothing is sealed under
   * it. Refused if there is neither.
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

function toFact(stored: StoredMasterKey): MasterKeyInfo {
  return { file: stored.file, id: stored.id, hasPassphrase: stored.kind === 'wrapped', source: sourceNameOf(stored) };
}

function withoutDuplicates<Fact extends MasterKeyInfo>(fact: Fact, primaryId: string): Fact {
  return fact.id === primaryId ? { ...fact, accounts: 0 } : fact;
}
