import {
  type Algorithm,
  isMacAlgorithm,
  isSecp256k1Algorithm,
  TYPED_DATA_ALGORITHMS,
} from '../../../domain/model/algorithm.ts';
import { completeRule, type WrittenRule } from '../../../domain/model/complete-rule.ts';
import type { DataFormat } from '../../../domain/model/data-format.ts';
import type { PayloadRule, PayloadRuleName } from '../../../domain/model/payload-rule.ts';
import {
  DEFAULT_RULE_OF_FORMAT,
  defaultAlgorithms,
  requiredAlgorithm,
} from '../../../domain/model/platform-defaults.ts';
import type { SecretDecoding } from '../../../domain/model/secret-decoding.ts';
import type { SignatureEncoding } from '../../../domain/model/signature-encoding.ts';
import { bareHexMessage } from './bare-hex.ts';
import type { CredentialFault } from './credential-fault.ts';
import { idleOptionFaults } from './idle-options.ts';
import { unnamedValueFaults } from './unnamed-values.ts';

/** Rules whose data no format of the specification has. */
const OWN_DATA: readonly PayloadRuleName[] = ['raw', 'kraken', 'backpack', 'typed-data', 'hyperliquid-l1'];

/** Beside which rules the algorithms of typed data may stand, for messages. */
const RULES_OF: { readonly [Name in (typeof TYPED_DATA_ALGORITHMS)[number]]: string } = {
  eip712: 'rule typed-data, or rule query with typedData',
  'hyperliquid-l1': 'rule hyperliquid-l1',
};

/** What of a platform's entry decides whether its fields go together. */
interface PlatformFields {
  readonly platformId: string;
  readonly format: DataFormat;
  readonly algorithms?: readonly Algorithm[] | undefined;
  readonly payload?: WrittenRule | undefined;
  readonly encoding?: SignatureEncoding | undefined;
  readonly secretDecoding?: SecretDecoding | undefined;
  readonly verify?: { readonly mac: boolean } | undefined;
}

/** Fields of one platform that are right by themselves and do not go together. Paths begin at the platform. */
export function platformFaults({ format, payload, ...rest }: PlatformFields): readonly CredentialFault[] {
  const rule = payload === undefined ? DEFAULT_RULE_OF_FORMAT[format] : completeRule(payload);
  const algorithms = rest.algorithms ?? defaultAlgorithms(format, rule);
  return [
    ...formatFaults(format, rule),
    ...algorithmFaults(algorithms, rule),
    ...encodingFaults(algorithms, rest),
    ...macFaults(algorithms, rest),
    ...idleOptionFaults(rule),
    ...valueFaults(rule),
  ];
}

function formatFaults(format: DataFormat, { rule }: PayloadRule): readonly CredentialFault[] {
  if (format === 'any' || !OWN_DATA.includes(rule)) return [];
  const message =
    `can't be ${rule} for formats A to D, whose data is never of the form that ${rule} takes; ` +
    'set format to any, or rule to jcs, json, query or prehash';
  return [{ path: ['payload', 'rule'], message }];
}

function algorithmFaults(algorithms: readonly Algorithm[], rule: PayloadRule): readonly CredentialFault[] {
  const required = requiredAlgorithm(rule);
  if (required !== undefined) {
    if (algorithms.every((name) => name === required)) return [];
    const message = `must be ["${required}"] beside ${RULES_OF[required]}: nothing else may sign what that makes`;
    return [{ path: ['algorithms'], message }];
  }
  return TYPED_DATA_ALGORITHMS.filter((name) => algorithms.includes(name)).map((name) => ({
    path: ['algorithms', algorithms.indexOf(name)],
    message: `can't be ${name} but beside ${RULES_OF[name]}, set in payload: it signs nothing else`,
  }));
}

/**
 * Where other algorithms may sign, too, it depends on the platform's accounts: see `accountFaults`.
 */
function encodingFaults(
  algorithms: readonly Algorithm[],
  { platformId, encoding }: Pick<PlatformFields, 'platformId' | 'encoding'>,
): readonly CredentialFault[] {
  if (encoding !== 'hex' || !algorithms.every(isSecp256k1Algorithm)) return [];
  return [{ path: ['encoding'], message: `must not be hex: ${bareHexMessage(platformId, algorithms)}` }];
}

function macFaults(
  algorithms: readonly Algorithm[],
  { secretDecoding, verify }: Pick<PlatformFields, 'secretDecoding' | 'verify'>,
): readonly CredentialFault[] {
  if (algorithms.some(isMacAlgorithm)) return [];
  const message =
    'belongs to platforms with an HMAC algorithm; remove it, or name hmac-sha256 or hmac-sha512 in algorithms';
  return [
    ...(secretDecoding === undefined ? [] : [{ path: ['secretDecoding'], message }]),
    ...(verify?.mac ? [{ path: ['verify', 'mac'], message }] : []),
  ];
}

function valueFaults(rule: PayloadRule): readonly CredentialFault[] {
  return rule.rule === 'prehash' ? unnamedValueFaults(['payload', 'values'], rule.values, rule, 'this rule') : [];
}
