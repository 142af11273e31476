import { NodeHasher } from '../../src/adapters/node/node-hasher.ts';
import { EthersTypedDataEncoder } from '../../src/adapters/signing/ethers-typed-data-encoder.ts';
import { ScureStarknetTypedDataEncoder } from '../../src/adapters/signing/starknet-typed-data-encoder.ts';
import { loadSigners } from '../../src/app/load-signer.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { findRule, signatureEncoding } from '../../src/domain/model/platform.ts';
import { toReleasedText, toSignerEncoding } from '../../src/domain/model/text/signature-form.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { findPreset } from '../../src/domain/presets/venue-presets.ts';
import { readSentRequest } from './read-sent-request.ts';
import type { SdkRecord } from './sdk-record.ts';
import { RepeatedNameError } from './sent-request-parts.ts';
import { toKey } from './test-keys.ts';
import { compareTokens, describeToken, type TokenResult } from './token-comparison.ts';

const SIGNERS = await loadSigners();

/** Result of a comparison, with the texts if they differ. */
export interface Comparison {
  readonly result: ParityResult;
  /** Signing request that gives the same signature. */
  readonly data?: JsonObject;
  readonly payload?: string;
  readonly signature?: string;
  /** What the client signed and what the preset signs, or the refusal. */
  readonly details: readonly string[];
}

/**
 * - `same`: text and signature are equal, with the parameters as an object
 * - `same as text`: they are equal with the parameters as text, as the client sent them
 * - `same text`: the client signs the same text with another algorithm
 * - `same token`, `same members`, `same claims`: see {@link TokenResult}
 * - `refused`: the service rejects the request
 */
export type ParityResult = 'same' | 'same as text' | 'same text' | TokenResult | 'differs' | 'refused' | 'not recorded';

/** Signs what a client signed by the preset's rule. */
export function compareRecord(record: SdkRecord): Comparison {
  const { preset, rule, request, signed = [], problem = 'no request' } = record;
  if (request === undefined) return { result: 'not recorded', details: [problem] };
  try {
    const view = readSentRequest(preset, rule, request);
    const asObject = signAs(record, view.data);
    if (isSame(asObject, view.signature, signed)) return toComparison('same', asObject, view.data);
    if (view.asText !== undefined) {
      const asText = signAs(record, view.asText);
      if (isSame(asText, view.signature, signed)) return toComparison('same as text', asText, view.asText);
    }
    if (isSameText(asObject, signed)) return toComparison('same text', asObject, view.data);
    const token = compareTokens(asObject.signature ?? '', view.signature);
    if (token !== undefined) return toComparison(token, asObject, view.data);
    return describeDifference(asObject, view.signature, signed);
  } catch (error) {
    if (error instanceof RepeatedNameError) return { result: 'refused', details: [error.message] };
    throw error;
  }
}

function describeDifference(own: OwnSignature, expected: string, signed: readonly string[]): Comparison {
  const theirs = signed.map((hex) => JSON.stringify(Buffer.from(hex, 'hex').toString()));
  const token = describeToken(expected);
  const details = (token === undefined ? theirs : [token]).map((text) => `client signs ${text}`);
  if (own.payload === undefined) return { result: 'refused', details: [...details, ...own.details] };
  const text = describeToken(own.signature ?? '') ?? JSON.stringify(own.payload);
  return { result: 'differs', details: [...details, `preset signs ${text}`] };
}

function toComparison(result: ParityResult, { payload, signature }: OwnSignature, data: JsonObject): Comparison {
  return { result, data, details: [], ...(payload && { payload }), ...(signature && { signature }) };
}

interface OwnSignature {
  readonly bytes?: Uint8Array;
  readonly payload?: string;
  readonly signature?: string;
  readonly details: readonly string[];
}

function isSame({ bytes, signature }: OwnSignature, expected: string, signed: readonly string[]): boolean {
  if (bytes === undefined || signature !== expected) return false;
  return signed.length === 0 || isSameText({ bytes }, signed);
}

function isSameText({ bytes }: { readonly bytes?: Uint8Array }, signed: readonly string[]): boolean {
  return bytes !== undefined && signed.includes(Buffer.from(bytes).toString('hex'));
}

function signAs({ preset, rule: ruleName, values = {} }: SdkRecord, data: JsonObject): OwnSignature {
  const found = findPreset(preset);
  if (found === undefined) throw new Error(`There is no preset ${preset}.`);
  const platform = { platformId: preset, ...found.platform };
  const rule = findRule(platform, ruleName);
  if (rule === undefined) throw new Error(`${preset} has no rule ${ruleName}.`);
  const algorithm = rule.algorithm ?? platform.algorithms[0];
  if (algorithm === undefined) throw new Error(`${preset} has no algorithm.`);
  const context = {
    hasher: new NodeHasher(),
    typedData: new EthersTypedDataEncoder(),
    starknet: new ScureStarknetTypedDataEncoder(),
    values,
    algorithm,
  };
  const outcome = buildPayload(data, rule, context);
  if (!outcome.ok) return { details: [`${outcome.refusal.path} ${outcome.refusal.message}`] };
  const { bytes, text } = outcome.value;
  const signer = SIGNERS[algorithm];
  const key = toKey(algorithm, platform.secretDecoding);
  const signingKey = Buffer.alloc(signer.signingKeyLength(key.length));
  signer.expand(key, signingKey);
  const form = signatureEncoding(platform, algorithm, rule);
  const signature = toReleasedText(form, signer.sign(signingKey, bytes, toSignerEncoding(form)), text);
  return { bytes, payload: text, signature, details: [] };
}
