import type { Algorithm } from './algorithm.ts';
import type { DataFormat } from './data-format.ts';
import type { PayloadRule, PayloadRuleName } from './payload-rule.ts';
import type { Platform } from './platform.ts';
import type { SignatureEncoding } from './signature-encoding.ts';

/** What each payload rule does when a platform names the rule alone. */
export const DEFAULT_RULE_OPTIONS: { readonly [Name in PayloadRuleName]: PayloadRule } = {
  jcs: { rule: 'jcs' },
  json: { rule: 'json' },
  raw: { rule: 'raw' },
  query: { rule: 'query', field: 'params' },
  prehash: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' },
  kraken: { rule: 'kraken' },
  backpack: { rule: 'backpack' },
  'typed-data': { rule: 'typed-data' },
  'hyperliquid-l1': { rule: 'hyperliquid-l1', network: 'mainnet' },
};

/** The payload rule of a platform that names none, by format. */
export const DEFAULT_RULE_OF_FORMAT: { readonly [Format in DataFormat]: PayloadRule } = {
  A: DEFAULT_RULE_OPTIONS.jcs,
  B: { rule: 'jcs', field: 'message' },
  C: DEFAULT_RULE_OPTIONS.query,
  D: DEFAULT_RULE_OPTIONS.prehash,
  any: DEFAULT_RULE_OPTIONS.jcs,
};

const ALGORITHMS_OF_FORMAT: { readonly [Format in DataFormat]: readonly Algorithm[] } = {
  A: ['ed25519'],
  B: ['eip191'],
  C: ['ed25519', 'eip191', 'hmac-sha256', 'hmac-sha512'],
  D: ['ed25519', 'eip191', 'hmac-sha256', 'hmac-sha512'],
  any: ['ed25519', 'eip191', 'hmac-sha256', 'hmac-sha512'],
};

/**
 * The one algorithm that may sign what a rule makes: typed data is no message for the others, and other messages are none for it. Undefined
 * for rules whose payload is a message as such.
 */
export function requiredAlgorithm(rule: PayloadRule): 'eip712' | 'hyperliquid-l1' | undefined {
  if (rule.rule === 'typed-data') return 'eip712';
  if (rule.rule === 'hyperliquid-l1') return 'hyperliquid-l1';
  return rule.rule === 'query' && rule.typedData !== undefined ? 'eip712' : undefined;
}

/** The algorithms of a platform that names none: the one that its rule requires, else by format, A and B as the specification shows. */
export function defaultAlgorithms(format: DataFormat, rule: PayloadRule): readonly Algorithm[] {
  const required = requiredAlgorithm(rule);
  return required === undefined ? ALGORITHMS_OF_FORMAT[format] : [required];
}

const DEFAULT_ENCODING: { readonly [Name in Algorithm]: SignatureEncoding } = {
  ed25519: 'base58',
  eip191: '0x-hex',
  eip712: '0x-hex',
  'hyperliquid-l1': '0x-hex',
  'hmac-sha256': 'hex',
  'hmac-sha512': 'hex',
};

/** The encoding in which `platform` wants a signature made with `algorithm`. */
export function signatureEncoding(platform: Platform, algorithm: Algorithm): SignatureEncoding {
  return platform.encoding ?? DEFAULT_ENCODING[algorithm];
}
