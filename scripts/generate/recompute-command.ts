import type { PresetRule } from '../../src/adapters/venues/venue-files.ts';
import type { PublishedKey, VenuePreset, VenueVector } from '../../src/adapters/venues/venue-schema.ts';
import type { SecretDecoding } from '../../src/domain/model/account.ts';
import { type Algorithm, isEthereumAlgorithm, type SignatureEncoding } from '../../src/domain/model/algorithm.ts';

/** PKCS#8 prefix of a 32-byte Ed25519 key (RFC 8410 §7), hex. */
const ED25519_PKCS8 = '302e020100300506032b657004220420';

/** Shell command that reproduces the example's signature without code of this service. */
export function recomputeCommand({ platform }: VenuePreset, { rule, example }: PresetRule): string {
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
  if (!isEthereumAlgorithm(algorithm)) throw new Error(`No command verifies ${algorithm}: add one here.`);
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
