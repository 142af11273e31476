import type { CredentialsContent } from '../../../domain/configuration/credentials-schema.ts';
import { inContext, OperatorError } from '../../../domain/model/errors.ts';
import type { MasterKeyProtection, MasterKeySourceName } from '../../../domain/model/master-key-rotation.ts';
import type { WrappingKeys } from '../../../ports/wrapping-keys.ts';
import { fileError } from '../../files/file-advice.ts';
import type { PassphrasePrompt } from '../../passphrase/passphrase-prompt.ts';
import { copySecret } from '../../vault/secret-bytes.ts';
import type { SodiumKeyStore } from '../../vault/sodium-key-store.ts';
import { SealedKeyError } from '../sealed-key.ts';
import { listMissingKeys } from '../validated-credentials.ts';
import { MasterKey, type TakeMasterKey } from './master-key.ts';
import { createRingLine } from './new-master-key.ts';
import { PassphraseDialog } from './passphrase-dialog.ts';
import type { PassphraseCost } from './passphrase-protected-key.ts';
import { describeRing, isWrapped, type Ring, type RingLine, type RingLineText, readRing } from './ring-file.ts';
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

/** Whether to prompt for a passphrase. */
export type PassphrasePolicy = 'may-ask' | 'do-not-ask';

interface KeyringParts {
  /** Path of the keyring. */
  readonly file: string;
  /** Holds opened keys; the same one at each call. */
  readonly vault: () => Promise<SodiumKeyStore>;
  readonly prompt: PassphrasePrompt;
  readonly wrappingKeys: WrappingKeys;
  /** Of new passphrases; default: {@link PASSPHRASE_COST}. */
  readonly cost?: PassphraseCost;
}

/** A master key that is not in the ring yet. */
export interface NewMasterKey {
  readonly key: MasterKey;
  readonly source: MasterKeySourceName;
  readonly line: RingLineText;
}

/**
 * The keyring file, read again for each call. Opened keys stay in the vault until a reading
 * without them: a reload under the same master key needs neither prompt nor service. Methods throw
 * OperatorError if the file is invalid or a key cannot be opened or protected.
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
   */
  openFor(ids: ReadonlySet<string>, policy: PassphrasePolicy): Promise<OpenedRing> {
    const isNeeded = (id: string) => ids.has(id);
    return policy === 'may-ask' ? this.#ask((dialog) => this.#open(isNeeded, dialog)) : this.#open(isNeeded, null);
  }

  /**
   * Opens the first key, which seals new keys of a credentials file.
   * @throws OperatorError also if the file has keys that the ring does not open: it belongs to
   * another ring
   */
  async openFirst(content: CredentialsContent): Promise<MasterKey> {
    const ring = await this.#ask((dialog) => this.#open((_, index) => index === 0, dialog));
    const [missing] = listMissingKeys(content, ring.lines);
    if (missing === undefined) return ring.keyFor(ring.lines[0].id);
    throw new OperatorError(
      `Keys are sealed under master key ${missing.id} (accounts: ${missing.accounts}), but ${describeRing(this.file, ring.lines)}. Nothing was changed.`,
    );
  }

  /** Makes a key for a ring that does not exist yet. */
  create(protection: MasterKeyProtection): Promise<NewMasterKey> {
    return this.#ask((dialog) => this.#create(protection, dialog));
  }

  /**
   * Opens a ring for seals under these master keys, and makes the key that comes in front of it.
   * @param wanted its protection; null: that of the first one
   */
  openAndCreate(
    ids: ReadonlySet<string>,
    wanted: MasterKeyProtection | null,
  ): Promise<{ readonly ring: OpenedRing; readonly added: NewMasterKey }> {
    return this.#ask(async (dialog) => {
      const isNeeded = (id: string, index: number) => ids.has(id) || (index === 0 && wanted === null);
      // All by this dialog: the new key may get the passphrase of the first one.
      const ring = await this.#open(isNeeded, dialog, new Map());
      return { ring, added: await this.#create(wanted ?? ring.lines[0], dialog) };
    });
  }

  /** Whether the ring has this key now. */
  has(id: string): boolean {
    return readRing(this.file).some((line) => line.id === id);
  }

  async #ask<Result>(action: (dialog: PassphraseDialog) => Promise<Result>): Promise<Result> {
    const { file, prompt, cost } = this.#parts;
    const dialog = new PassphraseDialog(file, prompt, cost);
    try {
      return await action(dialog);
    } finally {
      dialog.close();
    }
  }

  /**
   * Reads the ring, keeps its plain keys, and opens others that are needed.
   * @param dialog null: no prompts
   * @param opened keys by id; gets the keys that it lacks, loses those that left the ring
   */
  async #open(
    isNeeded: (id: string, index: number) => boolean,
    dialog: PassphraseDialog | null,
    opened = this.#opened,
  ): Promise<OpenedRing> {
    const { file, wrappingKeys } = this.#parts;
    const vault = await this.#parts.vault();
    const take: TakeMasterKey = (id, bytes) => {
      if (opened.has(id)) return;
      opened.set(
        id,
        MasterKey.fill(vault, (key) => copySecret(bytes, key)),
      );
    };
    const lines = readRing(file, take);
    const closed = lines.filter(({ id }, index) => isNeeded(id, index) && !opened.has(id));
    for (const line of closed) {
      if (line.source !== 'passphrase') continue;
      if (dialog === null) throw fileError(file, notTyped(line.id));
      await dialog.open(line, take);
    }
    const issues = await unwrapKeys(closed.filter(isWrapped), wrappingKeys, take);
    for (const issue of issues) if (issue !== null) throw inContext(issue, (message) => `${file}: ${message}`);
    for (const [id, key] of opened) {
      if (lines.some((line) => line.id === id)) continue;
      key.destroy();
      opened.delete(id);
    }
    return new OpenedRing(file, lines, opened);
  }

  async #create(protection: MasterKeyProtection | RingLine, dialog: PassphraseDialog): Promise<NewMasterKey> {
    const key = MasterKey.generate(await this.#parts.vault());
    const line = await createRingLine(key, protection, dialog, this.#parts.wrappingKeys);
    return { key, source: protection.source, line };
  }
}

function notTyped(id: string): string {
  return (
    `it contains master key ${id}, whose passphrase was not typed when this service started; ` +
    'restart the service and type the passphrase'
  );
}
