import { readFileSync } from 'node:fs';
import { isSecp256k1Algorithm } from '../../src/domain/model/algorithm.ts';
import type { PayloadRule } from '../../src/domain/model/payload-rule.ts';
import { findVenuePolicies, listVenuePolicyNames } from '../../src/domain/presets/policies/venue-policies.ts';
import type { PresetExample, PublishedKey, VenuePreset } from '../../src/domain/presets/venue-preset.ts';
import {
  ALIAS_PRESETS,
  type ExplainedRule,
  findAliased,
  listPresetRules,
  VENUE_PRESETS,
} from '../../src/domain/presets/venue-presets.ts';
import { wrapMarkdown } from './wrap-markdown.ts';

const INTRODUCTION = `# Venues

For callers and operators: the presets, made by \`npm run generate -- docs\`. \`platform add --preset NAME\` writes the
platform into the credentials file; \`platform presets NAME\` prints the section below. [Payload rules](payload-rules.md)
explains the rules.

Each preset reproduces published signatures, listed with their sources in
[tests/vectors/venues](../../tests/vectors/venues); a test runs all of them through the HTTP API. The keys below are published test
keys. The commands recompute each signature without this service, in a clone after \`npm ci\`; a test runs them.

If only others published signatures (client libraries and their tests), the rule was checked against the venue's own documentation.
There is no preset for Orderly, ApeX and Kraken Futures: no published signature could be reproduced, or no rule expresses it.

Venues differ in whether they verify the query before or after percent-encoding. Therefore each preset that signs parameters has
a vector with a reserved character (\`/\`, \`:\`, a space) and one with a non-ASCII character. If none was published, it was computed
with another client (the venue's own, [ccxt](https://github.com/ccxt/ccxt) or bybit-api), as its source says. A preset without
them is marked **Unproven**.

A preset may have [named rules](payload-rules.md#several-rules-on-one-platform) for other payloads that the venue has signed with the same
key, such as a WebSocket login; requests select them with \`rule\`. If no signature was published for one, it was computed from
the documented text. Rules with their own, older preset are explained there; the older names continue to work.
`;

/** PKCS#8 prefix of a 32-byte Ed25519 key (RFC 8410 §7), hex. */
const ED25519_PKCS8 = '302e020100300506032b657004220420';

/** docs/callers/venues.md. */
export function presetPage(): string {
  return wrapMarkdown([INTRODUCTION, overview(), aliases(), ...VENUE_PRESETS.map(section)].join('\n'));
}

/** Shell command that reproduces the example's signature without code of this service. */
export function checkCommand({ platform, example }: VenuePreset): string {
  const payload = JSON.stringify(example.payload);
  const bytes = `Buffer.from(${payload}${example.payloadEncoding === 'hex' ? ', "hex"' : ''})`;
  const [algorithm] = platform.algorithms;
  if (algorithm === undefined) throw new Error('A preset names no algorithm.');
  if (algorithm.startsWith('hmac-')) {
    const secret = `Buffer.from(${JSON.stringify(getKeyText(example.key))}, "${platform.secretDecoding ?? 'utf8'}")`;
    return nodeCommand(
      `import { createHmac } from "node:crypto";
console.log(createHmac("${algorithm.slice('hmac-'.length)}", ${secret}).update(${bytes}).digest("${platform.encoding}"));`,
    );
  }
  if (algorithm === 'ed25519') {
    const text =
      platform.encoding === 'base58' ? 'bs58.encode(signature)' : `signature.toString("${platform.encoding}")`;
    return nodeCommand(
      `import { createPrivateKey, sign } from "node:crypto";${platform.encoding === 'base58' ? '\nimport bs58 from "bs58";' : ''}
const key = createPrivateKey(${formatPrivateKey(example.key)});
const signature = sign(null, ${bytes}, key);
console.log(${text});`,
    );
  }
  if (!isSecp256k1Algorithm(algorithm)) throw new Error(`No command verifies ${algorithm}: add one here.`);
  return nodeCommand(
    `import { keccak256, SigningKey } from "ethers";
console.log(new SigningKey("0x${getKeyText(example.key)}").sign(keccak256(${bytes})).serialized);`,
  );
}

function overview(): string {
  const rows = VENUE_PRESETS.filter((preset) => !ALIAS_PRESETS.includes(preset)).map(
    ({ name, venue, platform }) =>
      `| [\`${name}\`](#${name}) | ${venue} | \`${platform.payload.rule}\` | ${formatNames(Object.keys(platform.rules ?? {}))} | \`${platform.algorithms.join('`, `')}\` | \`${platform.encoding}\` | ${publishedBy(name)} |`,
  );
  return [
    '| Preset | Venue | Rule | Named rules | Algorithm | Encoding | Signatures published by |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function aliases(): string {
  const rows = ALIAS_PRESETS.map((preset) => {
    const { preset: merged, rule } = findAliased(preset) ?? {};
    return `| [\`${preset.name}\`](#${preset.name}) | \`${rule}\` of [\`${merged}\`](#${merged}) | ${preset.venue} | ${publishedBy(preset.name)} |`;
  });
  return ['| Older name | Named rule | Venue | Signatures published by |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function formatNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** Publishers of the signatures: `the venue (3), others (1)`; computed ones don't count. */
function publishedBy(name: string): string {
  const published = readVectors(name).filter(({ source }) => !source.kind.startsWith('computed'));
  const official = published.filter(({ source }) => source.kind.startsWith('official')).length;
  return [
    ...(official === 0 ? [] : [`the venue (${official})`]),
    ...(official === published.length ? [] : [`others (${published.length - official})`]),
  ].join(', ');
}

/** The fields used of a vector. */
interface PageVector {
  readonly source: { readonly kind: string };
  readonly rule?: string;
  readonly data: { readonly [name: string]: unknown };
}

function readVectors(name: string): readonly PageVector[] {
  const file = new URL(`../../tests/vectors/venues/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).vectors;
}

/** Characters that percent-encoding changes, with their names. */
const ENCODED_CHARACTERS: readonly (readonly [kind: string, characters: RegExp])[] = [
  ['reserved', /[^A-Za-z0-9._~\u0080-\u{10ffff}-]/u],
  ['non-ASCII', /[^\p{ASCII}]/u],
];

/**
 * Kinds of these that no vector of a preset covers; empty unless it signs parameters.
 * @param rule one of its named rules; absent: its default rule
 */
export function unprovenCharacters({ name, platform }: VenuePreset, rule?: string): readonly string[] {
  if (!signsParameters(platform.payload)) return [];
  const vectors = readVectors(name).filter((vector) => vector.rule === rule);
  const texts = vectors.flatMap(({ data }) => listParameters(data, platform.payload));
  return ENCODED_CHARACTERS.flatMap(([kind, characters]) =>
    texts.some((text) => characters.test(text)) ? [] : [kind],
  );
}

function signsParameters(rule: PayloadRule): boolean {
  if (rule.rule === 'prehash') return /\{\??query\}/.test(rule.template);
  return rule.rule === 'query' || rule.rule === 'kraken' || rule.rule === 'backpack';
}

/** Values of `params`, `query`, the path's query and Kraken's form body. */
function listParameters({ params, query, path, body }: PageVector['data'], { rule }: PayloadRule): readonly string[] {
  const inPath = typeof path === 'string' ? path.split('?')[1] : undefined;
  return [params, query, inPath, rule === 'kraken' ? body : undefined].flatMap((given) => {
    if (typeof given === 'string') return [...new URLSearchParams(given).values()];
    return typeof given === 'object' && given !== null ? Object.values(given).map(String) : [];
  });
}

function unprovenNote(preset: VenuePreset, rule?: string): readonly string[] {
  const kinds = unprovenCharacters(preset, rule);
  if (kinds.length === 0) return [];
  return [
    `- **Unproven**: no vector has a ${kinds.join(' or a ')} character in its parameters. Test such a request against the venue before you rely on it.`,
  ];
}

function policyLines(preset: string): readonly string[] {
  const policies = findVenuePolicies(preset);
  if (policies === undefined) return [];
  const names = listVenuePolicyNames(preset).map((name) => `\`${name}\``);
  const links = policies.docs.map((url, index) => `[${index + 1}](${url})`);
  return [
    `- [Policies](../operators/policies.md#ready-made-policies): ${names.join(', ')}; requests documented at ${links.join(', ')}.`,
  ];
}

function section(preset: VenuePreset): string {
  const { name, venue, docs, platform, keyFile, keyFormat, values, notes } = preset;
  const format = keyFormat === undefined ? '' : ` (\`--key-format ${keyFormat}\`)`;
  const aliased = findAliased(preset);
  return [
    `## ${name}`,
    '',
    `${venue}: [venue documentation](${docs}).${aliased === undefined ? '' : ` Older name of rule \`${aliased.rule}\` of [\`${aliased.preset}\`](#${aliased.preset}).`}`,
    '',
    fenced('json', JSON.stringify(platform)),
    '',
    `- Key file: ${keyFile}${format}.`,
    ...Object.entries(values ?? {}).map(([value, meaning]) => `- \`--value ${value}=…\`: ${meaning}.`),
    ...policyLines(name),
    ...notes.map((note) => `- ${note}`),
    ...unprovenNote(preset),
    '',
    ...exampleLines(preset),
    ...listPresetRules(preset).flatMap(ruleLines),
  ].join('\n');
}

function ruleLines({ name, preset, alias }: ExplainedRule): readonly string[] {
  const { venue, docs, notes, platform } = preset;
  if (alias !== null) return [`Rule \`${name}\` is described under [\`${alias}\`](#${alias}): ${venue}.`, ''];
  return [
    `### ${preset.name}, rule ${name}`,
    '',
    `${venue}: [venue documentation](${docs}).`,
    '',
    fenced('json', JSON.stringify(platform.payload)),
    '',
    ...notes.map((note) => `- ${note}`),
    ...unprovenNote(preset, name),
    '',
    ...exampleLines(preset),
  ];
}

function exampleLines(preset: VenuePreset): readonly string[] {
  const { example } = preset;
  const ownValues = Object.entries(example.values ?? {}).map(([value, text]) => `\`${value}=${text}\``);
  return [
    `Example (${formatSource(example)})${ownValues.length === 0 ? '' : ` with ${ownValues.join(', ')}`}. \`data\` of the request:`,
    '',
    fenced('json', JSON.stringify(example.data)),
    '',
    `Payload${example.payloadEncoding === 'hex' ? ', hexadecimal' : ''}:`,
    '',
    fenced('text', printable(example.payload)),
    '',
    `Signature \`${example.signature}\`, recomputed by`,
    '',
    fenced('sh', checkCommand(preset)),
    '',
  ];
}

function formatSource({ source, isComputed }: PresetExample): string {
  return isComputed ? `computed from [the documented text](${source})` : `[source](${source})`;
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Escapes control characters except line feeds. */
function printable(text: string): string {
  return text.replace(/[^\n\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 || code === 0x7f ? `\\u${code.toString(16).padStart(4, '0')}` : character;
  });
}

/** Quotes code as one argument of a POSIX shell. */
function nodeCommand(code: string): string {
  return `node --input-type=module -e '${code.replaceAll("'", "'\\''")}'`;
}

function getKeyText(key: PublishedKey): string {
  if ('text' in key) return key.text;
  return 'hex' in key ? key.hex : key.pem;
}

function formatPrivateKey(key: PublishedKey): string {
  if ('pem' in key) return JSON.stringify(key.pem);
  return `{ key: Buffer.from("${ED25519_PKCS8}${getKeyText(key)}", "hex"), format: "der", type: "pkcs8" }`;
}
