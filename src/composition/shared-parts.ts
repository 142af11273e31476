import type { ServiceIdentifier } from 'inversify';
import type { ServiceKey } from '../adapters/driven/access-tokens/service-key.ts';
import type { AuditKey } from '../adapters/driven/audit-sink/audit-key/audit-key.ts';
import type { MasterKeyKeeper } from '../adapters/driven/credential-source/master-key/master-key-keeper.ts';
import type { MemoryUsageLedger } from '../adapters/driven/usage-ledger/memory-usage-ledger.ts';
import type { RedisUsageLedger } from '../adapters/driven/usage-ledger/redis-usage-ledger.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import type { AuditDiskWatch } from './audit-disk-watch.ts';
import type { RateLimiters } from './create-rate-limiters.ts';

/*
 * What adapters and services share without a port of their own: bound like a port, and named nowhere else than in this folder.
 */

/** What the file adapters of the credentials share: what is unlocked for one is unlocked for all. */
export const MASTER_KEYS: ServiceIdentifier<MasterKeyKeeper> = Symbol('MasterKeyKeeper');

/** The key that signs checkpoints of the audit file, opened when it is first asked for and wiped when it is unbound (purge-keys.ts). */
export const AUDIT_KEY: ServiceIdentifier<AuditKey> = Symbol('AuditKey');

/** Watches the disk of the audit file; started and stopped with the service. */
export const AUDIT_DISK: ServiceIdentifier<AuditDiskWatch> = Symbol('AuditDiskWatch');

/** What asks Redis while a request waits; null where there is none. Connected when it is first used, closed when the service stops. */
export const REDIS_LINK: ServiceIdentifier<RedisLink | null> = Symbol('RedisLink');

/** All rate limiters, which know of each other whether Redis answers. */
export const RATE_LIMITERS: ServiceIdentifier<RateLimiters> = Symbol('RateLimiters');

/** The key that answers are signed with, opened when it is first asked for and wiped when it is unbound (purge-keys.ts). */
export const AUTH_KEY: ServiceIdentifier<ServiceKey> = Symbol('ServiceKey');

/** The usage ledger as the audit file is opened with it, which restores its counters. */
export const USAGE_LEDGER: ServiceIdentifier<MemoryUsageLedger> = Symbol('MemoryUsageLedger');

/** What shares it with other replicas; null when nothing does. */
export const SHARED_USAGE: ServiceIdentifier<RedisUsageLedger | null> = Symbol('RedisUsageLedger');
