import { Command, InvalidArgumentError, Option } from 'commander';
import { SECRET_DECODINGS } from '../../../domain/model/account.ts';
import { ALGORITHMS, isMacAlgorithm, SIGNATURE_ENCODINGS } from '../../../domain/model/algorithm.ts';
import type { PayloadRule } from '../../../domain/model/payload.ts';
import {
  DATA_FORMATS,
  type DataFormat,
  DEFAULT_RULE_NAME,
  type Platform,
  RULE_NAME_PATTERN,
} from '../../../domain/model/platform.ts';
import type { PolicyEntry } from '../../../domain/model/policy.ts';
import { findDuplicateKeys } from '../../../domain/model/text/lossless-json.ts';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import {
  type ConfiguredPlatform,
  completePlatform,
  DEFAULT_RULE_OF_FORMAT,
} from '../../../domain/payload/complete-platform.ts';
import { PAYLOAD_RULES, type PayloadRuleName } from '../../../domain/payload/payload-rules.ts';
import { VENUE_POLICY_NAMES, type VenuePolicyName } from '../../venues/venue-policies.ts';
import type { VenuePreset } from '../../venues/venue-schema.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson, printProse, RELOAD_HINT } from '../command-options.ts';
import { withSuggestions } from '../completion/completion-tree.ts';
import {
  foreignRuleWarnings,
  formatAddedPolicies,
  readyMadePolicies,
  unusedPolicyWarnings,
} from '../ready-made-policies.ts';
import { formatWarnings, platformWarnings } from '../warnings.ts';
import { formatNextSteps, listPresetNames, parsePreset } from './preset-text.ts';
import { toPresetDocument } from './presets-command.ts';

/**
 * Parses a payload rule as in the credentials file, which validates its options.
 * @throws InvalidArgumentError unless it is a JSON object with a rule and without duplicate keys
 */
function parsePayload(text: string): PayloadRule {
  const written = parseJson(text);
  if (!isPayloadRule(written)) {
    throw new InvalidArgumentError(
      `It must be a JSON object such as {"rule":"query","sort":true}; its rule is one of ${PAYLOAD_RULES.join(', ')}.`,
    );
  }
  assertNoDuplicates(text);
  return written;
}

/**
 * Collects one `NAME=JSON`, the rule as for {@link parsePayload}.
 * @throws InvalidArgumentError if it is malformed or the name is a duplicate
 */
function collectRule(text: string, collected: ConfiguredPlatform['rules'] = {}): ConfiguredPlatform['rules'] {
  const [, name = '', rule = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!RULE_NAME_PATTERN.test(name) || name === DEFAULT_RULE_NAME) {
    throw new InvalidArgumentError(
      `It must be NAME=JSON, with a name of 1 to 32 a-z, 0-9 or - beginning with a letter, other than ${DEFAULT_RULE_NAME}.`,
    );
  }
  if (Object.hasOwn(collected, name)) throw new InvalidArgumentError(`Duplicate name: ${name}.`);
  return { ...collected, [name]: parsePayload(rule) };
}

function assertNoDuplicates(text: string): void {
  const duplicates = findDuplicateKeys(text, 1);
  if (duplicates === null) throw new InvalidArgumentError('It is nested too deeply.');
  const [duplicate] = duplicates;
  if (duplicate === undefined) return;
  throw new InvalidArgumentError(`Duplicate key: ${printable(JSON.stringify(duplicate.name))}.`);
}

function isPayloadRule(written: unknown): written is PayloadRule {
  if (typeof written !== 'object' || written === null || !('rule' in written)) return false;
  return PAYLOAD_RULES.some((rule) => rule === written.rule);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Options of `platform add` that define the platform. */
interface PlatformOptions {
  readonly preset?: VenuePreset;
  readonly platform?: string;
  readonly format?: DataFormat;
  readonly algorithm?: ConfiguredPlatform['algorithms'];
  readonly encoding?: ConfiguredPlatform['encoding'];
  readonly rule?: PayloadRuleName;
  readonly payload?: PayloadRule;
  readonly addRule?: ConfiguredPlatform['rules'];
  readonly secretDecoding?: ConfiguredPlatform['secretDecoding'];
  readonly verifyMac?: true;
  readonly auditClear?: readonly string[];
  readonly policy?: readonly VenuePolicyName[];
}

/** Merges preset and options, which take precedence; a string names a missing option. */
function toPlatform(options: PlatformOptions): Platform | string {
  const { preset } = options;
  const platformId = options.platform ?? preset?.name;
  if (platformId === undefined) return '--platform or --preset is required';
  const format = options.format ?? preset?.platform.format;
  if (format === undefined) return '--format or --preset is required';

  return completePlatform({
    platformId,
    format,
    algorithms: options.algorithm ?? preset?.platform.algorithms,
    encoding: options.encoding ?? preset?.platform.encoding,
    payload: payloadRule(options, format),
    send: isRuleOfPreset(options) ? preset?.platform.send : undefined,
    rules: namedRules(options),
    audit: options.auditClear && { clear: options.auditClear },
    secretDecoding: secretDecoding(options),
    verify: options.verifyMac && { mac: true },
  });
}

/** The requested ready-made policies, or the reason why there are none. */
function platformPolicies(
  { preset, rule, payload, policy = [] }: PlatformOptions,
  platform: Platform,
): readonly PolicyEntry[] | string {
  if (policy.length === 0) return [];
  if (preset === undefined) return '--policy requires a --preset';
  if (rule !== undefined || payload !== undefined) {
    return '--policy cannot be combined with --rule or --payload';
  }
  return readyMadePolicies(preset, policy, platform);
}

function policyWarnings({ preset, policy = [] }: PlatformOptions, platform: Platform): readonly string[] {
  if (preset === undefined) return [];
  return policy.length > 0 ? foreignRuleWarnings(platform, preset) : unusedPolicyWarnings(platform, preset);
}

/** Undefined: the format's, which has options that the rule alone does not. */
function payloadRule({ preset, rule, payload }: PlatformOptions, format: DataFormat): PayloadRule | undefined {
  if (rule === undefined) return payload ?? preset?.platform.payload;
  return rule === DEFAULT_RULE_OF_FORMAT[format].rule ? undefined : { rule };
}

/** How requests are sent, and the preset's named rules, only apply with its own default rule. */
function isRuleOfPreset({ rule, payload }: PlatformOptions): boolean {
  return rule === undefined && payload === undefined;
}

function namedRules(options: PlatformOptions): ConfiguredPlatform['rules'] {
  const { preset, addRule } = options;
  const ofPreset = isRuleOfPreset(options) ? preset?.platform.rules : undefined;
  return ofPreset === undefined && addRule === undefined ? undefined : { ...ofPreset, ...addRule };
}

/** The preset's decoding applies to its algorithm only. */
function secretDecoding({ preset, algorithm, secretDecoding }: PlatformOptions): ConfiguredPlatform['secretDecoding'] {
  const ofPreset = algorithm?.some(isMacAlgorithm) === false ? undefined : preset?.platform.secretDecoding;
  return secretDecoding ?? ofPreset;
}

type Options = PlatformOptions & { readonly json?: true };

const MANUAL: CommandManual = {
  notes: [
    '--platform and --format are required without --preset. Other options override the preset.',
    'Requests select a named rule with the field rule. With --rule or --payload, the named rules of the preset are not added; --add-rule replaces a rule of the same name.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: [
    'platform add --preset kraken',
    'platform add --preset okx --policy trade-only',
    'platform add --preset bybit --platform bybit-subaccounts',
    'platform add --platform my-exchange --format C --algorithm ed25519 --encoding base64',
    `platform add --platform desk --format any --algorithm hmac-sha256 --payload '{"rule":"query","sort":true}'`,
    'platform add --platform treasury --format any --rule raw',
    `platform add --platform desk --format D --algorithm hmac-sha256 --add-rule 'login={"rule":"prehash","template":"{timestamp}GET/verify"}'`,
    'platform add --platform desk --format A --audit-clear instruction.amount instruction.price',
  ],
};

/** `platform add`: adds a platform to the credentials file. */
export function platformAddCommand(context: CliContext): Command {
  const command = new Command('add')
    .description('add a platform')
    .addOption(
      withSuggestions(
        new Option('--preset <name>', 'venue preset; `platform presets` lists them').argParser(parsePreset),
        listPresetNames,
      ),
    )
    .option('--platform <id>', 'platform ID in requests (default: name of the preset)')
    .addOption(new Option('--format <format>', 'format of the request data').choices(DATA_FORMATS))
    .addOption(
      new Option('--algorithm <algorithm...>', 'algorithms of its accounts (default: depends on the format)').choices(
        ALGORITHMS,
      ),
    )
    .addOption(
      new Option('--encoding <encoding>', 'signature encoding (default: depends on the algorithm)').choices(
        SIGNATURE_ENCODINGS,
      ),
    )
    .addOption(new Option('--rule <rule>', 'payload rule (default: depends on the format)').choices(PAYLOAD_RULES))
    .addOption(
      new Option('--payload <json>', 'payload rule with options, as in the credentials file')
        .argParser(parsePayload)
        .conflicts('rule'),
    )
    .addOption(
      new Option(
        '--add-rule <name=json>',
        'named rule, written like --payload, optionally with encoding and algorithm; repeatable',
      ).argParser(collectRule),
    )
    .addOption(
      new Option('--secret-decoding <decoding>', 'decoding of HMAC secrets (default: utf8)').choices(SECRET_DECODINGS),
    )
    .addOption(
      new Option('--policy <name...>', 'ready-made policies of the preset, for all accounts of the platform').choices(
        VENUE_POLICY_NAMES,
      ),
    )
    .option('--verify-mac', 'allow callers to verify HMAC signatures (default: rejected)')
    .option(
      '--audit-clear <path...>',
      'paths in the data, such as amount or instruction.price, that audit records show in clear, in addition to those of the format',
    )
    .addOption(jsonOption())
    .action((options: Options, command: Command) => addPlatform(context, options, command));
  return addManual(command, MANUAL);
}

async function addPlatform(context: CliContext, options: Options, command: Command): Promise<void> {
  const platform = toPlatform(options);
  if (typeof platform === 'string') return command.error(`error: ${platform}`);
  const policies = platformPolicies(options, platform);
  if (typeof policies === 'string') return command.error(`error: ${policies}`);
  await withInstallation(context, async (installation) => {
    const platforms = await installation.configuration();
    await platforms.addPlatform(platform, policies);
    const { preset, json } = options;
    const warnings = [...platformWarnings(platform), ...policyWarnings(options, platform)];
    if (json) {
      return printJson(context, {
        platform,
        ...(preset === undefined ? {} : { preset: toPresetDocument(preset) }),
        ...(policies.length === 0 ? {} : { policies }),
        cautions: warnings,
      });
    }
    context.print(
      `Platform ${platform.platformId} added to ${platforms.location}: format ${platform.format}, ` +
        `rule ${platform.payload.rule}, ${formatNamedRules(platform)}algorithms ${platform.algorithms.join(', ')}.\n` +
        `${formatAddedPolicies(policies)}${formatWarnings(warnings, context.output)}${formatClearHint(platform)}${formatHint(options, platform)}`,
    );
    await printProse(context, RELOAD_HINT);
  });
}

function formatNamedRules({ rules = {} }: Platform): string {
  const names = Object.keys(rules);
  return names.length === 0 ? '' : `named rules ${names.join(', ')}, `;
}

function formatClearHint({ audit }: Platform): string {
  return audit === undefined ? '' : `Audit records will show the values of ${audit.clear.join(', ')}.\n`;
}

/** The preset's next steps, unless options changed the platform. */
function formatHint({ preset, format, algorithm, rule, payload }: Options, platform: Platform): string {
  const isUnchanged = [format, algorithm, rule, payload].every((option) => option === undefined);
  return preset !== undefined && isUnchanged ? formatNextSteps(preset, platform) : '';
}
