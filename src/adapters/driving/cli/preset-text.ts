import type { JsonObject } from '../../../domain/model/json.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import type { SecretDecoding } from '../../../domain/model/secret-decoding.ts';
import type { PublishedKey, VenuePreset } from '../../../domain/presets/venue-preset.ts';
import { printable } from './printable-text.ts';

/** What an operator and callers have to know of a preset, with an example that can be checked. */
export function presetText(preset: VenuePreset): string {
  const { name, venue, docs, platform, notes, example } = preset;
  const facts: readonly (readonly [string, string])[] = [
    ['docs', docs],
    ['payload', JSON.stringify(platform.payload)],
    ['algorithm', `${platform.algorithms.join(', ')}, signatures in ${platform.encoding ?? 'the usual encoding'}`],
    ['key file', keyFileText(preset, platform)],
    ...Object.entries(preset.values ?? {}).map(([value, meaning]) => ['value', `${value}: ${meaning}`] as const),
  ];
  return [
    `${name}: ${venue}\n`,
    ...facts.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${text}\n`),
    '\nWhat callers and operators have to know\n',
    ...notes.map((note) => `  - ${note}\n`),
    '\nA published example: callers post this as data\n',
    indented(JSON.stringify(example.data, null, 2)),
    `what is signed${example.payloadEncoding === 'hex' ? ', the bytes in hex' : ''}\n`,
    indented(shownText(example.payload)),
    `the signature under the test key ${keyText(example.key)}${valuesText(example.values)}\n`,
    indented(example.signature),
    `published at ${example.source}\n`,
  ].join('');
}

/** What an operator does after a platform was added from a preset, with options that may differ from it, and what callers post then. */
export function nextStepsText(preset: VenuePreset, platform: Platform): string {
  const { platformId } = platform;
  const values = Object.entries(preset.values ?? {});
  const command = [
    `signing-service account add --platform ${platformId} --account main --key-file main.key`,
    ...(preset.keyFormat === undefined ? [] : [`--key-format ${preset.keyFormat}`]),
    ...values.map(([name]) => `--value ${name}=…`),
  ].join(' ');
  return [
    'Next, an account. Its key file, which only you should be able to read (chmod 600), holds\n',
    `  ${keyFileText(preset, platform)}\n`,
    indented(command),
    ...values.map(([name, meaning]) => `  where ${name} is ${meaning}\n`),
    'Callers then post to /api/v1/sign, for example\n',
    indented(signRequestText(platformId, preset.example.data)),
    `What they have to know${exceptionText(preset, platform)}: signing-service platform presets ${preset.name}\n`,
  ].join('');
}

const LABEL_WIDTH = 'algorithm'.length + 2;

type MadePlatform = Pick<Platform, 'secretDecoding' | 'encoding'>;

/** The preset's own words for the key file hold for its own decoding alone. */
function keyFileText({ keyFile, platform }: VenuePreset, { secretDecoding }: MadePlatform): string {
  const isAsThere = secretDecoding === platform.secretDecoding;
  if (secretDecoding === undefined || (isAsThere && secretDecoding === 'utf8')) return keyFile;
  return `${isAsThere ? keyFile : 'the secret'}; ${DECODED[secretDecoding]}`;
}

const DECODED: { readonly [Decoding in SecretDecoding]: string } = {
  utf8: 'it is taken as it is written',
  hex: 'it is decoded as hex',
  base64: 'it is decoded as base64',
  'base64-text': 'its base64 form is the key',
};

/** What the notes of a preset say otherwise. */
function exceptionText({ platform }: VenuePreset, { secretDecoding, encoding }: MadePlatform): string {
  const isAsThere = secretDecoding === platform.secretDecoding && encoding === platform.encoding;
  return isAsThere ? '' : ', but for what you set otherwise';
}

function keyText(key: PublishedKey): string {
  if ('pem' in key) return key.pem.replace(/-----[^-]*-----|\s/g, '');
  return 'hex' in key ? key.hex : JSON.stringify(key.text);
}

function valuesText(values: { readonly [name: string]: string } = {}): string {
  const entries = Object.entries(values);
  return entries.length === 0 ? '' : `, with ${entries.map(([name, value]) => `${name}=${value}`).join(' ')}`;
}

/** As it is, or as a JSON string where a terminal would act on what is in it. */
function shownText(text: string): string {
  return printable(text) === text ? text : JSON.stringify(text);
}

function signRequestText(platformId: string, data: JsonObject): string {
  return JSON.stringify({ platformId, accountId: 'main', data });
}

function indented(text: string): string {
  return `${text.replace(/^/gm, '  ')}\n`;
}
