import type { Algorithm } from './algorithm.ts';
import type { DataFormat } from './data-format.ts';
import type { PayloadRule, PayloadRuleName } from './payload-rule.ts';
import type { Platform } from './platform.ts';
import type { SignatureEncoding } from './signature-encoding.ts';

/** What each payload rule does when a platform names the rule alone. */
export const DEFAULT_RULE_OPTIONS: { readonly [Name in PayloadRuleName]: PayloadRule } = {
  jcs: { rule: 'jcs' },
  query: { rule: 'query', field: 'params' },
  prehash: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' },
  raw: { rule: 'raw' },
};

/** The payload rule of a platform that names none, by format. */
export const DEFAULT_RULE_OF_FORMAT: { readonly [Format in DataFormat]: PayloadRule } = {
  A: DEFAULT_RULE_OPTIONS.jcs,
  B: { rule: 'jcs', field: 'message' },
  C: DEFAULT_RULE_OPTIONS.query,
  D: DEFAULT_RULE_OPTIONS.prehash,
  any: DEFAULT_RULE_OPTIONS.jcs,
};

/** The algorithms of a platform that names none, by format: A and B as the specification shows, else all. */
export const DEFAULT_ALGORITHMS_OF_FORMAT: { readonly [Format in DataFormat]: readonly Algorithm[] } = {
  A: ['ed25519'],
  B: ['eip191'],
  C: ['ed25519', 'eip191'],
  D: ['ed25519', 'eip191'],
  any: ['ed25519', 'eip191'],
};

const DEFAULT_ENCODING: { readonly [Name in Algorithm]: SignatureEncoding } = {
  ed25519: 'base58',
  eip191: 'hex',
};

/** The encoding in which `platform` wants a signature made with `algorithm`. */
export function signatureEncoding(platform: Platform, algorithm: Algorithm): SignatureEncoding {
  return platform.encoding ?? DEFAULT_ENCODING[algorithm];
}
