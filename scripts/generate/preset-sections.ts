import { listPresetRules, listPresets, type PresetRule } from '../../src/adapters/venues/venue-files.ts';
import { listVenuePolicyNames } from '../../src/adapters/venues/venue-policies.ts';
import type { PublishedKey, VenuePreset, VenueVector } from '../../src/adapters/venues/venue-schema.ts';
import type { SecretDecoding } from '../../src/domain/model/account.ts';
import { type Algorithm, isSecp256k1Algorithm, type SignatureEncoding } from '../../src/domain/model/algorithm.ts';
import { fenced } from './generated-part.ts';

/** PKCS#8 prefix of a 32-byte Ed25519 key (RFC 8410 §7), hex. */
const ED25519_PKCS8 = '302e020100300506032b657004220420';

/** The presets of docs/callers/venues.md. */
export function presetSections(): string {
  return [overview(), ...listPresets().map(section)].join('\n');
}

/** Shell command that reproduces the example's signature without code of this service. */
function checkCommand({ platform }: VenuePreset, { rule, example }: PresetRule): string {
  const { algorithm, payload, payloadHex } = example;
  const bytes = `Buffer.from(${JSON.stringify(payload ?? payloadHex)}${payload === undefined ? ', "hex"' : ''})`;
  if (rule.rule === 'jwt') return tokenCommand(algorithm, example, platform.secretDecoding);
  const encoding = rule.encoding ?? platform.encoding;
  if (algorithm.startsWith('hmac-')) {
    const secret = secretExpression(example, platform.secretDecoding);
    return nodeCommand(
      `import { createHmac } from "node:crypto";
console.log(createHmac("${algorithm.slice('hmac-'.length)}", ${secret}).update(${bytes}).${digestOf(encoding)});`,
    );
  }
  if (algorithm === 'ed25519') {
    const text = encoding === 'base58' ? 'encodeBase58(signature)' : `signature.toString("${encoding}")`;
    return nodeCommand(
      `import { createPrivateKey, sign } from "node:crypto";${encoding === 'base58' ? '\nimport { encodeBase58 } from "ethers";' : ''}
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
console.log(sign("sha256", ${bytes}, ${formatPrivateKey(example.key)}).toString("${encoding}"));`,
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
function secretExpression({ key }: VenueVector, decoding: SecretDecoding = 'utf8'): string {
  const text = JSON.stringify(getKeyText(key));
  if (decoding === 'base64-text') return `Buffer.from(${text}).toString("base64")`;
  return `Buffer.from(${text}, "${decoding}")`;
}

/**
 * Prints the token: computed again, or for ES256, where OpenSSL's nonces are random, if its
 * signature verifies.
 */
function tokenCommand(algorithm: Algorithm, example: VenueVector, decoding?: SecretDecoding): string {
  const { key, payload = '', signature } = example;
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
  const rows = listPresets().map((preset) => {
    const { name, venue, platform } = preset;
    return `| [\`${name}\`](#${name}) | ${venue} | \`${platform.payload.rule}\` | ${formatNames(Object.keys(platform.rules ?? {}))} | \`${platform.algorithms.join('`, `')}\` | \`${platform.payload.rule === 'jwt' ? 'jws-compact' : platform.encoding}\` | ${countOrigins(preset)} |`;
  });
  return [
    '| Preset | Venue | Rule | Named rules | Algorithm | Encoding | Vectors published by, or computed |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function formatNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

/** Origins of the vectors: `the venue 3, others 1, computed 4`. */
function countOrigins({ vectors }: VenuePreset): string {
  const kinds = vectors.map(({ source }) => source.kind);
  const official = kinds.filter((kind) => kind.startsWith('official')).length;
  const computed = kinds.filter((kind) => kind.startsWith('computed')).length;
  const counts = { 'the venue': official, others: kinds.length - official - computed, computed };
  return Object.entries(counts)
    .flatMap(([origin, count]) => (count === 0 ? [] : [`${origin} ${count}`]))
    .join(', ');
}

/**
 * Which vectors come from where, of a preset or one of its named rules: the venue's own first, then
 * other published ones, then computed ones.
 */
function vectorTable({ name, vectors: all }: VenuePreset, rule?: string): readonly string[] {
  const vectors = all.filter((vector) => vector.rule === rule);
  const kinds = [...new Set(vectors.map(({ source }) => source.kind))].sort(byOrigin);
  return [
    '| Source of vectors | Vectors |',
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

function policyLines(preset: VenuePreset): readonly string[] {
  const names = listVenuePolicyNames(preset).map((name) => `\`${name}\``);
  if (names.length === 0) return [];
  const links = (preset.policies?.docs ?? []).map((url, index) => `[${index + 1}](${url})`);
  return [
    `- [Policies](../operators/policies.md#ready-made-policies): ${names.join(', ')}; requests documented at ${links.join(', ')}.`,
  ];
}

function section(preset: VenuePreset): string {
  const { name, platform, keyFile, keyFormat, values } = preset;
  const format = keyFormat === undefined ? '' : ` (\`--key-format ${keyFormat}\`)`;
  const facts = [
    `- Key file: ${keyFile}${format}.`,
    ...Object.entries(values ?? {}).map(([value, meaning]) => `- \`--value ${value}=…\`: ${meaning}.`),
    ...policyLines(preset),
  ];
  return listPresetRules(preset)
    .flatMap((rule) =>
      rule.name === undefined
        ? ruleLines(`## ${name}`, preset, rule, platform, facts)
        : ruleLines(`### ${name}, rule ${rule.name}`, preset, rule, rule.rule, []),
    )
    .join('\n');
}

function ruleLines(
  heading: string,
  preset: VenuePreset,
  rule: PresetRule,
  options: object,
  facts: readonly string[],
): readonly string[] {
  const { venue, docs, notes, name } = rule;
  return [
    heading,
    '',
    `${venue}: [venue documentation](${docs}).`,
    '',
    fenced('json', JSON.stringify(options)),
    '',
    ...facts,
    ...notes.map((note) => `- ${note}`),
    '',
    ...vectorTable(preset, name),
    ...exampleLines(preset, rule),
  ];
}

function exampleLines(preset: VenuePreset, rule: PresetRule): readonly string[] {
  const { values, source, data, payload, payloadHex, algorithm, signature } = rule.example;
  const ownValues = Object.entries(values ?? {}).map(([value, text]) => `\`${value}=${text}\``);
  const origin = source.kind.startsWith('computed')
    ? `${source.kind}, [source](${source.url})`
    : `[source](${source.url})`;
  return [
    `Example (${origin})${ownValues.length === 0 ? '' : ` with ${ownValues.join(', ')}`}. \`data\` of the request:`,
    '',
    fenced('json', JSON.stringify(data)),
    '',
    `Payload${payload === undefined ? ', hexadecimal' : ''}:`,
    '',
    fenced('text', printable(payload ?? payloadHex ?? '')),
    '',
    `Signature \`${signature}\`, ${algorithm === 'es256' ? 'verified' : 'recomputed'} by`,
    '',
    fenced('sh', checkCommand(preset, rule)),
    '',
  ];
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
