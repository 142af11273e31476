import type { LockedBuffer } from '../../../../secure-memory/locked-buffer.ts';
import type { SecretContent } from '../files/replace-secret-file.ts';
import { MasterKey } from '../master-key/master-key.ts';
import type { StoredMasterKey } from '../master-key/master-key-file.ts';
import type { MasterKeyFiles, MasterKeyPair } from '../master-key/master-key-pair.ts';
import { MasterKeyRing } from '../master-key/master-key-ring.ts';
import type { PassphraseDialog } from '../master-key/passphrase-dialog.ts';
import type { RotationPlan } from './rotation-plan.ts';

/** All that a rotation needs of keys and passphrases; after it was made, nobody is asked for anything. */
export interface RotationKeys {
  /** Open what is sealed now. */
  readonly ring: MasterKeyRing;
  /** Everything is to be sealed under this. */
  readonly target: MasterKey;
  readonly targetHasPassphrase: boolean;
  /** What the master key file is to hold, where a new key was made. */
  readonly newContent: SecretContent | undefined;
  /** Wipes the keys. Safe to call twice. */
  close(): void;
}

/**
 * Opens the master keys, and makes a new one where the plan is to begin.
 * @param pair stays the caller's
 * @param newPassphrase whether a new key gets a new passphrase; otherwise it gets the primary's, where that has one
 * @throws KeyFileError when a passphrase can't be had or is wrong, MemoryLockError
 */
export async function prepareRotationKeys(
  files: MasterKeyFiles,
  pair: MasterKeyPair,
  plan: RotationPlan,
  newPassphrase: boolean,
  dialog: PassphraseDialog,
): Promise<RotationKeys> {
  const keys = new Map<string, MasterKey>();
  try {
    const passphrase = await openInto(keys, pair.primary, dialog);
    if (plan === 'finish' && pair.previous !== undefined) await openInto(keys, pair.previous, dialog);
    const ring = new MasterKeyRing(files, pair, keys);
    if (plan === 'finish') {
      const targetHasPassphrase = passphrase !== undefined;
      return { ring, target: ring.primary, targetHasPassphrase, newContent: undefined, close: () => ring.close() };
    }
    const chosen = newPassphrase ? await dialog.choose(files.primary) : passphrase;
    return withNewKey(files, ring, chosen, dialog);
  } catch (error) {
    for (const key of keys.values()) key.destroy();
    throw error;
  }
}

function withNewKey(
  { primary }: MasterKeyFiles,
  ring: MasterKeyRing,
  passphrase: LockedBuffer | undefined,
  dialog: PassphraseDialog,
): RotationKeys {
  const target = MasterKey.generate();
  try {
    const wrapped = passphrase && dialog.wrap(primary, target, passphrase);
    return {
      ring,
      target,
      targetHasPassphrase: wrapped !== undefined,
      newContent: (write) => (wrapped === undefined ? target.use(write) : write(wrapped)),
      close: () => {
        ring.close();
        target.destroy();
      },
    };
  } catch (error) {
    target.destroy();
    throw error;
  }
}

/** Puts a stored key, opened, among the others; the passphrase that opened it belongs to the dialog. */
async function openInto(
  keys: Map<string, MasterKey>,
  stored: StoredMasterKey,
  dialog: PassphraseDialog,
): Promise<LockedBuffer | undefined> {
  if (stored.kind === 'plain') {
    keys.set(stored.id, stored.key.copy());
    return undefined;
  }
  const { key, passphrase } = await dialog.unwrap(stored);
  keys.set(stored.id, key);
  return passphrase;
}
