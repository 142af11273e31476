import { EditRefusedError } from '../../../../domain/model/errors.ts';
import type { SealedCounts } from '../sealed-counts.ts';

/** What a rotation has to do: make a new master key and seal everything under it, or seal what is left under the one that was made before. */
export type RotationPlan = 'begin' | 'finish';

/** Which master keys there are, and where. */
export interface MasterKeyNames {
  readonly primary: { readonly id: string; readonly file: string };
  readonly previous: { readonly id: string; readonly file: string } | undefined;
}

/**
 * Decides from what the files hold, wherever an earlier rotation was interrupted:
 *
 * | previous file | accounts under the previous key | |
 * |---|---|---|
 * | none | | begin |
 * | holds the primary key, too | | begin: it was interrupted before the new key was put in place |
 * | holds another key | some | finish |
 * | holds another key | none | refuse: replicas may need that key; `retire` says that they don't |
 *
 * @throws EditRefusedError in the last case, and when accounts are sealed under keys that neither file holds
 */
export function planRotation({ primary, previous }: MasterKeyNames, counts: SealedCounts): RotationPlan {
  for (const [id, accounts] of counts) {
    if (id === primary.id || id === previous?.id) continue;
    throw new EditRefusedError(
      `Accounts (${accounts}) are sealed under master key ${id}, which neither ${primary.file} nor a previous master key file holds; nothing was changed. ` +
        'Restore that key, or remove these accounts; `signing-service master-key status` shows what is held.',
    );
  }
  if (previous === undefined || previous.id === primary.id) return 'begin';
  if (counts.has(previous.id)) return 'finish';
  throw new EditRefusedError(
    `${previous.file} still holds the previous master key ${previous.id}, under which nothing is sealed any more; nothing was changed. ` +
      'When every replica has reloaded, run `signing-service master-key retire`; then a new rotation can begin.',
  );
}
