import { completeRule } from '../../../domain/model/complete-rule.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import { DEFAULT_RULE_OF_FORMAT, defaultAlgorithms } from '../../../domain/model/platform-defaults.ts';
import type { AccountEntry } from './account-schema.ts';
import type { PlatformEntry } from './platform-schema.ts';

/** The platform that an entry means, what it leaves out filled in from its format and rule. */
export function platformOf(entry: PlatformEntry): Platform {
  const { platformId, format, algorithms, encoding, audit, secretDecoding, verify } = entry;
  const payload = entry.payload === undefined ? DEFAULT_RULE_OF_FORMAT[format] : completeRule(entry.payload);
  return {
    platformId,
    format,
    algorithms: algorithms ?? defaultAlgorithms(format, payload),
    ...(encoding === undefined ? {} : { encoding }),
    payload,
    ...(audit === undefined ? {} : { audit }),
    ...(secretDecoding === undefined ? {} : { secretDecoding }),
    ...(verify === undefined ? {} : { verify }),
  };
}

/** What an entry says of an account beside its key. Null where it leaves a field to the service. */
export function accountFactsOf(entry: AccountEntry) {
  const { platformId, accountId, alias, status, environment, algorithm, publicKey, createdAt, values } = entry;
  return {
    platformId,
    accountId,
    alias: alias ?? accountId,
    status,
    environment,
    algorithm,
    publicKey: publicKey ?? null,
    createdAt: createdAt === undefined ? null : new Date(createdAt).toISOString(),
    ...(values === undefined ? {} : { values }),
  };
}
