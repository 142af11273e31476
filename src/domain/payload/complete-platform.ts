import type { AccountStatus } from '../model/account.ts';
import { ALGORITHM_ROWS, ALGORITHMS, type Algorithm } from '../model/algorithm.ts';
import { withoutUndefined } from '../model/json.ts';
import type { PayloadRule } from '../model/payload.ts';
import type { DataFormat, Platform } from '../model/platform.ts';
import { getRuleAlgorithms, getRuleModule } from './payload-rules.ts';

/** Each format's default rule. */
export const DEFAULT_RULE_OF_FORMAT: { readonly [Format in DataFormat]: PayloadRule } = {
  A: defaultRule('jcs'),
  B: { rule: 'jcs', field: 'message' },
  C: defaultRule('query'),
  D: defaultRule('prehash'),
  any: defaultRule('jcs'),
};

/** A rule with its default options. */
export function defaultRule(name: string): PayloadRule {
  return getRuleModule({ rule: name }).schema.parse({ rule: name }) as PayloadRule;
}

/** Algorithms of a platform that names none: the rule's, else the format's. */
export function defaultAlgorithms(format: DataFormat, rule: PayloadRule): readonly Algorithm[] {
  return (
    getRuleAlgorithms(rule) ??
    ALGORITHMS.filter((name) => {
      const row = ALGORITHM_ROWS[name];
      return format === 'A' || format === 'B' ? row.format === format : !row.bound;
    })
  );
}

/** A platform as configured; what it leaves out follows from format and rule. */
export type ConfiguredPlatform = Pick<Platform, 'platformId' | 'format'> & {
  readonly [Field in Exclude<keyof Platform, 'rules' | 'status'>]?: Platform[Field] | undefined;
} & {
  readonly rules?: { readonly [name: string]: PayloadRule } | undefined;
  readonly status?: AccountStatus | undefined;
};

/**
 * Fills in the defaults of a platform and its rules. The configuration's schema validates their
 * options.
 */
export function completePlatform(configured: ConfiguredPlatform): Platform {
  const { platformId, format, algorithms, encoding, payload, rules, status, ...others } = configured;
  const rule = payload === undefined ? DEFAULT_RULE_OF_FORMAT[format] : completeRule(payload);
  return withoutUndefined({
    platformId,
    format,
    algorithms: algorithms ?? defaultAlgorithms(format, rule),
    encoding,
    payload: rule,
    rules: rules && Object.fromEntries(Object.entries(rules).map(([name, named]) => [name, completeRule(named)])),
    ...others,
    status: status === 'disabled' ? status : undefined,
  }) as object as Platform;
}

/** Fills in a rule's default options. */
function completeRule(configured: PayloadRule): PayloadRule {
  return { ...defaultRule(configured.rule), ...withoutUndefined(configured) };
}
