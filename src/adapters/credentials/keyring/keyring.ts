import type { CredentialsContent } from '../../../domain/configuration/credentials-schema.ts';
import { inContext, OperatorError } from '../../../domain/model/errors.ts';
import type { WrappingKeys } from '../../../ports/wrapping-keys.ts';
import { fileError } from '../../files/file-advice.ts';
import type { PassphrasePrompt } from '../../passphrase/passphrase-prompt.ts';
import { copySecret } from '../../vault/secret-bytes.ts';
import type { SodiumKeyStore } from '../../vault/sodium-key-store.ts';
import { SealedKeyError } from '../sealed-key.ts';
import { listMissingKeys } from '../validated-credentials.ts';
import { MasterKey, type TakeMasterKey } from './master-key.ts';
import { PassphraseDialog } from './passphrase-dialog.ts';
import { describeRing, isWrapped, type Ring, type RingLine, readRing } from './ring-file.ts';
import { unwrapKeys } from './wrapped-key.ts';

/** The keyring as it was read, with the keys that were opened. */
export class OpenedRing {
  readonly lines: Ring;
  readonly #file: string;
  readonly #opened: ReadonlyMap<string, MasterKey>;

  /**
   * @param file for messages
   * @param opened keys by id
   */
  constructor(file: string, lines: Ring, opened: ReadonlyMap<string, MasterKey>) {
    this.lines = lines;
    this.#file = file;
    this.#opened = opened;
  }

  /** Whether the ring has that key, opened or not. */
  has(id: string): boolean {
    return this.lines.some((line) => line.id === id);
  }

  /** @throws SealedKeyError that names the ring's keys, if it does not have this one */
  keyFor(id: string): MasterKey {
    const key = this.#opened.get(id);
    if (key !== undefined) return key;
    if (this.has(id)) throw new Error('The master key with that ID was not opened.');
    throw new SealedKeyError(`is sealed under master key ${id}, but ${describeRing(this.#file, this.lines)}`);
  }
}

/** What opens the keys of a ring. */
export interface RingOpeners {
  /** Holds opened keys. */
  readonly vault: SodiumKeyStore;
  /** Null: no prompts. */
  readonly dialog: PassphraseDialog | null;
  readonly wrappingKeys: WrappingKeys;
}

/**
 * Reads the ring, keeps its plain keys, and opens others that are needed.
 * @param opened keys by id; gets the keys that it lacks, loses those that left the ring
 * @throws OperatorError if the file is invalid or a needed key cannot be opened
 */
export async function openRing(
  file: string,
  opened: Map<string, MasterKey>,
  isNeeded: (id: string, index: number) => boolean,
  { vault, dialog, wrappingKeys }: RingOpeners,
): Promise<OpenedRing> {
  const take: TakeMasterKey = (id, bytes) => {
    if (opened.has(id)) return;
    opened.set(
      id,
      MasterKey.fill(vault, (key) => copySecret(bytes, key)),
    );
  };
  const lines = readRing(file, take);
  const closed = lines.filter(({ id }, index) => isNeeded(id, index) && !opened.has(id));
  await openLines(file, closed, dialog, take);
  const issues = await unwrapKeys(closed.filter(isWrapped), wrappingKeys, take);
  for (const issue of issues) if (issue !== null) throw inContext(issue, (message) => `${file}: ${message}`);
  for (const [id, key] of opened) {
    if (lines.some((line) => line.id === id)) continue;
    key.destroy();
    opened.delete(id);
  }
  return new OpenedRing(file, lines, opened);
}

async function openLines(
  file: string,
  lines: readonly RingLine[],
  dialog: PassphraseDialog | null,
  take: TakeMasterKey,
): Promise<void> {
  for (const line of lines) {
    if (line.source !== 'passphrase') continue;
    if (dialog === null) {
      throw fileError(
        file,
        `it contains master key ${line.id}, whose passphrase was not typed when this service started; ` +
          'restart the service and type the passphrase',
      );
    }
    await dialog.open(line, take);
  }
}

/** Whether to prompt for a passphrase. */
export type PassphrasePolicy = 'may-ask' | 'do-not-ask';

interface KeyringParts {
  /** Path of the keyring. */
  readonly file: string;
  /** Holds opened keys; the same one at each call. */
  readonly vault: () => Promise<SodiumKeyStore>;
  readonly prompt: PassphrasePrompt;
  readonly wrappingKeys: WrappingKeys;
}

/**
 * The keyring file, read again for each call. Opened keys stay in the vault as long as they are in
 * the ring: a reload under the same master key needs neither prompt nor service.
 */
export class Keyring {
  readonly #parts: KeyringParts;
  readonly #opened = new Map<string, MasterKey>();

  constructor(parts: KeyringParts) {
    this.#parts = parts;
  }

  get file(): string {
    return this.#parts.file;
  }

  /**
   * Opens a ring for seals under these master keys. Other keys stay closed, to avoid needless
   * prompts and calls.
   * @throws OperatorError if the file is invalid or a key cannot be opened
   */
  openFor(ids: ReadonlySet<string>, policy: PassphrasePolicy): Promise<OpenedRing> {
    return this.#open((id) => ids.has(id), policy);
  }

  /**
   * Opens the first key, which seals new keys of a credentials file.
   * @throws OperatorError, also if the file has keys that the ring does not open: it belongs to
   * another ring
   */
  async openFirst(content: CredentialsContent): Promise<MasterKey> {
    const ring = await this.#open((_, index) => index === 0, 'may-ask');
    const [missing] = listMissingKeys(content, ring.lines);
    if (missing === undefined) return ring.keyFor(ring.lines[0].id);
    throw new OperatorError(
      `Keys are sealed under master key ${missing.id} (accounts: ${missing.accounts}), but ${describeRing(this.file, ring.lines)}. Nothing was changed.`,
    );
  }

  /** Whether the ring has this key now. @throws OperatorError if the file is invalid */
  has(id: string): boolean {
    return readRing(this.file).some((line) => line.id === id);
  }

  async #open(isNeeded: (id: string, index: number) => boolean, policy: PassphrasePolicy): Promise<OpenedRing> {
    const { file, prompt, wrappingKeys } = this.#parts;
    const vault = await this.#parts.vault();
    const dialog = policy === 'may-ask' ? new PassphraseDialog(file, prompt) : null;
    try {
      return await openRing(file, this.#opened, isNeeded, { vault, dialog, wrappingKeys });
    } finally {
      dialog?.close();
    }
  }
}
