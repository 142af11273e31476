import type { MasterKeySourceName } from '../../../domain/model/master-key-rotation.ts';
import type { MasterKeySource } from '../../../ports/master-key-source.ts';
import { copySecret } from '../../vault/secret-bytes.ts';
import { EnvelopeSource, type LoadWrappingKey } from './envelope-source.ts';
import { MasterKey } from './master-key.ts';
import { readMasterKeyFile, removeStoredKey, type StoredMasterKey, type StoredWrappedKey } from './master-key-file.ts';
import type { PassphraseDialog } from './passphrase-dialog.ts';

/** A master key that its passphrase opens. */
export class PassphraseSource implements MasterKeySource {
  readonly #stored: StoredWrappedKey;
  readonly #dialog: PassphraseDialog;

  /** @param dialog still owned by the caller */
  constructor(stored: StoredWrappedKey, dialog: PassphraseDialog) {
    this.#stored = stored;
    this.#dialog = dialog;
  }

  /** @throws KeyFileError if no passphrase is available or correct; MemoryLockError */
  async open<Result>(use: (masterKey: Uint8Array) => Result): Promise<Result> {
    const { key } = await this.#dialog.unwrap(this.#stored);
    return useAndDestroy(key, use);
  }
}

/** Openers of master key files that need more than the file. */
export interface MasterKeyOpeners {
  readonly dialog: PassphraseDialog;
  readonly load: LoadWrappingKey;
}

/**
 * The master key of a file, also of one that systemd or an orchestrator injects, in each form that
 * {@link readMasterKeyFile} reads. Reads the file at each opening.
 */
export class MasterKeyFileSource implements MasterKeySource {
  readonly #file: string;
  readonly #openers: MasterKeyOpeners;

  /** @param openers the dialog is still owned by the caller */
  constructor(file: string, openers: MasterKeyOpeners) {
    this.#file = file;
    this.#openers = openers;
  }

  /** @throws KeyFileError naming the file and what to do; MemoryLockError */
  async open<Result>(use: (masterKey: Uint8Array) => Result): Promise<Result> {
    return useAndDestroy(await openStoredKey(readMasterKeyFile(this.#file), this.#openers), use);
  }
}

/**
 * Opens a master key file's content.
 * @param stored a plain key is wiped
 * @returns a key in locked memory, which the caller destroys
 * @throws KeyFileError, MemoryLockError
 */
export async function openStoredKey(stored: StoredMasterKey, openers: MasterKeyOpeners): Promise<MasterKey> {
  try {
    if (stored.kind === 'plain') return stored.key.copy();
    const source =
      stored.kind === 'wrapped'
        ? new PassphraseSource(stored, openers.dialog)
        : new EnvelopeSource(stored.file, stored.envelope, openers.load);
    return await source.open((bytes) => MasterKey.fill((key) => copySecret(bytes, key)));
  } finally {
    removeStoredKey(stored);
  }
}

/** What opens this content. */
export function sourceNameOf(stored: StoredMasterKey): MasterKeySourceName {
  if (stored.kind === 'enveloped') return stored.envelope.source;
  return stored.kind === 'wrapped' ? 'passphrase' : 'file';
}

function useAndDestroy<Result>(key: MasterKey, use: (masterKey: Uint8Array) => Result): Result {
  try {
    return key.use(use);
  } finally {
    key.destroy();
  }
}
