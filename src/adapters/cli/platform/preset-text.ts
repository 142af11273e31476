import { InvalidArgumentError } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import type { SecretDecoding } from '../../../domain/model/account.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import { PASSPHRASE_VALUE } from '../../../domain/model/payload.ts';
import { type Platform, toSigningRule } from '../../../domain/model/platform.ts';
import { listSentValues, type Send } from '../../../domain/model/send.ts';
import { isPrintable } from '../../../domain/model/text/unsafe-characters.ts';
import { carriesPassphrase } from '../../../domain/services/key-passphrase.ts';
import { findPreset, listPresetRules, listPresets, type PresetRule } from '../../venues/venue-files.ts';
import { listVenuePolicyNames } from '../../venues/venue-policies.ts';
import type { PublishedKey, RuleExplanation, VenuePreset } from '../../venues/venue-schema.ts';
import { withSuggestions } from '../completion.ts';
import { argument, type Input, parsed, text } from '../inputs.ts';

function listPresetNames(): readonly string[] {
  return listPresets().map(({ name }) => name);
}

/** @throws InvalidArgumentError naming the nearest preset, or the command that lists them */
function parsePreset(name: string): VenuePreset {
  const preset = findPreset(name);
  if (preset !== undefined) return preset;
  const nearest = closest(name.toLowerCase(), listPresetNames());
  const isNear = distance(name.toLowerCase(), nearest) <= Math.max(1, name.length / 3);
  throw new InvalidArgumentError(
    `No such preset.${isNear ? ` Did you mean ${nearest}?` : ''} To list the presets, run \`platform presets\`.`,
  );
}

/** `--preset`. */
export function presetOption(description: string): Input<VenuePreset | undefined> {
  return withSuggestions(parsed(text('--preset <name>', description), parsePreset), listPresetNames);
}

/** The argument `[name]`. */
export const PRESET_NAME = withSuggestions(
  parsed(argument('[name]', 'preset to describe, with an example'), parsePreset),
  listPresetNames,
);

/** Description of a preset for operators and callers, with a verifiable example. */
export function formatPreset(preset: VenuePreset): string {
  const { name, venue, docs, platform } = preset;
  const rules = listPresetRules(preset).filter((rule) => rule.name !== undefined);
  const facts: readonly (readonly [string, string])[] = [
    ['docs', docs],
    ['payload', JSON.stringify(platform.payload)],
    ...(platform.send === undefined ? [] : [['sent to', formatTarget(platform.send)] as const]),
    ...rules.map(
      ({ name: ruleName, rule }) => ['rule', `${ruleName}: ${JSON.stringify(toSigningRule(rule))}`] as const,
    ),
    ['algorithm', `${platform.algorithms.join(', ')}, ${formatSignatures(platform)}`],
    ['key file', `${formatKeyFile(preset, platform)}${formatKeyFormat(preset)}`],
    ...formatPolicyFact(preset),
    ...Object.entries(preset.values ?? {}).map(([value, meaning]) => ['value', `${value}: ${meaning}`] as const),
  ];
  return [
    `${name}: ${venue}\n`,
    ...facts.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${text}\n`),
    '\nNotes\n',
    ...formatExplanation(preset),
    ...rules.flatMap(formatNamedRule),
  ].join('');
}

function formatSignatures(platform: VenuePreset['platform']): string {
  return findTokenForm(platform) ?? `signatures in ${platform.encoding ?? 'the default encoding'}`;
}

function formatPolicyFact(preset: VenuePreset): readonly (readonly [string, string])[] {
  const names = listVenuePolicyNames(preset);
  return names.length === 0 ? [] : [['policies', `${names.join(', ')} (platform add --policy, policy add)`]];
}

/** The rule may be documented on another page than the preset. */
function formatNamedRule(rule: PresetRule): readonly string[] {
  const { name, venue, docs } = rule;
  return [
    `\nRule ${name}: ${venue}\n`,
    `${'docs'.padEnd(LABEL_WIDTH)}${docs}\n`,
    `${'request'.padEnd(LABEL_WIDTH)}add "rule":${JSON.stringify(name)}\n`,
    ...formatExplanation(rule),
  ];
}

function formatExplanation({ notes, example }: RuleExplanation): readonly string[] {
  const { source, payloadHex, payload = payloadHex ?? '' } = example;
  const isComputed = source.kind.startsWith('computed');
  return [
    ...notes.map((note) => `  - ${note}\n`),
    `\n${isComputed ? 'Computed' : 'Published'} example: data of the request\n`,
    indent(JSON.stringify(example.data, null, 2)),
    `payload${payloadHex !== undefined ? ', in hexadecimal' : ''}\n`,
    indent(formatPayload(payload)),
    `signature with the test key ${formatKey(example.key)}${formatValues(example.values)}\n`,
    indent(example.signature),
    `${isComputed ? source.kind : 'published'}: ${source.url}\n`,
  ];
}

/** Next steps after `platform add --preset`, whose options may differ from the preset. */
export function formatNextSteps(preset: VenuePreset, platform: Platform): string {
  const { platformId } = platform;
  const values = Object.entries(preset.values ?? {});
  const command = [
    `signing-service account add --platform ${platformId} --account main --key-file main.key`,
    ...(preset.keyFormat === undefined ? [] : [`--key-format ${preset.keyFormat}`]),
    ...(carriesPassphrase(platform) ? ['--passphrase-file main.passphrase'] : []),
    ...values.map(([name]) => `--value ${name}=…`),
  ].join(' ');
  return [
    'Next, add an account. Its key file, readable only by you (chmod 600), must contain:\n',
    `  ${formatKeyFile(preset, platform)}\n`,
    indent(command),
    ...(carriesPassphrase(platform) ? [PASSPHRASE_FILE] : []),
    ...values.map(([name, meaning]) => `  where ${name} is ${meaning}\n`),
    ...listOptionalValues(preset, platform).map(
      (name) => `  and optionally --value ${name}=…, for the requests that the service returns\n`,
    ),
    `Callers then send requests to POST /api/v1/sign${platform.send === undefined ? '' : '?include=request'}, for example:\n`,
    indent(JSON.stringify({ platformId, accountId: 'main', data: getUsualData(preset) })),
    `For notes${formatException(preset, platform)}, run: signing-service platform presets ${preset.name}\n`,
  ].join('');
}

const PASSPHRASE_FILE =
  '  where main.passphrase, readable only by you, contains the passphrase of the API key, in one line\n';

const LABEL_WIDTH = 'algorithm'.length + 2;

type MadePlatform = Pick<Platform, 'secretDecoding' | 'encoding'>;

/** The preset's text applies to its own decoding only. */
function formatKeyFile({ keyFile, platform }: VenuePreset, { secretDecoding }: MadePlatform): string {
  const isAsInPreset = secretDecoding === platform.secretDecoding;
  if (secretDecoding === undefined || (isAsInPreset && secretDecoding === 'utf8')) return keyFile;
  return `${isAsInPreset ? keyFile : 'the secret'}; ${DECODED[secretDecoding]}`;
}

function formatKeyFormat({ keyFormat }: VenuePreset): string {
  return keyFormat === undefined ? '' : ` (--key-format ${keyFormat})`;
}

const DECODED: { readonly [Decoding in SecretDecoding]: string } = {
  utf8: 'used as written',
  hex: 'decoded as hexadecimal',
  base64: 'decoded as base64',
  base64url: 'decoded as base64url',
  'base64-text': 'its base64 encoding is the key',
};

/** Deviations from the preset's notes. */
function formatException({ platform }: VenuePreset, { secretDecoding, encoding }: MadePlatform): string {
  const isAsInPreset = secretDecoding === platform.secretDecoding && encoding === platform.encoding;
  return isAsInPreset ? '' : ' (except on your overrides)';
}

function formatKey(key: PublishedKey): string {
  if ('pem' in key) return key.pem.replace(/-----[^-]*-----|\s/g, '');
  return 'hex' in key ? key.hex : JSON.stringify(key.text);
}

function formatValues(values: { readonly [name: string]: string } = {}): string {
  const entries = Object.entries(values);
  return entries.length === 0 ? '' : `, with ${entries.map(([name, value]) => `${name}=${value}`).join(' ')}`;
}

/** JSON if it has characters that a terminal interprets. */
function formatPayload(text: string): string {
  return isPrintable(text) ? text : JSON.stringify(text);
}

/** Values that no rule signs: without them callers fill them in. */
function listOptionalValues({ values = {} }: VenuePreset, { send }: Platform): readonly string[] {
  const known = [...Object.keys(values), PASSPHRASE_VALUE];
  return [...new Set(listSentValues(send))].filter((name) => !known.includes(name));
}

/** The order that the preset shows, else its first request, else its example. */
export function getUsualData({ requests = {}, example }: VenuePreset): JsonObject {
  const ofDefault = Object.entries(requests).filter(([, { rule }]) => rule === undefined);
  const [, usual] = ofDefault.find(([name]) => name === 'order') ?? ofDefault[0] ?? [];
  return usual?.data ?? example.data;
}

function indent(text: string): string {
  return `${text.replace(/^/gm, '  ')}\n`;
}

/**
 * What the signatures of a platform are if a rule of it makes tokens, a clause that names the form
 * in responses, `jws-compact`; undefined if none does.
 */
export function findTokenForm({
  payload,
  rules = {},
  encoding,
}: Pick<Platform, 'payload' | 'rules' | 'encoding'>): string | undefined {
  const usual = encoding ?? 'the default encoding';
  const named = Object.entries(rules);
  const tokens = named.filter(([, { rule }]) => rule === 'jwt').map(([name]) => name);
  if (payload.rule !== 'jwt') {
    return tokens.length === 0 ? undefined : `signatures in ${usual}; with rule ${tokens.join(', ')} ${TOKENS}`;
  }
  const others = named.filter(([, { rule }]) => rule !== 'jwt');
  const except = others.map(([name, rule]) => `; with rule ${name} signatures in ${rule.encoding ?? usual}`);
  return `${TOKENS}${except.join('')}`;
}

/** Where requests are sent: origins, or a WebSocket. */
export function formatTarget(send: Send): string {
  return 'origins' in send ? send.origins.join(', ') : 'a WebSocket';
}

const TOKENS = 'signatures are whole tokens (jws-compact)';
