import { readFileSync } from 'node:fs';
import type { SecretDecoding } from '../../src/domain/model/account.ts';
import { type Algorithm, isSecp256k1Algorithm, type SignatureEncoding } from '../../src/domain/model/algorithm.ts';
import { findVenueRequests, listVenuePolicyNames } from '../../src/domain/presets/policies/venue-policies.ts';
import type { PresetExample, PublishedKey, VenuePreset } from '../../src/domain/presets/venue-preset.ts';
import {
  ALIAS_PRESETS,
  type ExplainedRule,
  findAliased,
  listPresetRules,
  VENUE_PRESETS,
} from '../../src/domain/presets/venue-presets.ts';
import { fenced } from './generated-part.ts';

/** PKCS#8 prefix of a 32-byte Ed25519 key (RFC 8410 §7), hex. */
const ED25519_PKCS8 = '302e020100300506032b657004220420';

/** The presets of docs/callers/venues.md. */
export function presetSections(): string {
  return [overview(), aliases(), ...VENUE_PRESETS.map(section)].join('\n');
}

/** Shell command that reproduces the example's signature without code of this service. */
function checkCommand({ platform, example }: VenuePreset): string {
  const payload = JSON.stringify(example.payload);
  const bytes = `Buffer.from(${payload}${example.payloadEncoding === 'hex' ? ', "hex"' : ''})`;
  const [algorithm] = platform.algorithms;
  if (algorithm === undefined) throw new Error('A preset names no algorithm.');
  if (platform.payload.rule === 'jwt') return tokenCommand(algorithm, example, platform.secretDecoding);
  if (algorithm.startsWith('hmac-')) {
    const secret = secretExpression(example, platform.secretDecoding);
    return nodeCommand(
      `import { createHmac } from "node:crypto";
console.log(createHmac("${algorithm.slice('hmac-'.length)}", ${secret}).update(${bytes}).${digestOf(platform.encoding)});`,
    );
  }
  if (algorithm === 'ed25519') {
    const text =
      platform.encoding === 'base58' ? 'encodeBase58(signature)' : `signature.toString("${platform.encoding}")`;
    return nodeCommand(
      `import { createPrivateKey, sign } from "node:crypto";${platform.encoding === 'base58' ? '\nimport { encodeBase58 } from "ethers";' : ''}
const key = createPrivateKey(${formatPrivateKey(example.key)});
const signature = sign(null, ${bytes}, key);
console.log(${text});`,
    );
  }
  if (algorithm === 'starknet') {
    return nodeCommand(
      `import { computeHashOnElements, poseidonHashMany, sign } from "@scure/starknet";
const bytes = ${bytes};
const felts = [1, 33, 65, 97].map((at) => BigInt("0x" + bytes.subarray(at, at + 32).toString("hex")));
const hash = bytes[0] === 0 ? computeHashOnElements(felts) : poseidonHashMany(felts).toString(16);
console.log("0x" + sign(hash, "${getKeyText(example.key)}").toHex("compact"));`,
    );
  }
  if (algorithm === 'rsa-sha256') {
    return nodeCommand(
      `import { sign } from "node:crypto";
console.log(sign("sha256", ${bytes}, ${formatPrivateKey(example.key)}).toString("${platform.encoding}"));`,
    );
  }
  if (algorithm === 'cosmos') {
    return nodeCommand(
      `import { SigningKey, sha256 } from "ethers";
const { r, s } = new SigningKey("0x${getKeyText(example.key)}").sign(sha256(${bytes}));
console.log(Buffer.from(r.slice(2) + s.slice(2), "hex").toString("base64"));`,
    );
  }
  if (!isSecp256k1Algorithm(algorithm)) throw new Error(`No command verifies ${algorithm}: add one here.`);
  return nodeCommand(
    `import { keccak256, SigningKey } from "ethers";
console.log(new SigningKey("0x${getKeyText(example.key)}").sign(keccak256(${bytes})).serialized);`,
  );
}

/** Node has no padded base64url. */
function digestOf(encoding: SignatureEncoding | undefined): string {
  if (encoding !== 'base64url-padded') return `digest("${encoding}")`;
  return 'digest("base64").replaceAll("+", "-").replaceAll("/", "_")';
}

/** The HMAC key as an expression of JavaScript. */
function secretExpression({ key }: PresetExample, decoding: SecretDecoding = 'utf8'): string {
  const text = JSON.stringify(getKeyText(key));
  if (decoding === 'base64-text') return `Buffer.from(${text}).toString("base64")`;
  return `Buffer.from(${text}, "${decoding}")`;
}

/**
 * Prints the token: computed again, or for ES256, where OpenSSL's nonces are random, if its
 * signature verifies.
 */
function tokenCommand(algorithm: Algorithm, example: PresetExample, decoding?: SecretDecoding): string {
  const { key, payload, signature } = example;
  const print = (code: string) => `${code}\nconsole.log(input + "." + signature);`;
  const input = `const input = ${JSON.stringify(payload)};`;
  if (algorithm.startsWith('hmac-')) {
    const secret = secretExpression(example, decoding);
    return nodeCommand(
      print(`import { createHmac } from "node:crypto";
${input}
const signature = createHmac("${algorithm.slice('hmac-'.length)}", ${secret}).update(input).digest("base64url");`),
    );
  }
  if (algorithm === 'ed25519') {
    return nodeCommand(
      print(`import { createPrivateKey, sign } from "node:crypto";
${input}
const key = createPrivateKey(${formatPrivateKey(key)});
const signature = sign(null, Buffer.from(input), key).toString("base64url");`),
    );
  }
  if (algorithm !== 'es256') throw new Error(`No command verifies tokens of ${algorithm}: add one here.`);
  return nodeCommand(
    print(`import { createPublicKey, verify } from "node:crypto";
${input}
const signature = ${JSON.stringify(signature.slice(payload.length + 1))};
const key = createPublicKey(${formatPrivateKey(key)});
const bytes = Buffer.from(signature, "base64url");
if (!verify("sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }, bytes)) throw new Error("invalid");`),
  );
}

function overview(): string {
  const rows = VENUE_PRESETS.filter((preset) => !ALIAS_PRESETS.includes(preset)).map(
    ({ name, venue, platform }) =>
      `| [\`${name}\`](#${name}) | ${venue} | \`${platform.payload.rule}\` | ${formatNames(Object.keys(platform.rules ?? {}))} | \`${platform.algorithms.join('`, `')}\` | \`${platform.payload.rule === 'jwt' ? 'jws-compact' : platform.encoding}\` | ${countOrigins(name)} |`,
  );
  return [
    '| Preset | Venue | Rule | Named rules | Algorithm | Encoding | Vectors published by, or computed |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function aliases(): string {
  const rows = ALIAS_PRESETS.map((preset) => {
    const { preset: merged, rule } = findAliased(preset) ?? {};
    return `| [\`${preset.name}\`](#${preset.name}) | \`${rule}\` of [\`${merged}\`](#${merged}) | ${preset.venue} | ${countOrigins(preset.name)} |`;
  });
  return [
    '| Older name | Named rule | Venue | Vectors published by, or computed |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function formatNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** Origins of the vectors: `the venue 3, others 1, computed 4`. */
function countOrigins(name: string): string {
  const kinds = readVectors(name).map(({ source }) => source.kind);
  const official = kinds.filter((kind) => kind.startsWith('official')).length;
  const computed = kinds.filter((kind) => kind.startsWith('computed')).length;
  const counts = { 'the venue': official, others: kinds.length - official - computed, computed };
  return Object.entries(counts)
    .flatMap(([origin, count]) => (count === 0 ? [] : [`${origin} ${count}`]))
    .join(', ');
}

/** The fields used of a vector. */
interface PageVector {
  readonly id: string;
  readonly source: { readonly kind: string };
  readonly rule?: string;
}

function readVectors(name: string): readonly PageVector[] {
  const file = new URL(`../../tests/vectors/venues/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).vectors;
}

/**
 * Which vectors come from where, of a preset or one of its named rules: the venue's own first, then
 * other published ones, then computed ones.
 */
function vectorTable({ name }: VenuePreset, rule?: string): readonly string[] {
  const vectors = readVectors(name).filter((vector) => vector.rule === rule);
  const kinds = [...new Set(vectors.map(({ source }) => source.kind))].sort(byOrigin);
  return [
    `| Source of [vectors](../../tests/vectors/venues/${name}.json) | Vectors |`,
    '|---|---|',
    ...kinds.map((kind) => {
      const ids = vectors.filter(({ source }) => source.kind === kind).map(({ id }) => id.replace(`${name}-`, ''));
      return `| ${kind} | ${formatNames(ids)} |`;
    }),
    '',
  ];
}

function byOrigin(left: string, right: string): number {
  return originRank(left) - originRank(right) || (left < right ? -1 : 1);
}

function originRank(kind: string): number {
  if (kind.startsWith('official')) return 0;
  if (!kind.startsWith('computed')) return 1;
  return kind.startsWith("computed with the venue's") ? 2 : 3;
}

function policyLines(preset: string): readonly string[] {
  const requests = findVenueRequests(preset);
  if (requests === undefined) return [];
  const names = listVenuePolicyNames(preset).map((name) => `\`${name}\``);
  const links = requests.docs.map((url, index) => `[${index + 1}](${url})`);
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
    '',
    ...vectorTable(preset),
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
    '',
    ...vectorTable(preset, name),
    ...exampleLines(preset),
  ];
}

function exampleLines(preset: VenuePreset): readonly string[] {
  const { example, platform } = preset;
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
    platform.algorithms.includes('es256')
      ? `Signature \`${example.signature}\`, verified by`
      : `Signature \`${example.signature}\`, recomputed by`,
    '',
    fenced('sh', checkCommand(preset)),
    '',
  ];
}

function formatSource({ source, isComputed }: PresetExample): string {
  return isComputed ? `computed from [the documented text](${source})` : `[source](${source})`;
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
