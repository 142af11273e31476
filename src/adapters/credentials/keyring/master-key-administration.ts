import { OperatorError } from '../../../domain/model/errors.ts';
import type {
  MasterKeyProtection,
  MasterKeyReport,
  MasterKeyRetirement,
  MasterKeyRotation,
} from '../../../domain/model/master-key-rotation.ts';
import { SodiumKeyStore } from '../../vault/sodium-key-store.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { countSealedKeys, listMissingKeys } from '../validated-credentials.ts';
import type { KeyProtectors } from './new-master-key.ts';
import type { RotationProgress } from './reseal-accounts.ts';
import { keepFirstKey, readRing, toKeyInfo } from './ring-file.ts';
import { type RotatedFiles, rotateMasterKey, withRotationLocks } from './rotate-master-key.ts';

interface MasterKeyAdministrationOptions extends KeyProtectors {
  readonly files: RotatedFiles;
}

/**
 * Replaces the master key that seals a credentials file. All accounts load at every moment, also
 * after a kill; earlier keys stay in the ring until `retire`, for replicas that have not reloaded.
 * May prompt for passphrases. Rejects with CredentialLoadError for an invalid configuration,
 * OperatorError if the operation is impossible now.
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
   * @throws OperatorError
   */
  async report(): Promise<MasterKeyReport> {
    const { credentials, ring: file } = this.#options.files;
    const { content } = await readCredentialsFile(credentials);
    const counts = countSealedKeys(content);
    const lines = readRing(file);
    return {
      file,
      keys: lines.map((line) => ({ ...toKeyInfo(line), accounts: counts.get(line.id) ?? 0 })),
      missing: listMissingKeys(content, lines),
    };
  }

  /**
   * Creates a master key and reseals every account under it.
   * @param wanted protection of the new key; null: that of the first one
   * @param onProgress called with finished and total steps
   * @throws OperatorError
   */
  async rotate(wanted: MasterKeyProtection | null, onProgress?: RotationProgress): Promise<MasterKeyRotation> {
    const { files, ...protectors } = this.#options;
    const vault = new SodiumKeyStore();
    try {
      return await rotateMasterKey(files, wanted, { vault, ...protectors }, onProgress);
    } finally {
      vault.purge();
      protectors.dialog.close();
    }
  }

  /**
   * Removes every key but the first from the ring, if nothing is sealed under them.
   * @throws OperatorError
   */
  async retire(): Promise<MasterKeyRetirement> {
    const { files } = this.#options;
    // Explains a missing or invalid file.
    await this.report();
    return withRotationLocks(files, async (paths) => {
      const { content } = await readCredentialsFile(files.credentials);
      const counts = countSealedKeys(content);
      const ring = readRing(files.ring);
      const [, ...others] = ring;
      if (others.length === 0) {
        throw new OperatorError(`${files.ring} has one master key; there is none to remove.`);
      }
      const used = others.flatMap(({ id }) => (counts.has(id) ? [`${id} (accounts: ${counts.get(id)})`] : []));
      if (used.length > 0) {
        throw new OperatorError(
          `Accounts are still sealed under other master keys than the first: ${used.join(', ')}; nothing was removed. ` +
            'Run `signing-service master-key rotate` first, which seals them under a new one.',
        );
      }
      await keepFirstKey(paths.ring, ring);
      return { file: files.ring, retired: others.map(toKeyInfo) };
    });
  }
}
