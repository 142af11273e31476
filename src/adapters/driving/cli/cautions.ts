import type { AccountProfile } from '../../../domain/model/account.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import type { CredentialListing } from '../../../ports/credential-editor.ts';
import { type Look, styled } from './look.ts';

/** What an operator who has added a platform should know of it. */
export function platformCautions({ payload }: Platform): readonly string[] {
  if (payload.rule !== 'typed-data' || payload.domain !== undefined) return [];
  return [
    'accounts of it sign typed data for every contract, e.g. token permits, for whoever may call; ' +
      `pin it with --payload '{"rule":"typed-data","domain":{…}}', or with payload.domain in the credentials file`,
  ];
}

/**
 * What an operator who has added an account should know of it: that its key is also one of another algorithm, in which what is signed for one purpose may
 * count for the other.
 * @param others the accounts that were there before
 */
export function accountCautions(
  { publicKey, algorithm }: Pick<AccountProfile, 'publicKey' | 'algorithm'>,
  others: CredentialListing['accounts'],
): readonly string[] {
  const shared = others.filter((other) => other.publicKey === publicKey && other.algorithm !== algorithm);
  if (shared.length === 0) return [];
  const names = shared.map((other) => `${other.platformId}/${other.accountId} (${other.algorithm})`);
  return [
    `its key is also that of ${names.join(', ')} and serves two purposes now; give each algorithm a key of its own`,
  ];
}

/** One line for each caution, for people. */
export function cautionsText(cautions: readonly string[], look: Look): string {
  return cautions.map((caution) => `${styled(look, 'yellow', 'caution:')} ${caution}.\n`).join('');
}
