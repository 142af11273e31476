import {
  ALGORITHMS,
  type Algorithm,
  BOUND_ALGORITHMS,
  isEthereumAlgorithm,
  isMacAlgorithm,
} from '../model/algorithm.ts';
import type { FixedValues, PayloadRule } from '../model/payload.ts';
import {
  type DataFormat,
  findSend,
  listRules,
  type NamedRule,
  type Platform,
  signatureEncoding,
} from '../model/platform.ts';
import { listSendTemplates, listSentValues, parseSendTemplate } from '../model/send.ts';
import { joinNames } from '../model/text/wording.ts';
import {
  describeRulesOf,
  getRuleModule,
  getTemplates,
  PAYLOAD_RULES,
  referencedValues,
  requiredAlgorithm,
  requiredValues,
  takesPassphrase,
} from '../payload/payload-rules.ts';
import { parseTemplate } from '../payload/template.ts';
import { getSignedMembers } from '../payload/unsigned-fields.ts';
import { type CredentialIssue, type IssuePath, isQuotableName } from './credential-issue.ts';

const HMAC_REQUIRED = `requires an HMAC algorithm; remove it, or add ${joinNames(ALGORITHMS.filter(isMacAlgorithm), 'or')} to algorithms`;
const NOTHING_ELSE = 'no other algorithm may sign its payloads';

/** Conflicts between valid fields of a platform. Paths start at the platform. */
export function platformIssues(platform: Platform): readonly CredentialIssue[] {
  const { format, algorithms, payload: rule, rules = {} } = platform;
  return [
    ...formatIssues(format, rule),
    ...algorithmIssues(algorithms, rule),
    ...encodingIssues(platform),
    ...macIssues(platform),
    ...ruleIssues(['payload'], algorithms, rule),
    ...sendIssues(['send'], platform, rule),
    ...Object.entries(rules).flatMap(([name, named]) => [
      ...ruleAlgorithmIssues(['rules', name, 'algorithm'], algorithms, named),
      ...ruleEncodingIssues(['rules', name, 'encoding'], algorithms, named),
      ...ruleIssues(['rules', name], algorithms, named),
      ...sendIssues(['rules', name, 'send'], platform, named),
    ]),
  ];
}

/** Conflicts of a rule's options with each other and with the platform's algorithms. */
function ruleIssues(root: IssuePath, algorithms: readonly Algorithm[], rule: NamedRule): readonly CredentialIssue[] {
  const module = getRuleModule(rule);
  const lacksMac = takesPassphrase(rule) && !algorithms.some(isMacAlgorithm);
  const issues = module.issues?.(rule, algorithms) ?? [];
  return [
    ...issues.map(({ path, message }) => ({ path: [...root, ...path], message })),
    ...unusedValueIssues([...root, 'values'], module.ownValues?.(rule), () => referencedValues(rule), 'this rule'),
    ...(lacksMac ? [{ path: [...root, 'passphrase'], message: HMAC_REQUIRED }] : []),
  ];
}

/** Members of the data of which a rule must sign one, for the placeholder of a request to send. */
const SENT_PARTS: { readonly [placeholder: string]: readonly string[] } = {
  body: ['body'],
  query: ['query', 'params'],
  params: ['query', 'params'],
};

/** What the request to send would lack, or have in another form. */
function sendIssues(path: IssuePath, platform: Platform, rule: NamedRule): readonly CredentialIssue[] {
  const send = findSend(platform, rule);
  if (send === undefined) return [];
  const tokens = listSendTemplates(send)
    .flatMap((template) => parseSendTemplate(template))
    .flatMap((token) => (typeof token === 'string' ? [] : [token]));
  const signed = getSignedMembers(rule) ?? [];
  const unsigned = tokens.find(({ name }) => SENT_PARTS[name]?.some((part) => signed.includes(part)) === false);
  const algorithms = rule.algorithm === undefined ? platform.algorithms : [rule.algorithm];
  const isHex = algorithms.every((algorithm) => signatureEncoding(platform, algorithm, rule) === '0x-hex');
  const split = tokens.find(({ encoding }) => encoding === 'rsv' || encoding === 'felts');
  return [
    ...(unsigned === undefined
      ? []
      : [{ path, message: `cannot have {${unsigned.name}}, which the rule does not sign; write {unsigned} alone` }]),
    ...(split === undefined || isHex
      ? []
      : [{ path, message: `needs the encoding 0x-hex for {${split.name}:${split.encoding}}` }]),
    ...('method' in send && send.method !== undefined && signsMethod(rule)
      ? [{ path: [...path, 'method'], message: 'must be absent: the rule signs the method of the request' }]
      : []),
  ];
}

function signsMethod(rule: NamedRule): boolean {
  const tokens = getTemplates(rule).flatMap(parseTemplate);
  return tokens.some((token) => token.kind === 'request' && /^method$/i.test(token.name));
}

/**
 * A rule signs with its own algorithm, or with that of each account. Typed data and other messages
 * exclude each other as on a platform of the one rule, and only secp256k1 keys serve several
 * algorithms.
 */
function ruleAlgorithmIssues(
  path: IssuePath,
  algorithms: readonly Algorithm[],
  rule: NamedRule,
): readonly CredentialIssue[] {
  const required = requiredAlgorithm(rule);
  if (required === 'starknet' || algorithms.includes('starknet')) return starknetRuleIssues(path, algorithms, rule);
  // The public key of a Cosmos account has another form than that of the other secp256k1 accounts.
  if (required === 'cosmos' && algorithms.some((name) => name !== required)) {
    return [{ path: [...path.slice(0, -1), 'rule'], message: 'requires a platform whose only algorithm is cosmos' }];
  }
  const others = algorithms.filter((name) => name !== required && !isEthereumAlgorithm(name));
  if ((required ?? rule.algorithm) !== undefined && others.length > 0) {
    const message = `requires secp256k1 keys; remove ${others.join(', ')} from the algorithms of the platform`;
    return [{ path, message }];
  }
  const signing = rule.algorithm === undefined ? algorithms : [rule.algorithm];
  if (required !== undefined) {
    if (signing.every((name) => name === required)) return [];
    return [{ path, message: `must be ${required} with ${describeRulesOf(required)}: ${NOTHING_ELSE}` }];
  }
  return BOUND_ALGORITHMS.filter((name) => signing.includes(name)).map((name) => ({
    path,
    message: `must be eip191: ${name} is only for ${describeRulesOf(name)}`,
  }));
}

/** Stark keys sign by their own rules only, and nothing else does. */
function starknetRuleIssues(
  path: IssuePath,
  algorithms: readonly Algorithm[],
  rule: NamedRule,
): readonly CredentialIssue[] {
  const isOnly = rule.algorithm === undefined && algorithms.every((name) => name === 'starknet');
  if (isOnly && requiredAlgorithm(rule) === 'starknet') return [];
  const message = `must be absent, the algorithms of the platform ["starknet"], and every ${describeRulesOf('starknet')}: ${NOTHING_ELSE}`;
  return [{ path, message }];
}

function ruleEncodingIssues(
  path: IssuePath,
  algorithms: readonly Algorithm[],
  { encoding }: NamedRule,
): readonly CredentialIssue[] {
  const prefixed = algorithms.filter(isEthereumAlgorithm);
  if (encoding !== 'hex' || prefixed.length === 0) return [];
  const message = `must not be hex: signatures of ${prefixed.join(', ')} have a 0x prefix, which the encoding hex lacks; use 0x-hex, or omit it`;
  return [{ path, message }];
}

function formatIssues(format: DataFormat, { rule }: PayloadRule): readonly CredentialIssue[] {
  if (format === 'any' || getRuleModule({ rule }).fitsFormats) return [];
  const fitting = PAYLOAD_RULES.filter((name) => getRuleModule({ rule: name }).fitsFormats);
  const message =
    `cannot be ${rule} for formats A to D, whose data never has the form of ${rule}; ` +
    `set format to any, or rule to ${joinNames(fitting, 'or')}`;
  return [{ path: ['payload', 'rule'], message }];
}

function algorithmIssues(algorithms: readonly Algorithm[], rule: PayloadRule): readonly CredentialIssue[] {
  const required = requiredAlgorithm(rule);
  if (required !== undefined) {
    if (algorithms.every((name) => name === required)) return [];
    const message = `must be ["${required}"] with ${describeRulesOf(required)}: ${NOTHING_ELSE}`;
    return [{ path: ['algorithms'], message }];
  }
  return BOUND_ALGORITHMS.filter((name) => algorithms.includes(name)).map((name) => ({
    path: ['algorithms', algorithms.indexOf(name)],
    message: `cannot be ${name} except with ${describeRulesOf(name)}, set in payload`,
  }));
}

/** If other algorithms are allowed, too, it depends on the accounts: see `accountIssues`. */
function encodingIssues({ platformId, algorithms, encoding }: Platform): readonly CredentialIssue[] {
  if (encoding !== 'hex' || !algorithms.every(isEthereumAlgorithm)) return [];
  return [{ path: ['encoding'], message: `must not be hex: ${bareHexMessage(platformId, algorithms)}` }];
}

function macIssues({ algorithms, secretDecoding, verify }: Platform): readonly CredentialIssue[] {
  if (algorithms.some(isMacAlgorithm)) return [];
  return [
    ...(secretDecoding === undefined ? [] : [{ path: ['secretDecoding'], message: HMAC_REQUIRED }]),
    ...(verify?.mac ? [{ path: ['verify', 'mac'], message: HMAC_REQUIRED }] : []),
  ];
}

/**
 * Whether a platform's encoding would drop `0x` from Ethereum signatures. Rejected because in files
 * of release 1.0.0-rc.1 `hex` means with prefix.
 */
export function isBareEthereumHex({ encoding }: Pick<Platform, 'encoding'>, algorithm: Algorithm): boolean {
  return encoding === 'hex' && isEthereumAlgorithm(algorithm);
}

/** Why these algorithms cannot use encoding `hex`, and the remedy. */
export function bareHexMessage(platformId: string, algorithms: readonly Algorithm[]): string {
  return (
    `signatures of ${algorithms.join(', ')} have a 0x prefix, which the encoding hex lacks; ` +
    `write "encoding": "0x-hex" for platform ${platformId}, or omit encoding`
  );
}

/** Required fixed values of any of these rules that an account lacks, unique. */
export function missingValues(rules: readonly PayloadRule[], values: FixedValues = {}): readonly string[] {
  return unique(rules.flatMap(requiredValues)).filter((name) => !Object.hasOwn(values, name));
}

/**
 * An issue for each value that is not among these names, probably misspelt.
 * @param path of `values` in the file
 * @param names that the templates of `owner` use
 * @param owner of the templates, for messages
 */
export function unusedValueIssues(
  path: IssuePath,
  values: FixedValues | undefined,
  names: () => readonly string[],
  owner: string,
): readonly CredentialIssue[] {
  // The common case of large files.
  if (values === undefined) return [];
  const named = unique(names());
  const unnamed = Object.keys(values).filter((name) => !named.includes(name));
  const accepted = named.length === 0 ? 'it uses no values' : `it uses ${named.join(', ')}`;
  const message = `is not used by any template of ${owner}; ${accepted}`;
  return unnamed.map((name) =>
    isQuotableName(name) ? { path: [...path, name], message } : { path, message: `contains a name that ${message}` },
  );
}

/** Names of the fixed values that the rules and requests of a platform use. */
export function listPlatformValues(platform: Platform): readonly string[] {
  return listRules(platform).flatMap((rule) => [
    ...referencedValues(rule),
    ...listSentValues(findSend(platform, rule)),
  ]);
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}
