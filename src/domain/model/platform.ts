import type { AccountStatus, SecretDecoding } from './account.ts';
import {
  ALGORITHMS,
  type Algorithm,
  type BoundAlgorithm,
  type Secp256k1Algorithm,
  type SignatureEncoding,
  type SignatureForm,
} from './algorithm.ts';
import { JWT_ALGORITHMS } from './jws-algorithm.ts';
import type { PayloadRule, PayloadRuleName } from './payload-rule.ts';
import type { Send } from './send.ts';

/** What a platform's audit records show beyond its format. */
export interface PlatformAudit {
  /**
   * Dotted paths of members to show unmasked: `amount`, `instruction.price`. Each name is an own
   * object member; a path crosses no array and shows a number, boolean or short plain text only.
   */
  readonly clear: readonly string[];
}

/** What callers may verify, see `POST /verify`. */
export interface PlatformVerify {
  /** Also message authentication codes, although verifying them lets callers find them out. */
  readonly mac: boolean;
}

/** A further payload rule of a platform, which requests choose by its name. Takes any object. */
export type NamedRule = PayloadRule & {
  /** Signs with the same key in place of the account's algorithm; absent: the account's. */
  readonly algorithm?: Secp256k1Algorithm;
  /** Signature encoding; absent: the platform's. */
  readonly encoding?: SignatureEncoding;
  /** How the venue takes a request that this rule signed; absent: the caller knows. */
  readonly send?: Send;
};

/** Named rules, by name. */
export interface NamedRules {
  readonly [name: string]: NamedRule;
}

/** The name of a named rule. */
export const RULE_NAME_PATTERN = /^[a-z][a-z0-9-]{0,31}$/;

/** What people call `payload`; no named rule has this name. */
export const DEFAULT_RULE_NAME = 'default';

/** An outside platform, and how its requests are signed. */
export interface Platform {
  readonly platformId: string;
  readonly format: DataFormat;
  readonly algorithms: readonly Algorithm[];
  /** Signature encoding; absent: the algorithm's default. */
  readonly encoding?: SignatureEncoding;
  /** Applies where a request names no rule. */
  readonly payload: PayloadRule;
  /** How the venue takes a request that `payload` signed; absent: the caller knows. */
  readonly send?: Send;
  /** Named rules for the same accounts; absent: none. */
  readonly rules?: NamedRules;
  /** Absent: the format's allowlist alone (see `domain/payload/mask-data.ts`). */
  readonly audit?: PlatformAudit;
  /** How HMAC secrets are decoded; absent: `utf8`. */
  readonly secretDecoding?: SecretDecoding;
  /** Absent: public-key signatures only. */
  readonly verify?: PlatformVerify;
  /** `disabled`: no account of it signs, whatever the account's own status. Absent: active. */
  readonly status?: Extract<AccountStatus, 'disabled'>;
}

/** Each rule's default options. */
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
  'concat-sorted': { rule: 'concat-sorted' },
  'kraken-futures': { rule: 'kraken-futures' },
  'starknet-typed-data': { rule: 'starknet-typed-data' },
  'hyperliquid-multi-sig': { rule: 'hyperliquid-multi-sig', network: 'mainnet' },
  'cosmos-sign-doc': { rule: 'cosmos-sign-doc' },
  jwt: { rule: 'jwt', claims: { jti: '{data.nonce}' } },
};

/** Each format's default rule. */
export const DEFAULT_RULE_OF_FORMAT: { readonly [Format in DataFormat]: PayloadRule } = {
  A: DEFAULT_RULE_OPTIONS.jcs,
  B: { rule: 'jcs', field: 'message' },
  C: DEFAULT_RULE_OPTIONS.query,
  D: DEFAULT_RULE_OPTIONS.prehash,
  any: DEFAULT_RULE_OPTIONS.jcs,
};

/** Formats whose platforms allow an algorithm by default; others take a rule that names them. */
const DEFAULT_FORMATS: { readonly [Name in Algorithm]: readonly DataFormat[] } = {
  ed25519: ['A', 'C', 'D', 'any'],
  eip191: ['B', 'C', 'D', 'any'],
  eip712: [],
  'hyperliquid-l1': [],
  'hmac-sha256': ['C', 'D', 'any'],
  'hmac-sha384': ['C', 'D', 'any'],
  'hmac-sha512': ['C', 'D', 'any'],
  starknet: [],
  'rsa-sha256': ['C', 'D', 'any'],
  cosmos: [],
  es256: ['C', 'D', 'any'],
};

/** Null: every algorithm that no rule requires. */
const REQUIRED_ALGORITHM: { readonly [Name in PayloadRuleName]: BoundAlgorithm | null } = {
  jcs: null,
  json: null,
  raw: null,
  query: null,
  prehash: null,
  kraken: null,
  backpack: null,
  'typed-data': 'eip712',
  'hyperliquid-l1': 'hyperliquid-l1',
  'concat-sorted': null,
  'kraken-futures': null,
  'starknet-typed-data': 'starknet',
  'hyperliquid-multi-sig': 'eip712',
  'cosmos-sign-doc': 'cosmos',
  jwt: null,
};

/**
 * The one algorithm that may sign a rule's payload: typed data, Cosmos transactions and other
 * messages exclude each other. Undefined for other rules.
 */
export function requiredAlgorithm(rule: PayloadRule): BoundAlgorithm | undefined {
  if (rule.rule === 'query' && rule.typedData !== undefined) return 'eip712';
  return REQUIRED_ALGORITHM[rule.rule] ?? undefined;
}

/** Algorithms of a platform that names none: the rule's, else the format's. */
export function defaultAlgorithms(format: DataFormat, rule: PayloadRule): readonly Algorithm[] {
  const required = requiredAlgorithm(rule);
  if (rule.rule === 'jwt') return JWT_ALGORITHMS;
  return required === undefined ? ALGORITHMS.filter((name) => DEFAULT_FORMATS[name].includes(format)) : [required];
}

const DEFAULT_ENCODING: { readonly [Name in Algorithm]: SignatureEncoding } = {
  ed25519: 'base58',
  eip191: '0x-hex',
  eip712: '0x-hex',
  'hyperliquid-l1': '0x-hex',
  'hmac-sha256': 'hex',
  'hmac-sha384': 'hex',
  'hmac-sha512': 'hex',
  starknet: '0x-hex',
  'rsa-sha256': 'base64',
  cosmos: 'base64',
  es256: 'base64url',
};

/** The form of signatures of a platform and algorithm, or of one of the platform's rules. */
export function signatureEncoding(platform: Platform, algorithm: Algorithm, rule?: NamedRule): SignatureForm {
  if ((rule ?? platform.payload).rule === 'jwt') return 'jws-compact';
  return rule?.encoding ?? platform.encoding ?? DEFAULT_ENCODING[algorithm];
}

/** How HMAC secrets of a platform are decoded; of an unknown one by default. */
export function toSecretDecoding(platform: Platform | undefined): SecretDecoding {
  return platform?.secretDecoding ?? 'utf8';
}

/** The rule that a request names, `payload` for none; undefined for an unknown name. */
export function findRule({ payload, rules }: Platform, name: string | undefined): NamedRule | undefined {
  if (name === undefined) return payload;
  return rules !== undefined && Object.hasOwn(rules, name) ? rules[name] : undefined;
}

/** How the venue takes a request that this rule of the platform signed. */
export function findSend(platform: Pick<Platform, 'payload' | 'send'>, rule: NamedRule): Send | undefined {
  return rule === platform.payload ? platform.send : rule.send;
}

/** All rules of a platform, `payload` first. */
export function listRules({ payload, rules }: Pick<Platform, 'payload' | 'rules'>): readonly NamedRule[] {
  return rules === undefined ? [payload] : [payload, ...Object.values(rules)];
}

/** Shapes of `data`. A to D are the specification's; `any` takes every JSON object. */
export const DATA_FORMATS = ['A', 'B', 'C', 'D', 'any'] as const;

/** See {@link DATA_FORMATS}. */
export type DataFormat = (typeof DATA_FORMATS)[number];

/** A rule as configured: its name, and the options that differ from its defaults. */
export type ConfiguredRule = Pick<PayloadRule, 'rule'>;

/** A platform as configured; what it leaves out follows from format and rule. */
export type ConfiguredPlatform = Pick<Platform, 'platformId' | 'format'> & {
  readonly [Field in Exclude<keyof Platform, 'payload' | 'rules' | 'status'>]?: Platform[Field] | undefined;
} & {
  readonly payload?: ConfiguredRule | undefined;
  readonly rules?: { readonly [name: string]: ConfiguredRule } | undefined;
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
  }) as Platform;
}

/** Fills in a rule's default options. */
function completeRule(configured: ConfiguredRule): PayloadRule {
  return { ...DEFAULT_RULE_OPTIONS[configured.rule], ...withoutUndefined(configured) } as PayloadRule;
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
