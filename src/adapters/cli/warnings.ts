import type { AccountProfile } from '../../domain/model/account.ts';
import type { Platform } from '../../domain/model/platform.ts';
import type { CredentialListing } from '../../ports/credential-editor.ts';
import { styled, type TerminalStyle } from './terminal/style.ts';

/** Warnings about a new platform. */
export function platformWarnings({ payload }: Platform): readonly string[] {
  if (payload.rule !== 'typed-data' || payload.domain !== undefined) return [];
  return [
    'accounts of it sign typed data for every contract, e.g. token permits, for whoever may call; ' +
      `pin it with --payload '{"rule":"typed-data","domain":{…}}', or with payload.domain in the credentials file`,
  ];
}

/**
 * Warns if a new account shares its key with another algorithm: a signature for one purpose could
 * serve the other.
 * @param others accounts that existed before
 */
export function accountWarnings(
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

/** One line for each warning. */
export function formatWarnings(warnings: readonly string[], terminal: TerminalStyle): string {
  return warnings.map((warning) => `${styled(terminal, 'yellow', 'caution:')} ${warning}.\n`).join('');
}
