import { counter, gauge, inSeconds, type ReadMetric } from '../metric-definition.ts';

/** How keys are held. */
export const KEY_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_memory_locked',
    '1 while all memory for secrets is locked into RAM. 0: keys can be written to swap, until the process ends.',
    ({ process }) => process.isMemoryLocked,
  ),
  gauge(
    'signing_vault_generation',
    'Generation of the key under which keys lie encrypted in memory. It rises every SIGNING_KEY_REFRESH_SECONDS.',
    ({ core }) => core.keys?.generation ?? null,
  ),
  gauge(
    'signing_vault_keys',
    'Keys that are held in memory: as many as accounts, and during a reload those of both configurations.',
    ({ core }) => core.keys?.keys ?? null,
  ),
  counter(
    'signing_key_refreshes_total',
    'How often all keys in memory were encrypted anew, by outcome. After a failure they stay as they were.',
    ({ process: { refreshes } }) => [
      { labels: { outcome: 'success' }, value: refreshes.succeeded },
      { labels: { outcome: 'failed' }, value: refreshes.failed },
    ],
    ['outcome'],
  ),
  gauge(
    'signing_key_last_refresh_timestamp_seconds',
    'When keys in memory were last encrypted anew, Unix time; not there before the first time.',
    ({ process }) => inSeconds(process.refreshes.lastAt),
  ),
];
