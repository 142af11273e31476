import type { MasterKeyProtection, MasterKeySourceName } from '../../../domain/model/master-key-rotation.ts';
import type { LockedBuffer } from '../../vault/locked-buffer.ts';
import type { SecretContent } from '../editor/replace-credentials-file.ts';
import { wrapInEnvelope } from '../master-key/envelope-source.ts';
import { MasterKey } from '../master-key/master-key.ts';
import type { StoredMasterKey } from '../master-key/master-key-file.ts';
import type { MasterKeyFiles, MasterKeyPair } from '../master-key/master-key-pair.ts';
import { MasterKeyRing } from '../master-key/master-key-ring.ts';
import { type MasterKeyOpeners, openStoredKey, sourceNameOf } from '../master-key/stored-key-sources.ts';
import type { RotationPlan } from './rotation-state.ts';

/** Protection of the new master key; `same`: as the current one. */
export type NewProtection = 'same' | 'new-passphrase' | MasterKeyProtection;

/** Keys and passphrases of a rotation; no prompts after creation. */
export interface RotationKeys {
  /** Opens existing seals. */
  readonly ring: MasterKeyRing;
  /** Seals everything from now on. */
  readonly target: MasterKey;
  readonly targetSource: MasterKeySourceName;
  /** New content of the master key file, if there is a new key. */
  readonly newContent: SecretContent | undefined;
  /** Wipes the keys. Idempotent. */
  close(): void;
}

/**
 * Opens the master keys and creates one if the plan is to begin.
 * @param pair still owned by the caller
 * @throws KeyFileError if a passphrase, service or token is unavailable or wrong; MemoryLockError
 */
export async function prepareRotationKeys(
  files: MasterKeyFiles,
  pair: MasterKeyPair,
  plan: RotationPlan,
  protection: NewProtection,
  openers: MasterKeyOpeners,
): Promise<RotationKeys> {
  const keys = new Map<string, MasterKey>();
  try {
    const passphrase = await openInto(keys, pair.primary, openers);
    if (plan === 'finish' && pair.previous !== undefined) await openInto(keys, pair.previous, openers);
    const ring = new MasterKeyRing(files, pair, keys);
    if (plan === 'finish') {
      const targetSource = sourceNameOf(pair.primary);
      return { ring, target: ring.primary, targetSource, newContent: undefined, close: () => ring.close() };
    }
    const chosen = protection === 'new-passphrase' ? await openers.dialog.choose(files.primary) : passphrase;
    const target = protection === 'same' || protection === 'new-passphrase' ? toSame(pair.primary, chosen) : protection;
    return await withNewKey(files, ring, target, openers);
  } catch (error) {
    for (const key of keys.values()) key.destroy();
    throw error;
  }
}

/** A passphrase belongs to the dialog. */
type TargetProtection = MasterKeyProtection | { readonly source: 'passphrase'; readonly passphrase: LockedBuffer };

function toSame(primary: StoredMasterKey, passphrase: LockedBuffer | undefined): TargetProtection {
  if (passphrase !== undefined) return { source: 'passphrase', passphrase };
  return primary.kind === 'enveloped' ? primary.envelope : { source: 'file' };
}

async function withNewKey(
  { primary }: MasterKeyFiles,
  ring: MasterKeyRing,
  protection: TargetProtection,
  { dialog, load }: MasterKeyOpeners,
): Promise<RotationKeys> {
  const target = MasterKey.generate();
  try {
    const newContent = await toContent(primary, target, protection, { dialog, load });
    return {
      ...{ ring, target, targetSource: protection.source, newContent },
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

/** Content of a file with that key; the key remains in use. */
async function toContent(
  file: string,
  key: MasterKey,
  protection: TargetProtection,
  { dialog, load }: MasterKeyOpeners,
): Promise<SecretContent> {
  if (protection.source === 'file') return (write) => key.use(write);
  const content =
    protection.source === 'passphrase'
      ? dialog.wrap(file, key, protection.passphrase)
      : await wrapInEnvelope(key, protection, load);
  return (write) => write(content);
}

/** Adds an opened key; returns its passphrase, owned by the dialog. */
async function openInto(
  keys: Map<string, MasterKey>,
  stored: StoredMasterKey,
  openers: MasterKeyOpeners,
): Promise<LockedBuffer | undefined> {
  if (stored.kind === 'wrapped') {
    const { key, passphrase } = await openers.dialog.unwrap(stored);
    keys.set(stored.id, key);
    return passphrase;
  }
  keys.set(stored.id, stored.kind === 'plain' ? stored.key.copy() : await openStoredKey(stored, openers));
  return undefined;
}
