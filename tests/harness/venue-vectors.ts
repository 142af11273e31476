import { createPrivateKey, type KeyObject } from 'node:crypto';
import { findPreset } from '../../src/adapters/venues/venue-files.ts';
import type { PublishedKey, VenuePreset, VenueVector } from '../../src/adapters/venues/venue-schema.ts';
import { loadSigners } from '../../src/app/load-signer.ts';
import type { SecretDecoding } from '../../src/domain/model/account.ts';
import { toReleasedText, toSignerEncoding } from '../../src/domain/model/algorithm.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import type { Payload, PayloadRule } from '../../src/domain/model/payload.ts';
import { type NamedRule, type Platform, signatureEncoding } from '../../src/domain/model/platform.ts';
import { getTemplates } from '../../src/domain/payload/payload-rules.ts';
import { getSignedMembers } from '../../src/domain/payload/unsigned-fields.ts';

const SIGNERS = await loadSigners();

/** The preset of that name, which must exist. */
export function presetOf(name: string): VenuePreset {
  const preset = findPreset(name);
  if (preset === undefined) throw new Error(`There is no preset ${name}.`);
  return preset;
}

/** A published key, ready to sign. */
export function openKey(
  { secretDecoding }: Pick<Platform, 'secretDecoding'>,
  { algorithm, key }: Pick<VenueVector, 'algorithm' | 'key'>,
) {
  const signer = SIGNERS[algorithm];
  const privateKey = keyBytes(key, secretDecoding);
  const signingKey = Buffer.alloc(signer.signingKeyLength ?? privateKey.length);
  signer.expand(privateKey, signingKey);
  return { signer, signingKey };
}

/** An account for each key and set of values in a preset's vectors, with its own vectors. */
export function accountsOf({ vectors }: Pick<VenuePreset, 'vectors'>) {
  const identify = ({ key, values }: VenueVector) => JSON.stringify([key, values]);
  const firsts = vectors.filter((one, at) => vectors.findIndex((other) => identify(other) === identify(one)) === at);
  return firsts.map((first, index) => {
    const own = vectors.filter((vector) => identify(vector) === identify(first));
    return { accountId: `account-${index}`, key: first.key, values: first.values, own };
  });
}

/** The signature of a payload by a published key, as released. */
export function signPayload(
  platform: Omit<Platform, 'platformId'>,
  rule: NamedRule,
  { algorithm, key }: Pick<VenueVector, 'algorithm' | 'key'>,
  { bytes, text }: Pick<Payload, 'bytes' | 'text'>,
): string {
  const { signer, signingKey } = openKey(platform, { algorithm, key });
  const form = signatureEncoding({ platformId: 'venue', ...platform }, algorithm, rule);
  return toReleasedText(form, signer.sign(signingKey, bytes, toSignerEncoding(form)), text);
}

/** Decodes a published key with Node. */
export function keyBytes(key: PublishedKey, decoding: SecretDecoding = 'utf8'): Buffer {
  if ('hex' in key) return Buffer.from(key.hex, 'hex');
  if ('pem' in key) return privateKeyBytes(createPrivateKey(key.pem));
  if (decoding === 'base64-text') return Buffer.from(Buffer.from(key.text).toString('base64'));
  return Buffer.from(key.text, decoding);
}

/** Characters that percent-encoding changes, with their names. */
const ENCODED_CHARACTERS: readonly (readonly [kind: string, characters: RegExp])[] = [
  ['reserved', /[^A-Za-z0-9._~\u0080-\u{10ffff}-]/u],
  ['non-ASCII', /[^\p{ASCII}]/u],
];

/**
 * Kinds of these that no vector has in its parameters; empty for a rule without parameters.
 * @param vectors those of this rule
 */
export function findUncoveredCharacters(rule: PayloadRule, vectors: readonly VenueVector[]): readonly string[] {
  const signed = getSignedMembers(rule) ?? [];
  const isForm = getTemplates(rule).length === 0 || String(rule['body']).startsWith('form');
  const names = ['params', 'query', ...(isForm ? ['body'] : [])];
  const texts = vectors.flatMap(({ data }) => listParameters(data, names));
  if (!names.some((name) => signed.includes(name)) && texts.length === 0) return [];
  return ENCODED_CHARACTERS.flatMap(([kind, characters]) =>
    texts.some((text) => characters.test(text)) ? [] : [kind],
  );
}

/** Values in these members, and in the path's query. */
function listParameters({ path, ...data }: JsonObject, names: readonly string[]): readonly string[] {
  const inPath = typeof path === 'string' ? path.split('?')[1] : undefined;
  return [inPath, ...names.map((name) => data[name])].flatMap((given) => {
    if (typeof given === 'string') return [...new URLSearchParams(given).values()];
    return typeof given === 'object' && given !== null ? Object.values(given).map(String) : [];
  });
}

/** The private key at rest: RSAPrivateKey in DER, or the seed or scalar. */
function privateKeyBytes(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'rsa') return key.export({ format: 'der', type: 'pkcs1' });
  return Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
}
