import { InvalidArgumentError } from 'commander';
import { SECRET_DECODINGS } from '../../../domain/model/account.ts';
import { ALGORITHMS, isMacAlgorithm, SIGNATURE_ENCODINGS } from '../../../domain/model/algorithm.ts';
import type { PayloadRule } from '../../../domain/model/payload.ts';
import { DATA_FORMATS, DEFAULT_RULE_NAME, type Platform, RULE_NAME_PATTERN } from '../../../domain/model/platform.ts';
import { findDuplicateKeys } from '../../../domain/model/text/lossless-json.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import { type ConfiguredPlatform, DEFAULT_RULE_OF_FORMAT } from '../../../domain/payload/complete-platform.ts';
import { PAYLOAD_RULES } from '../../../domain/payload/payload-rules.ts';
import type { VenuePreset } from '../../venues/venue-schema.ts';
import { choice, choices, excludes, flag, parsed, type repeatable, text, type Values } from '../inputs.ts';

/**
 * Parses a payload rule as in the credentials file, which validates its options.
 * @throws InvalidArgumentError unless it is a JSON object with a rule and without duplicate keys
 */
function parsePayload(given: string): PayloadRule {
  const written = parseJson(given);
  if (!isPayloadRule(written)) {
    throw new InvalidArgumentError(
      `It must be a JSON object such as {"rule":"query","sort":true}; its rule is one of ${PAYLOAD_RULES.join(', ')}.`,
    );
  }
  const duplicates = findDuplicateKeys(given, 1);
  if (duplicates === null) throw new InvalidArgumentError('It is nested too deeply.');
  const [duplicate] = duplicates;
  if (duplicate === undefined) return written;
  throw new InvalidArgumentError(`Duplicate key: ${printable(JSON.stringify(duplicate.name))}.`);
}

/**
 * Collects one `NAME=JSON`, the rule as for {@link parsePayload}.
 * @throws InvalidArgumentError if it is malformed or the name is a duplicate
 */
function collectRule(given: string, collected: ConfiguredPlatform['rules'] = {}): ConfiguredPlatform['rules'] {
  const [, name = '', rule = ''] = /^([^=]*)=(.*)$/s.exec(given) ?? [];
  if (!RULE_NAME_PATTERN.test(name) || name === DEFAULT_RULE_NAME) {
    throw new InvalidArgumentError(
      `It must be NAME=JSON, with a name of 1 to 32 a-z, 0-9 or - beginning with a letter, other than ${DEFAULT_RULE_NAME}.`,
    );
  }
  if (Object.hasOwn(collected, name)) throw new InvalidArgumentError(`Duplicate name: ${name}.`);
  return { ...collected, [name]: parsePayload(rule) };
}

function isPayloadRule(written: unknown): written is PayloadRule {
  if (typeof written !== 'object' || written === null || !('rule' in written)) return false;
  return PAYLOAD_RULES.some((rule) => rule === written.rule);
}

function parseJson(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

/** What `platform add` and `platform edit` set. */
export const MEMBERS = {
  format: choice('--format <format>', 'format of the request data', DATA_FORMATS),
  algorithm: choices(
    '--algorithm <algorithm...>',
    'algorithms of its accounts (default: depends on the format)',
    ALGORITHMS,
  ),
  encoding: choice(
    '--encoding <encoding>',
    'signature encoding (default: depends on the algorithm)',
    SIGNATURE_ENCODINGS,
  ),
  rule: choice('--rule <rule>', 'payload rule (default: depends on the format)', PAYLOAD_RULES),
  payload: excludes(
    parsed<PayloadRule>(
      text('--payload <json>', 'payload rule with options, as in the credentials file'),
      parsePayload,
    ),
    'rule',
  ),
  addRule: parsed<ConfiguredPlatform['rules']>(
    text(
      '--add-rule <name=json>',
      'named rule, written like --payload, optionally with encoding and algorithm; repeatable',
    ),
    collectRule,
  ),
  secretDecoding: choice('--secret-decoding <decoding>', 'decoding of HMAC secrets (default: utf8)', SECRET_DECODINGS),
  verifyMac: flag('--verify-mac', 'allow callers to verify HMAC signatures (default: rejected)'),
  auditClear: text(
    '--audit-clear <path...>',
    'paths in the data, such as amount or instruction.price, that audit records show in clear, in addition to those of the format',
  ) as unknown as ReturnType<typeof repeatable>,
};

/** Their values, and the preset that they override. */
export type Members = Values<typeof MEMBERS> & { readonly preset: VenuePreset | undefined };

/** How requests are sent, and the preset's named rules, only apply with its own default rule. */
export function isRuleOfPreset({ rule, payload }: Members): boolean {
  return rule === undefined && payload === undefined;
}

/** The members that options and preset name; options take precedence. */
export function toMembers(
  members: Members,
  format: Platform['format'],
): Omit<ConfiguredPlatform, 'platformId' | 'format'> {
  const { preset, rule, payload, algorithm, addRule } = members;
  const ofPreset = preset?.platform;
  const isOfPreset = isRuleOfPreset(members);
  const rules = { ...(isOfPreset ? ofPreset?.rules : undefined), ...addRule };
  const chosen = rule === undefined ? (payload ?? ofPreset?.payload) : { rule };
  // The format's has options that the rule alone does not.
  const isDefault = rule !== undefined && rule === DEFAULT_RULE_OF_FORMAT[format].rule;
  // The preset's decoding applies to its algorithm only.
  const isOtherKey = algorithm?.some(isMacAlgorithm) === false;
  return {
    algorithms: algorithm ?? ofPreset?.algorithms,
    encoding: members.encoding ?? ofPreset?.encoding,
    payload: isDefault ? undefined : chosen,
    send: isOfPreset ? ofPreset?.send : undefined,
    rules: Object.keys(rules).length === 0 ? undefined : rules,
    audit: members.auditClear && { clear: members.auditClear },
    secretDecoding: members.secretDecoding ?? (isOtherKey ? undefined : ofPreset?.secretDecoding),
    verify: members.verifyMac && { mac: true },
  };
}
