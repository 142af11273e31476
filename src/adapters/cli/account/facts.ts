import { toAccountName } from '../../../domain/model/account.ts';
import { isMacAlgorithm } from '../../../domain/model/algorithm.ts';
import { listSome } from '../../../domain/model/text/wording.ts';
import type { Addition, ShownAccount } from '../../../domain/services/account-administration-service.ts';
import { type Page, STATUS_COLUMN } from '../terminal/page.ts';
import type { Column } from '../terminal/table.ts';
import { truncateMiddle } from '../terminal/width.ts';

/** Length of a Starknet key. Those of RSA and ES256 are longer, and begin alike. */
export const MAX_KEY_LENGTH = 66;

const COLUMNS: readonly Column[] = [
  { heading: 'PLATFORM', truncate: 'end' },
  { heading: 'ACCOUNT', truncate: 'end' },
  { heading: 'ALIAS', truncate: 'end' },
  STATUS_COLUMN,
  { heading: 'ENVIRONMENT', truncate: 'end', optional: true },
  { heading: 'ALGORITHM', optional: true },
  { heading: 'KEY ID', optional: true },
  { heading: 'KEY/ADDRESS', truncate: 'middle' },
];

/**
 * Accounts, one a row.
 * @param unknown shown for a public key that is not known
 * @param wide whether no value is truncated
 */
export function tableOfAccounts(
  accounts: readonly (Addition['account'] & Pick<ShownAccount, 'platformStatus'>)[],
  page: Page,
  unknown: string,
  wide = false,
): string {
  const rows = accounts.map((account) => {
    const { platformId, accountId, alias, environment, algorithm, keyId, status, platformStatus } = account;
    const shown = status === 'active' && platformStatus === 'disabled' ? 'platform disabled' : status;
    const key = account.address ?? account.publicKey ?? unknown;
    const shownKey = wide ? key : truncateMiddle(key, MAX_KEY_LENGTH);
    return [platformId, accountId, alias, shown, environment, algorithm, keyId ?? '-', shownKey];
  });
  return page.table(COLUMNS, rows, 'No accounts.\n', wide);
}

/** An account whose key is shown. */
type KeyShown = Pick<Addition['account'], 'algorithm' | 'publicKey' | 'address' | 'keyId'>;

/** Public key, address and key ID; the publicKey field of an HMAC account has its key ID. */
export function toKeyFacts(
  { algorithm, publicKey, address, keyId }: KeyShown,
  unknown: string,
): Parameters<Page['facts']>[0] {
  if (isMacAlgorithm(algorithm)) return [['key ID', publicKey ?? unknown]];
  return [
    ['public key', publicKey ?? unknown],
    ...(address ? [['address', address] as const] : []),
    ...(keyId === null ? [] : [['key ID', keyId] as const]),
  ];
}

/** An account and its key, as far as warnings name them. */
type KeyUse = Pick<Addition['account'], 'platformId' | 'accountId' | 'algorithm' | 'publicKey'>;

/** An account in a warning. */
export function nameWithAlgorithm(account: Omit<KeyUse, 'publicKey'>): string {
  return `${toAccountName(account)} (${account.algorithm})`;
}

/**
 * Warnings about accounts that share their key: disabling one account leaves the others active, and
 * with another algorithm a signature for one purpose could serve the other.
 * @param others accounts that existed before
 */
export function listSharedKeys(
  accounts: readonly KeyUse[],
  others: readonly KeyUse[],
): readonly { readonly name: string; readonly warning: string }[] {
  const byKey = new Map<string, readonly KeyUse[]>();
  return [...others, ...accounts].flatMap((account, index) => {
    if (account.publicKey === null) return [];
    const sharing = byKey.get(account.publicKey) ?? [];
    byKey.set(account.publicKey, [...sharing, account]);
    const warnings = index < others.length ? [] : warnShared(account, sharing);
    return warnings.map((warning) => ({ name: toAccountName(account), warning }));
  });
}

function warnShared({ platformId, accountId, algorithm }: KeyUse, sharing: readonly KeyUse[]): readonly string[] {
  const [twins, foreign] = [true, false].map((isTwin) =>
    listSome(
      sharing.filter((other) => (other.algorithm === algorithm) === isTwin),
      nameWithAlgorithm,
    ),
  );
  const used = 'its key is also used by';
  const command = `signing-service account disable --platform ${platformId} --account ${accountId} --same-key`;
  return [
    ...(foreign ? [`${used} ${foreign} and now serves two purposes; use a separate key for each algorithm`] : []),
    ...(twins ? [`${used} ${twins}; if it leaks, disable all of them with ${command}`] : []),
  ];
}
