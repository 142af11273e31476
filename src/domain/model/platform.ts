import type { AccountStatus, SecretDecoding } from './account.ts';
import { ALGORITHM_ROWS, type Algorithm, type SignatureEncoding, type SignatureForm } from './algorithm.ts';
import type { PayloadRule } from './payload.ts';
import type { Send } from './send.ts';

/** A further payload rule of a platform, which requests choose by its name. */
export interface NamedRule extends PayloadRule {
  /** One of Ethereum, which signs with the account's key; absent: the account's algorithm. */
  readonly algorithm?: Algorithm;
  /** Signature encoding; absent: the platform's. */
  readonly encoding?: SignatureEncoding;
  /** How the venue takes a request that this rule signed; absent: the caller knows. */
  readonly send?: Send;
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
  readonly rules?: { readonly [name: string]: NamedRule };
  /**
   * Dotted paths of members that audit records show unmasked: `amount`, `instruction.price`. Each
   * name is an own object member; a path crosses no array and shows a number, boolean or short
   * plain text only. Absent: the format's allowlist alone (see `domain/payload/mask-data.ts`).
   */
  readonly audit?: { readonly clear: readonly string[] };
  /** How HMAC secrets are decoded; absent: `utf8`. */
  readonly secretDecoding?: SecretDecoding;
  /**
   * Whether callers may verify message authentication codes, although that lets them find them out,
   * see `POST /verify`. Absent: public-key signatures only.
   */
  readonly verify?: { readonly mac: boolean };
  /** `disabled`: no account of it signs, whatever the account's own status. Absent: active. */
  readonly status?: Extract<AccountStatus, 'disabled'>;
}

/** The form of signatures of a platform and algorithm, or of one of the platform's rules. */
export function signatureEncoding(platform: Platform, algorithm: Algorithm, rule?: NamedRule): SignatureForm {
  if ((rule ?? platform.payload).rule === 'jwt') return 'jws-compact';
  return rule?.encoding ?? platform.encoding ?? ALGORITHM_ROWS[algorithm].encoding;
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

/** A rule without how its requests are sent: all that decides what is signed. */
export function toSigningRule(rule: NamedRule): NamedRule {
  const { send: _, ...signing } = rule;
  return signing;
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
