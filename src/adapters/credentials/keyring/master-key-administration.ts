import { EditRefusedError } from '../../../domain/model/errors.ts';
import type {
  MasterKeyProtection,
  MasterKeyReport,
  MasterKeyRetirement,
  MasterKeyRotation,
} from '../../../domain/model/master-key-rotation.ts';
import type { WrappingKeys } from '../../../ports/wrapping-keys.ts';
import { isSystemError, systemErrorCode } from '../../files/system-error-code.ts';
import { KeyFileError } from '../../key-files/secret-file.ts';
import type { PassphrasePrompt } from '../../passphrase/passphrase-prompt.ts';
import { SodiumKeyStore } from '../../vault/sodium-key-store.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { replaceSecretFile } from '../editor/replace-credentials-file.ts';
import { countSealedKeys } from '../validated-credentials.ts';
import { PassphraseDialog } from './passphrase-dialog.ts';
import type { PassphraseCost } from './passphrase-protected-key.ts';
import type { RotationProgress } from './reseal-accounts.ts';
import { readRing, toKeyInfo, withFirstKeyOnly } from './ring-file.ts';
import { type RotatedFiles, rotateMasterKey, withRotationLocks } from './rotate-master-key.ts';

interface MasterKeyAdministrationOptions {
  readonly files: RotatedFiles;
  readonly prompt: PassphrasePrompt;
  readonly wrappingKeys: WrappingKeys;
  /** Cost of new passphrases. */
  readonly cost?: PassphraseCost;
}

/**
 * Replaces the master key that seals a credentials file. All accounts load at every moment, also
 * after a kill; earlier keys stay in the ring until `retire`, for replicas that have not reloaded.
 * May prompt for passphrases. Rejects with CredentialLoadError for an invalid configuration,
 * EditRefusedError if the operation is impossible now.
 */
export class MasterKeyAdministration {
  readonly location: string;
  readonly #options: MasterKeyAdministrationOptions;

  constructor(options: MasterKeyAdministrationOptions) {
    this.location = options.files.credentials;
    this.#options = options;
  }

  /**
   * The current state, without prompting.
   * @throws CredentialLoadError, EditRefusedError
   */
  report(): Promise<MasterKeyReport> {
    const { credentials, ring: file } = this.#options.files;
    return this.#refusing(async () => {
      const { content } = await readCredentialsFile(credentials);
      const counts = countSealedKeys(content);
      const lines = readRing(file);
      const missing = [...counts].filter(([id]) => lines.every((line) => line.id !== id));
      return {
        file,
        keys: lines.map((line) => ({ ...toKeyInfo(line), accounts: counts.get(line.id) ?? 0 })),
        missing: missing.map(([id, accounts]) => ({ id, accounts })),
      };
    });
  }

  /**
   * Creates a master key and reseals every account under it.
   * @param newPassphrase whether to prompt for a new one
   * @param onProgress called with finished and total steps
   * @param protection of the new key, instead of the first one's; not with a new passphrase
   * @throws CredentialLoadError, EditRefusedError, MemoryLockError
   */
  async rotate(
    newPassphrase: boolean,
    onProgress?: RotationProgress,
    protection?: MasterKeyProtection,
  ): Promise<MasterKeyRotation> {
    const { files, prompt, wrappingKeys, cost } = this.#options;
    const wanted = newPassphrase ? 'new-passphrase' : (protection ?? 'same');
    const vault = new SodiumKeyStore();
    const dialog = new PassphraseDialog(files.ring, prompt, cost);
    try {
      return await this.#refusing(() => rotateMasterKey(files, wanted, { vault, dialog, wrappingKeys }, onProgress));
    } finally {
      vault.purge();
      dialog.close();
    }
  }

  /**
   * Removes every key but the first from the ring, if nothing is sealed under them.
   * @throws CredentialLoadError, EditRefusedError, MemoryLockError
   */
  retire(): Promise<MasterKeyRetirement> {
    const { files } = this.#options;
    return this.#refusing(async () => {
      // Explains a missing or invalid file.
      await this.report();
      return withRotationLocks(files, async (paths) => {
        const { content } = await readCredentialsFile(files.credentials);
        const counts = countSealedKeys(content);
        const [, ...others] = readRing(files.ring);
        if (others.length === 0) {
          throw new EditRefusedError(`${files.ring} has one master key; there is none to remove.`);
        }
        const used = others.flatMap(({ id }) => (counts.has(id) ? [`${id} (accounts: ${counts.get(id)})`] : []));
        if (used.length > 0) {
          throw new EditRefusedError(
            `Accounts are still sealed under other master keys than the first: ${used.join(', ')}; nothing was removed. ` +
              'Run `signing-service master-key rotate` first, which seals them under a new one.',
          );
        }
        await replaceSecretFile(paths.ring, withFirstKeyOnly(paths.ring));
        return { file: files.ring, retired: others.map(toKeyInfo) };
      });
    });
  }

  async #refusing<Result>(action: () => Promise<Result>): Promise<Result> {
    try {
      return await action();
    } catch (error) {
      throw explainFailure(this.#options.files.ring, error);
    }
  }
}

/** Errors of files that are mounted singly, read-only or of another user. */
const NOT_WRITABLE = new Set(['EROFS', 'EBUSY', 'EACCES', 'EPERM']);

const REPLACE_ELSEWHERE =
  'Files that are mounted singly or belong to others cannot be replaced: run this on copies in a folder that this user can write, ' +
  'then deploy the master key file first and the credentials file after it.';

function explainFailure(file: string, error: unknown): unknown {
  if (error instanceof KeyFileError) return new EditRefusedError(error.message, { cause: error });
  const isRefusal = error instanceof EditRefusedError;
  if (!isRefusal && !isSystemError(error)) return error;
  const message = isRefusal
    ? error.message
    : `A file at or next to ${file} could not be read or written (${systemErrorCode(error)}). Check the disk and the permissions.`;
  const isOthers = [error, error.cause].some((each) => NOT_WRITABLE.has(systemErrorCode(each)));
  return new EditRefusedError(isOthers ? `${message} ${REPLACE_ELSEWHERE}` : message, { cause: error });
}
