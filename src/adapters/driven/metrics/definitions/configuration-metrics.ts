import { counter, gauge, inSeconds, type ReadMetric } from '../metric-definition.ts';

/** Which accounts are in force, and how their configuration was read. */
export const CONFIGURATION_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_config_generation',
    'How many configurations came into force since the process started. It rises with each reload that is taken.',
    ({ core }) => core.configuration.generation,
  ),
  gauge(
    'signing_config_info',
    'Always 1, with the digest of the configuration in force: replicas should show the same within a minute of a change.',
    ({ core: { configuration } }) =>
      configuration.digest === null ? [] : [{ labels: { digest: configuration.digest }, value: 1 }],
    ['digest'],
  ),
  gauge('signing_config_loaded_timestamp_seconds', 'When the configuration in force was read, Unix time.', ({ core }) =>
    inSeconds(core.configuration.loadedAt),
  ),
  gauge(
    'signing_config_last_reload_success',
    '0 when the latest reading of the configuration failed: the one before stays in force, and the log and the status say what is wrong.',
    ({ core: { configuration } }) =>
      configuration.lastReload === null ? null : configuration.lastReload.outcome === 'success',
  ),
  gauge(
    'signing_config_last_reload_timestamp_seconds',
    'When the latest reading of the configuration began, Unix time: time() minus this is its age.',
    ({ core: { configuration } }) =>
      configuration.lastReload === null ? null : inSeconds(Date.parse(configuration.lastReload.at)),
  ),
  counter(
    'signing_config_reloads_total',
    'Readings of the configuration by outcome, that of the start included.',
    ({ core: { configuration } }) => [
      { labels: { outcome: 'success' }, value: configuration.reloads.succeeded },
      { labels: { outcome: 'failed' }, value: configuration.reloads.failed },
    ],
    ['outcome'],
  ),
  gauge(
    'signing_config_watched',
    '1 where the configuration is read anew when its files change: SIGNING_WATCH.',
    ({ core }) => core.configuration.isWatched,
  ),
  gauge(
    'signing_accounts',
    'Accounts by platform and status. A fall that nobody asked for is a configuration that came short.',
    ({ core }) =>
      core.configuration.accounts.map(({ platformId, status, count }) => ({
        labels: { platform: platformId, status },
        value: count,
      })),
    ['platform', 'status'],
  ),
  gauge(
    'signing_permission_entries',
    'Entries of the permissions list; not there where there is no list, and everybody who may call may do everything.',
    ({ core }) => core.configuration.permissionEntries,
  ),
];
