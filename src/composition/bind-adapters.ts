import { dirname } from 'node:path';
import type { Container } from 'inversify';
import { ServiceKey } from '../adapters/driven/access-tokens/service-key.ts';
import { AuditKey } from '../adapters/driven/audit-sink/audit-key/audit-key.ts';
import { SystemClock } from '../adapters/driven/clock/system-clock.ts';
import { ZodDataFormatValidator } from '../adapters/driven/data-format-validator/zod-data-format-validator.ts';
import { NodeHasher } from '../adapters/driven/hasher/node-hasher.ts';
import { SodiumKeyStore } from '../adapters/driven/key-store/sodium-key-store.ts';
import { MemoryReplayGuard } from '../adapters/driven/replay-guard/memory-replay-guard.ts';
import { RedisReplayGuard } from '../adapters/driven/replay-guard/redis-replay-guard.ts';
import { ReplayReport } from '../adapters/driven/replay-guard/replay-report.ts';
import { WinstonServiceLog } from '../adapters/driven/service-log/winston-service-log.ts';
import { SodiumSignatureVerifier } from '../adapters/driven/signature-verifier/sodium-signature-verifier.ts';
import { EthersTypedDataEncoder } from '../adapters/driven/typed-data-encoder/ethers-typed-data-encoder.ts';
import { MemoryUsageLedger } from '../adapters/driven/usage-ledger/memory-usage-ledger.ts';
import { RedisUsageLedger, type RedisUsageLedgerParts } from '../adapters/driven/usage-ledger/redis-usage-ledger.ts';
import type { ReplayGuard } from '../ports/replay-guard.ts';
import { loadRedisClient } from '../redis/redis-connection.ts';
import { RedisLink } from '../redis/redis-link.ts';
import { TerminalPassphrase } from '../secure-memory/terminal-passphrase.ts';
import { AuditDiskWatch } from './audit-disk-watch.ts';
import { bindCredentials } from './bind-credentials.ts';
import { createRateLimiters, type RateLimiterParts } from './create-rate-limiters.ts';
import { createSigners } from './create-signers.ts';
import { FreeSpace } from './free-space.ts';
import { openAuditSink } from './open-audit-sink.ts';
import type { Settings } from './settings.ts';
import {
  AUDIT_DISK,
  AUDIT_KEY,
  AUTH_KEY,
  RATE_LIMITERS,
  REDIS_LINK,
  SHARED_USAGE,
  USAGE_LEDGER,
} from './shared-parts.ts';
import { TOKENS as T } from './tokens.ts';
import { wantsColour } from './wants-colour.ts';

/** Binds every port to its adapter. */
export function bindAdapters(container: Container, settings: Settings): void {
  container.bind(T.ServiceLog).toResolvedValue(
    () =>
      new WinstonServiceLog(settings.logLevel, {
        pretty: process.stdout.isTTY,
        colour: wantsColour(process.env, process.stdout),
        grouped: true,
      }),
  );
  container.bind(T.Clock).toResolvedValue(() => new SystemClock());
  container.bind(T.Hasher).toResolvedValue(() => new NodeHasher());
  container.bind(T.KeyStore).toResolvedValue(() => new SodiumKeyStore());
  container.bind(T.Signers).toResolvedValue(() => createSigners());
  container.bind(T.TypedDataEncoder).toResolvedValue(() => new EthersTypedDataEncoder());
  container.bind(USAGE_LEDGER).toResolvedValue(() => new MemoryUsageLedger());
  container
    .bind(SHARED_USAGE)
    .toResolvedValue(
      (ledger, clock, log) => sharedUsage(settings, { ledger, clock, log }),
      [USAGE_LEDGER, T.Clock, T.ServiceLog],
    );
  container.bind(T.UsageLedger).toResolvedValue((ledger, shared) => shared ?? ledger, [USAGE_LEDGER, SHARED_USAGE]);
  container.bind(REDIS_LINK).toResolvedValue(() => redisLink(settings));
  container
    .bind(RATE_LIMITERS)
    .toResolvedValue(
      (link, clock, log) => createRateLimiters(settings, { link, clock, log }),
      [REDIS_LINK, T.Clock, T.ServiceLog],
    );
  container.bind(T.AccountRateLimiter).toResolvedValue(({ accounts }) => accounts, [RATE_LIMITERS]);
  container.bind(T.CallerRateLimiter).toResolvedValue(({ callers }) => callers, [RATE_LIMITERS]);
  container.bind(T.FailureRateLimiter).toResolvedValue(({ failures }) => failures, [RATE_LIMITERS]);
  container.bind(T.DataFormatValidator).toResolvedValue(() => new ZodDataFormatValidator());
  container
    .bind(T.AuditSink)
    .toResolvedValue(
      (key, ledger, shared, clock, log) => openAuditSink({ settings, key, ledger, shared, clock, log }),
      [AUDIT_KEY, USAGE_LEDGER, SHARED_USAGE, T.Clock, T.ServiceLog],
    );
  container
    .bind(AUDIT_KEY)
    .toResolvedValue(() => AuditKey.open(settings.auditKeyFile))
    .onDeactivation((key) => key.destroy());
  container.bind(AUDIT_DISK).toResolvedValue(
    (clock, log) =>
      new AuditDiskWatch({
        ...{ file: settings.auditFile, clock, log },
        space: new FreeSpace(dirname(settings.auditFile)),
      }),
    [T.Clock, T.ServiceLog],
  );
  container
    .bind(AUTH_KEY)
    .toResolvedValue(() => ServiceKey.open(settings.auth.keyFile))
    .onDeactivation((key) => key.destroy());
  container.bind(T.SignatureVerifier).toResolvedValue(() => new SodiumSignatureVerifier());
  container
    .bind(T.ReplayGuard)
    .toResolvedValue(
      (link, clock, log) => replayGuard(settings, { link, clock, log }),
      [REDIS_LINK, T.Clock, T.ServiceLog],
    );
  container.bind(T.TokenAdministration).toResolvedValue(
    async (verifier, clock) => {
      const { FileTokenAdministration } = await import('../adapters/driven/access-tokens/file-token-administration.ts');
      return new FileTokenAdministration({ ...settings.auth, verifier, clock });
    },
    [T.SignatureVerifier, T.Clock],
  );
  container.bind(T.Metrics).toResolvedValue(async () => {
    const { PromMetrics } = await import('../adapters/driven/metrics/prom-metrics.ts');
    return new PromMetrics();
  });
  container.bind(T.PassphrasePrompt).toResolvedValue(() => new TerminalPassphrase());
  bindCredentials(container, settings);
}

async function redisLink({ redis }: Settings): Promise<RedisLink | null> {
  return redis === null ? null : new RedisLink({ ...redis, library: await loadRedisClient() });
}

/**
 * In memory without Redis, and then the log says until when a start has requests refused; else
 * through Redis, and no request waits for its first look.
 */
async function replayGuard({ redis }: Settings, { link, clock, log }: RateLimiterParts): Promise<ReplayGuard> {
  if (redis === null || link === null) {
    const guard = new MemoryReplayGuard(clock);
    const fault = await guard.fault();
    if (fault !== null) log.warn(fault);
    return guard;
  }
  const guard = new RedisReplayGuard({ link, clock, report: new ReplayReport(redis.address.shown, clock, log) });
  void guard.begin();
  return guard;
}

function sharedUsage(
  { redis, instanceId }: Settings,
  parts: Pick<RedisUsageLedgerParts, 'ledger' | 'clock' | 'log'>,
): RedisUsageLedger | null {
  return redis === null ? null : new RedisUsageLedger({ ...parts, ...redis, instanceId });
}
