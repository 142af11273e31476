import type { SecretDecoding } from '../../domain/model/account.ts';
import {
  completeRule,
  completeRules,
  DEFAULT_RULE_OF_FORMAT,
  defaultAlgorithms,
  type Platform,
} from '../../domain/model/platform.ts';
import type { AccountEntry } from './schema/account-schema.ts';
import type { PlatformEntry } from './schema/platform-schema.ts';

export function toPlatform(entry: PlatformEntry): Platform {
  const { platformId, format, algorithms, encoding, rules, audit, secretDecoding, verify, status } = entry;
  const payload = entry.payload === undefined ? DEFAULT_RULE_OF_FORMAT[format] : completeRule(entry.payload);
  return {
    platformId,
    format,
    algorithms: algorithms ?? defaultAlgorithms(format, payload),
    ...(encoding === undefined ? {} : { encoding }),
    payload,
    ...(rules === undefined ? {} : { rules: completeRules(rules) }),
    ...(audit === undefined ? {} : { audit }),
    ...(secretDecoding === undefined ? {} : { secretDecoding }),
    ...(verify === undefined ? {} : { verify }),
    ...(status === 'disabled' ? { status } : {}),
  };
}

/** An account entry without its key; null for fields that default to the service. */
export function getAccountFacts(entry: AccountEntry) {
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

/** A platform's HMAC secret encoding; `utf8` by default. */
export function getSecretDecoding(
  platform: { readonly secretDecoding?: SecretDecoding | undefined } | undefined,
): SecretDecoding {
  return platform?.secretDecoding ?? 'utf8';
}
