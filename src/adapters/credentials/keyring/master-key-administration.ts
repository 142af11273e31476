import { realpath } from 'node:fs/promises';
import { inContext, OperatorError } from '../../../domain/model/errors.ts';
import type {
  MasterKeyProtection,
  MasterKeyReport,
  MasterKeyRetirement,
  MasterKeyRotation,
} from '../../../domain/model/master-key-rotation.ts';
import { adviseOnReading, fileError } from '../../files/file-advice.ts';
import { withFileLock } from '../../files/file-lock.ts';
import { isSystemError, systemErrorCode } from '../../files/system-error-code.ts';
import { assertUnchanged, readCredentialsFile, replaceCredentialsFile, resolveLinks } from '../credentials-file.ts';
import { countSealedKeys, listMissingKeys } from '../validated-credentials.ts';
import type { Keyring, NewMasterKey, OpenedRing } from './keyring.ts';
import { type RotationProgress, resealAccounts } from './reseal-accounts.ts';
import { assertSameRing, keepFirstKey, MAX_RING_KEYS, putKeyInFront, readRing, toKeyInfo } from './ring-file.ts';

/** Paths of both files, without symbolic links, so that links are preserved. */
interface LockedPaths {
  readonly credentials: string;
  readonly ring: string;
}

/**
 * Replaces the master key that seals a credentials file. All accounts load at every moment, also
 * after a kill; other keys stay in the ring until `retire`, for replicas that have not reloaded.
 * May prompt for passphrases. Rejects with CredentialLoadError for an invalid configuration,
 * OperatorError if the operation is impossible now.
 */
export class MasterKeyAdministration {
  /** Path of the credentials file. */
  readonly location: string;
  readonly #keyring: Keyring;

  constructor(location: string, keyring: Keyring) {
    this.location = location;
    this.#keyring = keyring;
  }

  /** The current state, without prompting. */
  async report(): Promise<MasterKeyReport> {
    const { file } = this.#keyring;
    const { content } = await readCredentialsFile(this.location);
    const counts = countSealedKeys(content);
    const lines = readRing(file);
    return {
      file,
      keys: lines.map((line) => ({ ...toKeyInfo(line), accounts: counts.get(line.id) ?? 0 })),
      missing: listMissingKeys(content, lines),
    };
  }

  /**
   * Puts a new master key in front of the ring and seals every account under it. All accounts load
   * after each step, so an interrupted rotation needs no completion:
   *
   * 1. every key resealed and compared, the new credentials file to `.tmp` and read back;
   * 2. the ring with the new key and all others into place, which still opens the old seals;
   * 3. new credentials file into place.
   *
   * @param wanted protection of the new key; null: that of the first one
   */
  async rotate(wanted: MasterKeyProtection | null, onProgress?: RotationProgress): Promise<MasterKeyRotation> {
    const { file } = this.#keyring;
    const { content } = await readCredentialsFile(this.location);
    assertNotFull(file);
    // Before locking: typing takes long.
    const { ring, added } = await this.#keyring.openAndCreate(new Set(countSealedKeys(content).keys()), wanted);
    const accounts = await this.#withLocks((paths) => this.#reseal(paths, ring, added, onProgress));
    const primary = toKeyInfo({ id: added.key.id, source: added.source });
    return { file, primary, previous: toKeyInfo(ring.lines[0]), accounts };
  }

  /**
   * Removes every key but the first from the ring, if nothing is sealed under them.
   * @throws OperatorError
   */
  async retire(): Promise<MasterKeyRetirement> {
    const { file } = this.#keyring;
    // Explains a missing file.
    readRing(file);
    return this.#withLocks(async (paths) => {
      const { content } = await readCredentialsFile(this.location);
      const counts = countSealedKeys(content);
      const ring = readRing(file);
      const [, ...others] = ring;
      if (others.length === 0) {
        throw new OperatorError(`${file} has one master key; there is none to remove.`);
      }
      const used = others.flatMap(({ id }) => (counts.has(id) ? [`${id} (accounts: ${counts.get(id)})`] : []));
      if (used.length > 0) {
        throw new OperatorError(
          `Accounts are still sealed under other master keys than the first: ${used.join(', ')}; nothing was removed. ` +
            'Run `signing-service master-key rotate` first, which seals them under a new one.',
        );
      }
      await keepFirstKey(paths.ring, ring);
      return { file, retired: others.map(toKeyInfo) };
    });
  }

  async #reseal(
    paths: LockedPaths,
    ring: OpenedRing,
    { key, line }: NewMasterKey,
    onProgress?: RotationProgress,
  ): Promise<number> {
    const { location } = this;
    const reading = await readCredentialsFile(location);
    assertSameRing(this.#keyring.file, ring.lines, readRing(this.#keyring.file));
    const keyFor = (id: string) => ring.keyFor(id);
    const { written, count } = resealAccounts({ location, ...reading, keyFor, onProgress }, key);
    await replaceCredentialsFile(paths.credentials, written, async () => {
      await assertUnchanged(location, reading.revision);
      await putKeyInFront(paths.ring, ring.lines, key.id, line);
    });
    return count;
  }

  async #withLocks<Result>(action: (paths: LockedPaths) => Promise<Result>): Promise<Result> {
    try {
      const paths = { credentials: await resolveLinks(this.location), ring: await realpath(this.#keyring.file) };
      return await withFileLock(paths.credentials, () => withFileLock(paths.ring, () => action(paths)));
    } catch (error) {
      const explained = isSystemError(error) ? fileError(this.#keyring.file, adviseOnReading(error), error) : error;
      if (!NOT_WRITABLE.has(systemErrorCode(error))) throw explained;
      throw inContext(explained, (message) => `${message} ${REPLACE_ELSEWHERE}`);
    }
  }
}

/** Codes of files that are mounted singly, read-only or of another user. */
const NOT_WRITABLE: ReadonlySet<string> = new Set(['EROFS', 'EBUSY', 'EACCES', 'EPERM']);

const REPLACE_ELSEWHERE =
  'Files that are mounted singly or belong to others cannot be replaced: run this on copies in a folder that this user can write, ' +
  'then deploy the master key file first and the credentials file after it.';

function assertNotFull(file: string): void {
  if (readRing(file).length < MAX_RING_KEYS) return;
  throw new OperatorError(
    `${file} has ${MAX_RING_KEYS} master keys, the most that it can have; nothing was changed. Run \`signing-service master-key retire --yes\`. ` +
      'If that is refused, remove lines of keys without accounts; `signing-service master-key status` lists the keys in the order of their lines.',
  );
}
