import { createHmac, createPrivateKey, createPublicKey, verify } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { findPreset } from '../../src/adapters/venues/venue-files.ts';
import { loadSigners } from '../../src/app/load-signer.ts';
import type { SecretDecoding } from '../../src/domain/model/account.ts';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { findRule, signatureEncoding } from '../../src/domain/model/platform.ts';
import { toReleasedText, toSignerEncoding } from '../../src/domain/model/text/signature-form.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../tests/doubles/payload-context.ts';
import { SDK_KEYS, type SdkRecord } from './clients.ts';
import { readSentRequest } from './read-sent-request.ts';

const SIGNERS = await loadSigners();

/**
 * - `same`: text and signature are equal, with the parameters as an object
 * - `same as text`: they are equal with the parameters as text, as the client sent them
 * - `same text`: the client signs the same text with another algorithm
 * - `same token`: the same token, signed with other random numbers
 * - `same claims`: a token with the same claims and another algorithm
 */
export type ParityResult =
  | ('same' | 'same as text' | 'same text' | 'same token' | 'same claims')
  | ('differs' | 'not recorded');

/** A record and the result of its comparison, with what both signed if they differ. */
export interface Comparison {
  readonly record: SdkRecord;
  readonly result: ParityResult;
  readonly details: string;
}

/** Signs by the preset's rule what a client signed. */
export function compareRecord(record: SdkRecord): Comparison {
  const { preset, rule, request, signed = [], problem = 'no request' } = record;
  if (request === undefined) return { record, result: 'not recorded', details: problem };
  const { data, asText, signature } = readSentRequest(preset, rule, request);
  const own = signAs(record, data);
  const isSameText = ({ bytes }: OwnSignature) => bytes !== undefined && signed.includes(bytes.toString('hex'));
  const isSame = (ours: OwnSignature) =>
    ours.text === signature && ours.bytes !== undefined && (signed.length === 0 || isSameText(ours));
  const result = (): ParityResult => {
    if (isSame(own)) return 'same';
    if (asText !== undefined && isSame(signAs(record, asText))) return 'same as text';
    if (isSameText(own)) return 'same text';
    return (own.bytes && compareTokens(own.text, signature)) ?? 'differs';
  };
  const theirs = signed.map((hex) => JSON.stringify(Buffer.from(hex, 'hex').toString())).join(' or ');
  const ours = own.bytes === undefined ? own.text : JSON.stringify(own.bytes.toString());
  return { record, result: result(), details: `client signs ${theirs || signature}, preset ${ours}` };
}

/** The signed bytes and the signature, or only why the request is refused. */
interface OwnSignature {
  readonly bytes?: Buffer;
  readonly text: string;
}

function signAs({ preset, rule: ruleName, values = {} }: SdkRecord, data: JsonObject): OwnSignature {
  const found = findPreset(preset);
  if (found === undefined) throw new Error(`There is no preset ${preset}.`);
  const platform = { platformId: preset, ...found.platform };
  const rule = findRule(platform, ruleName);
  const algorithm = rule?.algorithm ?? platform.algorithms[0];
  if (rule === undefined || algorithm === undefined) throw new Error(`${preset} has no rule ${ruleName}.`);
  const outcome = buildPayload(data, rule, payloadContext(values, algorithm));
  if (!outcome.ok) return { text: `refuses: ${outcome.refusal.path} ${outcome.refusal.message}` };
  const { bytes, text } = outcome.value;
  const signer = SIGNERS[algorithm];
  const key = toKey(algorithm, platform.secretDecoding);
  const signingKey = Buffer.alloc(signer.signingKeyLength(key.length));
  signer.expand(key, signingKey);
  const form = signatureEncoding(platform, algorithm, rule);
  const signature = toReleasedText(form, signer.sign(signingKey, bytes, toSignerEncoding(form)), text);
  return { bytes: Buffer.from(bytes), text: signature };
}

/** The test key for an algorithm, decoded as in a key file. */
function toKey(algorithm: Algorithm, secretDecoding: SecretDecoding | undefined): Buffer {
  if (algorithm === 'ed25519') return Buffer.from(SDK_KEYS.seed, 'hex');
  if (algorithm === 'rsa-sha256') return createPrivateKey(SDK_KEYS.rsaPem).export({ format: 'der', type: 'pkcs1' });
  if (!algorithm.startsWith('hmac-')) return Buffer.from(SDK_KEYS.ethereumKey, 'hex');
  if (secretDecoding === 'base64-text') return Buffer.from(Buffer.from(SDK_KEYS.secret).toString('base64'));
  const isBase64 = secretDecoding === 'base64' || secretDecoding === 'base64url';
  return isBase64 ? Buffer.from(SDK_KEYS.base64Secret, secretDecoding) : Buffer.from(SDK_KEYS.secret);
}

/** Compares tokens (RFC 7519); undefined if they differ or one has no valid signature. */
function compareTokens(ours: string, theirs: string): 'same token' | 'same claims' | undefined {
  const tokens = [ours, theirs].map((token) => token.split('.'));
  if (tokens.some((parts) => parts.length !== 3 || !isSigned(parts))) return undefined;
  const [[ownHeader, ownClaims], [header, claims]] = tokens.map((parts) => parts.slice(0, 2).map(decode)) as [
    [JsonObject, JsonObject],
    [JsonObject, JsonObject],
  ];
  if (!isDeepStrictEqual(ownClaims, claims)) return undefined;
  if (isDeepStrictEqual(ownHeader, header)) return 'same token';
  return isDeepStrictEqual({ ...header, alg: ownHeader['alg'] }, ownHeader) ? 'same claims' : undefined;
}

function decode(part: string): JsonObject {
  return JSON.parse(Buffer.from(part, 'base64url').toString());
}

/** Verifies by the token's own algorithm (RFC 7518 §3.1). */
function isSigned([header = '', claims = '', signature = '']: readonly string[]): boolean {
  const [data, bytes] = [Buffer.from(`${header}.${claims}`), Buffer.from(signature, 'base64url')];
  const { alg } = decode(header);
  if (alg === 'ES256') {
    const key = createPublicKey(SDK_KEYS.p256Pem);
    return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, bytes);
  }
  const hash = { HS256: 'sha256', HS512: 'sha512' }[String(alg)];
  return hash !== undefined && createHmac(hash, SDK_KEYS.secret).update(data).digest().equals(bytes);
}
