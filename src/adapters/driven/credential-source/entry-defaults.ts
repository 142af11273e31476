import type { PayloadRule } from '../../../domain/model/payload-rule.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import {
  DEFAULT_ALGORITHMS_OF_FORMAT,
  DEFAULT_RULE_OF_FORMAT,
  DEFAULT_RULE_OPTIONS,
} from '../../../domain/model/platform-defaults.ts';
import type { AccountEntry, PlatformEntry } from './credentials-schema.ts';

/** The platform that an entry means, what it leaves out filled in from its format. */
export function platformOf(entry: PlatformEntry): Platform {
  const { platformId, format, algorithms, encoding, payload, audit } = entry;
  return {
    platformId,
    format,
    algorithms: algorithms ?? DEFAULT_ALGORITHMS_OF_FORMAT[format],
    ...(encoding === undefined ? {} : { encoding }),
    payload: payload === undefined ? DEFAULT_RULE_OF_FORMAT[format] : payloadRuleOf(payload),
    ...(audit === undefined ? {} : { audit }),
  };
}

/** What an entry says of an account beside its key. Null where it leaves a field to the service. */
export function accountFactsOf(entry: AccountEntry) {
  const { platformId, accountId, alias, status, environment, algorithm, publicKey, createdAt } = entry;
  return {
    platformId,
    accountId,
    alias: alias ?? accountId,
    status,
    environment,
    algorithm,
    publicKey: publicKey ?? null,
    createdAt: createdAt === undefined ? null : new Date(createdAt).toISOString(),
  };
}

function payloadRuleOf(written: NonNullable<PlatformEntry['payload']>): PayloadRule {
  const given = Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined));
  return { ...DEFAULT_RULE_OPTIONS[written.rule], ...given } as PayloadRule;
}
