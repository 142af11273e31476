import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { SecretDecoding } from '../../src/domain/model/account.ts';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import type { PayloadParts } from '../../src/domain/model/payload.ts';
import type { FixedValues, PayloadRule } from '../../src/domain/model/payload-rule.ts';
import type { PublishedKey, VenuePreset } from '../../src/domain/presets/venue-preset.ts';
import { listPresetRules } from '../../src/domain/presets/venue-presets.ts';
import { projectUrl, readProjectFile } from '../project-root.ts';

/** A venue's signature: published, or computed with another client (`source.kind`). */
export interface VenueVector {
  readonly id: string;
  /** Source of key, signed content and signature. */
  readonly source: { readonly kind: string; readonly repo?: string; readonly url?: string };
  /** Named rule of the preset; absent: its default rule. */
  readonly rule?: string;
  readonly algorithm: Algorithm;
  readonly key: PublishedKey;
  readonly values?: FixedValues;
  readonly data: JsonObject;
  readonly payload?: string;
  readonly payloadHex?: string;
  readonly signature: string;
  readonly parts?: PayloadParts;
}

const FOLDER = projectUrl('tests/vectors/venues/');

/** Vector files, named for their presets. */
export function vectorFileNames(): readonly string[] {
  return readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));
}

/** Signatures for a preset. */
export function vectorsOf(preset: string): readonly VenueVector[] {
  return JSON.parse(readProjectFile(`tests/vectors/venues/${preset}.json`)).vectors;
}

/** Signatures for a preset, with those of its rules that have a preset of their own. */
export function allVectorsOf(preset: VenuePreset): readonly VenueVector[] {
  const ofAliases = listPresetRules(preset).flatMap(({ name, alias }) =>
    alias === null ? [] : vectorsOf(alias).map((vector) => ({ ...vector, rule: name })),
  );
  return [...vectorsOf(preset.name), ...ofAliases];
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
  const texts = vectors.flatMap(({ data }) => listParameters(data, rule));
  if (!signsParameters(rule) && texts.length === 0) return [];
  return ENCODED_CHARACTERS.flatMap(([kind, characters]) =>
    texts.some((text) => characters.test(text)) ? [] : [kind],
  );
}

/** By the rule itself, or by a template of any of its options. */
function signsParameters(rule: PayloadRule): boolean {
  if (['query', 'kraken', 'backpack', 'kraken-futures', 'concat-sorted'].includes(rule.rule)) return true;
  if (rule.rule === 'jwt') return rule.queryHash !== undefined;
  return Object.values(rule).some((option) => typeof option === 'string' && /\{\??query\}/.test(option));
}

/** Values of `params`, `query`, the path's query and form bodies. */
function listParameters({ params, query, path, body }: JsonObject, rule: PayloadRule): readonly string[] {
  const inPath = typeof path === 'string' ? path.split('?')[1] : undefined;
  const isForm = rule.rule.startsWith('kraken') || (rule.rule === 'prehash' && rule.body?.startsWith('form'));
  return [params, query, inPath, isForm ? body : undefined].flatMap((given) => {
    if (typeof given === 'string') return [...new URLSearchParams(given).values()];
    return typeof given === 'object' && given !== null ? Object.values(given).map(String) : [];
  });
}

/** The private key at rest: RSAPrivateKey in DER, or the seed or scalar. */
function privateKeyBytes(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'rsa') return key.export({ format: 'der', type: 'pkcs1' });
  return Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
}
