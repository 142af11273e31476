import type { AccountUse, AccountUses } from '../../../../domain/model/service-state.ts';
import { counter, type ReadMetric, type Sample } from '../metric-definition.ts';

/** Accounts that are looked at together. */
const SLICE = 100;

/** What each account was used for; there only where SIGNING_METRICS_ACCOUNTS says so, since their names and numbers become series. */
export const ACCOUNT_METRICS: readonly ReadMetric[] = [
  counter(
    'signing_account_signatures_total',
    'Signatures on record of each account; only with SIGNING_METRICS_ACCOUNTS=true. Where counters are shared, every replica shows the same sums.',
    ({ core }) => samplesOf(core.accounts, ({ totalSigns }) => totalSigns),
    ['platform', 'account'],
  ),
  counter(
    'signing_account_errors_total',
    'Attempts on each account that ended without a signature; only with SIGNING_METRICS_ACCOUNTS=true. Where counters are shared, every replica shows the same sums.',
    ({ core }) => samplesOf(core.accounts, ({ errorCount }) => errorCount),
    ['platform', 'account'],
  ),
];

/** Made as they are asked for: there may be 100,000 of them. */
function* samplesOf(accounts: AccountUses | null, pick: (use: AccountUse) => number): Generator<Sample> {
  if (accounts === null) return;
  for (let at = 0; at < accounts.length; at += SLICE) {
    for (const use of accounts.slice(at, at + SLICE)) {
      yield { labels: { platform: use.platformId, account: use.accountId }, value: pick(use) };
    }
  }
}
