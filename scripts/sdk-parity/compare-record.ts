import { createHmac, createPublicKey, verify } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { findPreset } from '../../src/adapters/venues/venue-files.ts';
import type { PublishedKey } from '../../src/adapters/venues/venue-schema.ts';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import type { Payload } from '../../src/domain/model/payload.ts';
import { findRule, type NamedRule, type Platform } from '../../src/domain/model/platform.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { writeRequest } from '../../src/domain/payload/write-request.ts';
import { payloadContext } from '../../tests/doubles/payload-context.ts';
import { signPayload } from '../../tests/harness/venue-vectors.ts';
import { SDK_KEYS, type SdkRecord } from './clients.ts';
import { listDifferences } from './compare-request.ts';
import { type ReadRequest, readSentRequest } from './read-sent-request.ts';

/** A record and the result of its comparison, with what both signed or sent if they differ. */
export interface Comparison {
  readonly record: SdkRecord;
  /**
   * How the signature compares, behind it what differs in the request:
   *
   * - `same`: text and signature are equal, with the parameters as an object
   * - `same as text`: they are equal with the parameters as text, as the client sent them
   * - `same text`: the client signs the same text with another algorithm
   * - `same token`: the same token, signed with other random numbers
   * - `same claims`: a token with the same claims and another algorithm
   * - `same signature`: of `same`, where the request differs or there is none
   * - `differs`, `not read`, `not recorded`
   */
  readonly result: string;
  readonly details: string;
}

/** Signs by the preset's rule what a client signed, and compares what it sent. */
export function compareRecord(record: SdkRecord): Comparison {
  const { preset, rule: name, request, signature, signed = [], unsent = {}, problem } = record;
  const found = findPreset(preset);
  if (found === undefined) throw new Error(`There is no preset ${preset}.`);
  if (problem !== undefined) return { record, result: 'not recorded', details: problem };
  const platform = { platformId: preset, ...found.platform };
  const rule = findRule(platform, name);
  const send = name === undefined ? platform.send : rule?.send;
  if (rule === undefined || (request !== undefined && send === undefined)) {
    return { record, result: 'not read', details: 'no such rule, or it has no template' };
  }
  // Typed data that the client makes of what the rule takes.
  const members = 'primaryType' in unsent && !rule.rule.endsWith('typed-data') ? {} : unsent;
  let readings: readonly ReadRequest[] = [{ data: members, isText: false, values: {}, own: {}, signature: '' }];
  try {
    if (request && send) readings = readSentRequest(send, rule, request, members);
  } catch (error) {
    return { record, result: 'not read', details: error instanceof Error ? error.message : String(error) };
  }
  const attempts = readings.map((reading) => {
    const read = {
      ...reading,
      signature: signature ?? reading.signature,
      values: { ...reading.values, ...record.values },
    };
    const own = sign(platform, rule, read);
    return { read, own, result: compareSignatures(signed, read, own) };
  });
  const attempt =
    attempts.find(({ result }) => result !== 'differs') ?? attempts.find(({ own }) => own.payload) ?? attempts[0];
  if (attempt === undefined) throw new Error('There is no reading.');
  const { read, own, result } = attempt;
  if (result === 'differs' || own.payload === undefined) {
    const theirs = signed.map((hex) => JSON.stringify(Buffer.from(hex, 'hex').toString())).join(' or ');
    const ours = own.payload === undefined ? own.text : JSON.stringify(own.payload.text);
    return { record, result, details: `client signs ${theirs || read.signature}, preset ${ours}` };
  }
  if (request === undefined || send === undefined) {
    return { record, result: 'same signature, no request', details: '' };
  }
  const toSend = read.origin === undefined ? send : { ...send, origins: [read.origin] };
  const written = writeRequest(toSend, { ...read, rule, payload: own.payload });
  const differences = listDifferences(written, request, read.own);
  const kind = result === 'same' && differences.length > 0 ? 'same signature' : result;
  const details = `client sends ${JSON.stringify(request)}, preset ${JSON.stringify(written)}`;
  return { record, result: [kind, ...differences].join(', '), details };
}

function compareSignatures(signed: readonly string[], read: ReadRequest, { payload, text }: OwnSignature): string {
  if (payload === undefined) return 'differs';
  const isSameText = signed.includes(Buffer.from(payload.bytes).toString('hex'));
  if (text === read.signature && (isSameText || signed.length === 0)) return read.isText ? 'same as text' : 'same';
  return isSameText ? 'same text' : (compareTokens(text, read.signature) ?? 'differs');
}

/** The signed payload and the signature, or only why the request is refused. */
interface OwnSignature {
  readonly payload?: Payload;
  readonly text: string;
}

function sign(platform: Platform, rule: NamedRule, { data, values }: ReadRequest): OwnSignature {
  const algorithm = rule.algorithm ?? platform.algorithms[0];
  if (algorithm === undefined) throw new Error(`${platform.platformId} has no algorithm.`);
  const outcome = buildPayload(data, rule, payloadContext(values, algorithm));
  if (!outcome.ok) return { text: `refuses: ${outcome.refusal.path} ${outcome.refusal.message}` };
  const payload = outcome.value;
  return { payload, text: signPayload(platform, rule, { algorithm, key: keyOf(algorithm, platform) }, payload) };
}

/** The test key for an algorithm. */
function keyOf(algorithm: Algorithm, { secretDecoding = 'utf8' }: Platform): PublishedKey {
  if (algorithm === 'ed25519') return { hex: SDK_KEYS.seed };
  if (algorithm === 'rsa-sha256') return { pem: SDK_KEYS.rsaPem };
  if (!algorithm.startsWith('hmac-')) return { hex: SDK_KEYS.ethereumKey };
  return { text: ['base64', 'base64url'].includes(secretDecoding) ? SDK_KEYS.base64Secret : SDK_KEYS.secret };
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
