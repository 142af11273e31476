import type { LockedBuffer } from '../../vault/locked-buffer.ts';
import type { SecretContent } from '../editor/replace-credentials-file.ts';
import { MasterKey } from '../master-key/master-key.ts';
import type { StoredMasterKey } from '../master-key/master-key-file.ts';
import type { MasterKeyFiles, MasterKeyPair } from '../master-key/master-key-pair.ts';
import { MasterKeyRing } from '../master-key/master-key-ring.ts';
import type { PassphraseDialog } from '../master-key/passphrase-dialog.ts';
import type { RotationPlan } from './rotation-state.ts';

/** Keys and passphrases of a rotation; no prompts after creation. */
export interface RotationKeys {
  /** Opens existing seals. */
  readonly ring: MasterKeyRing;
  /** Seals everything from now on. */
  readonly target: MasterKey;
  readonly targetHasPassphrase: boolean;
  /** New content of the master key file, if there is a new key. */
  readonly newContent: SecretContent | undefined;
  /** Wipes the keys. Idempotent. */
  close(): void;
}

/**
 * Opens the master keys and creates one if the plan is to begin.
 * @param pair still owned by the caller
 * @param newPassphrase whether a new key gets a new passphrase instead of the primary's
 * @throws KeyFileError if a passphrase is unavailable or wrong; MemoryLockError
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

/** Adds an opened key; returns its passphrase, owned by the dialog. */
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
