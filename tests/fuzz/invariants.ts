import { createReadStream } from 'node:fs';
import { REFUSALS } from '../../src/adapters/http/refusals.ts';
import { isEd25519Signature, isPersonalSignature } from '../contracts/independent-verification.ts';
import { signatureBytes } from '../contracts/signature-bytes.ts';
import type { Transcript } from './connection.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { type Response, type Responses, responsesTo } from './responses.ts';

const CONTENT_TYPE = 'application/json; charset=utf-8';
/** Stack frames and program paths, which no response may contain. */
const STACK = /\bat (?:async )?[\w.<>]+ \(|node:internal|node_modules|\.[jt]s:\d+:\d+/;
/** Fields of responses to callers; escaped input cannot match. */
const OF_CALLERS = /"signature":"|"publicKey":"|"usage":\{"totalSigns"|"valid":(?:true|false)/;
/** Fields of reload and status. */
const OF_OPERATORS = /"reloadedAt":|"uptime":/;
/** Precedes the service's own public key in the status; no account key follows. */
const OWN_KEY = '"authentication":{"mode":"optional","publicKey":"';
/** Internal errors, which no input may cause. NOT_READY may be due to a busy disk. */
const OWN_FAULTS: ReadonlySet<string> = new Set(['SIGNATURE_FAILED', 'CONFIG_LOAD_FAILED', 'INTERNAL_ERROR']);

/** Checks the service's reaction to a case; returns what is wrong, or null. */
export function findViolation(one: FuzzCase, transcript: Transcript): string | null {
  const { received, end } = transcript;
  const read = responsesTo(one, transcript);
  const { responses } = read;
  if (one.way === 'below TLS') return findBelowTlsError(received, end);
  if (end === 'hung') return `silent for ${one.silenceMs} ms; ${responses.length} responses came`;
  if (end === 'refused') return 'the connection was refused';
  if (responses.length > one.most) return `${responses.length} responses came to ${one.most} requests`;
  for (const response of responses) {
    const error = findResponseError(response, one);
    if (error !== null) return `${error}: ${shown(response)}`;
  }
  return (
    findFramingError(one, read, end) ?? findRefusalError(one, responses, end) ?? findTextError(one, responses, end)
  );
}

function findBelowTlsError(received: Buffer, end: Transcript['end']): string | null {
  if (end === 'hung') return 'the connection stayed open';
  return received.includes('HTTP/1.1') ? 'HTTP came from below TLS' : null;
}

function findFramingError(one: FuzzCase, { rest, error }: Responses, end: Transcript['end']): string | null {
  if (error !== null) return `what came ${error}`;
  const isCutOff = rest.length > 0 && !one.mayBeTruncated && one.ending !== 'reset' && end === 'closed';
  return isCutOff ? `a response was cut off: ${rest.toString('latin1', 0, 200)}` : null;
}

function findRefusalError(one: FuzzCase, responses: readonly Response[], end: Transcript['end']): string | null {
  if (!one.isRefused) return null;
  const accepted = responses.find(({ status }) => status < 400);
  if (accepted !== undefined) return `an ambiguous request was answered with ${accepted.status}`;
  return end === 'closed' || one.ending === 'reset' ? null : 'the connection of an ambiguous request stayed open';
}

/** Every expected text is in its response. */
function findTextError(one: FuzzCase, responses: readonly Response[], end: Transcript['end']): string | null {
  for (const [place, text] of one.texts.entries()) {
    const response = responses[place];
    if (response === undefined) break;
    const isOverloaded = one.mayOverload && response.status === REFUSALS.Overloaded.status;
    if (text === null || isOverloaded || response.body.includes(text)) continue;
    if (response.status === 400 && one.mayBeTruncated && place === responses.length - 1) continue;
    return `response ${place + 1} lacks ${text}: ${shown(response)}`;
  }
  const isKnown = one.texts.length > 0 && one.ending !== 'reset';
  return isKnown && responses.length < one.least
    ? `${responses.length} of ${one.least} requests were answered (${end})`
    : null;
}

function findResponseError(response: Response, one: FuzzCase): string | null {
  const { status, headers, body } = response;
  if (headers.get('content-type') !== CONTENT_TYPE) return `content type ${headers.get('content-type')}`;
  if (headers.get('cache-control') !== 'no-store') return 'may be stored';
  if (headers.has('x-injected')) return 'a header was injected';
  if (body === '') return status < 500 ? null : `status ${status}`;
  if (STACK.test(body)) return 'shows a stack';
  const content = parse(body);
  if (content === undefined) return 'is no JSON';
  const gain = findForbiddenContent(body, one);
  if (gain !== null) return gain;
  if (content.success === true) return findSuccessError(status, content, one);
  return findEnvelopeError(response, content, one);
}

/** Listeners return only their own content, and none to callers without permissions. */
function findForbiddenContent(body: string, { way, isAdmin, isDenied }: FuzzCase): string | null {
  if (way !== 'https') return null;
  const isCallerContent = OF_CALLERS.test(isDenied ? body : body.replace(OWN_KEY, ''));
  if ((isDenied || isAdmin) && isCallerContent) return 'gives away what is for other callers';
  return (isDenied || !isAdmin) && OF_OPERATORS.test(body) ? 'gives away what is for operators' : null;
}

interface Envelope {
  readonly success?: unknown;
  readonly data?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly details?: unknown };
}

function findSuccessError(status: number, content: Envelope, one: FuzzCase): string | null {
  if (status !== 200) return `success with status ${status}`;
  if (Object.keys(content).join() !== 'success,data') return 'is no envelope';
  return findSignatureError(content.data, one);
}

function findEnvelopeError({ status, headers }: Response, content: Envelope, one: FuzzCase): string | null {
  const { error } = content;
  if (Object.keys(content).join() !== 'success,error' || content.success !== false) return 'is no envelope';
  if (Object.keys(error ?? {}).join() !== 'code,message,details') return 'is no error of the envelope';
  if (typeof error?.message !== 'string' || typeof error.details !== 'object') return 'is no error of the envelope';
  const code = String(error.code);
  const isKnown = Object.values(REFUSALS).some((row) => row.code === code && row.status === status);
  if (!isKnown) return `${code} with status ${status}`;
  if (OWN_FAULTS.has(code)) return `${code} came of input`;
  if (code !== 'OVERLOADED') return null;
  if (!one.mayOverload) return 'OVERLOADED without a flood';
  return headers.has('retry-after') ? null : 'OVERLOADED without Retry-After';
}

function parse(body: string): Envelope | undefined {
  try {
    const content = JSON.parse(body);
    return typeof content === 'object' && content !== null ? content : undefined;
  } catch {
    return undefined;
  }
}

function shown({ status, body }: Response): string {
  return `${status} ${JSON.stringify(body.slice(0, 300))}`;
}

/** Share of verified signatures: ethers is slower than the service. */
const EVERY = 8;

let seen = 0;

interface Signed {
  readonly signature?: string;
  readonly algorithm?: string;
  readonly publicKey?: string;
  readonly payload?: string;
  readonly payloadEncoding?: 'hex' | 'base64';
}

/** Verifies a signature with OpenSSL or ethers; null for other data. */
export function findSignatureError(data: unknown, { kind }: FuzzCase): string | null {
  const { signature, algorithm, publicKey, payload, payloadEncoding } = (data ?? {}) as Signed;
  if (signature === undefined || payload === undefined || publicKey === undefined) return null;
  seen += 1;
  if (seen % EVERY !== 0) return null;
  const message = Buffer.from(payload, payloadEncoding ?? 'utf8');
  if (algorithm === 'ed25519') {
    return isEd25519Signature(publicKey, message, signatureBytes(signature, 'base58'))
      ? null
      : `${kind}: wrong signature`;
  }
  if (algorithm !== 'eip191') return null;
  return isPersonalSignature(publicKey, message, signatureBytes(signature, 'hex')) ? null : `${kind}: wrong signature`;
}

/** Line ends and terminal controls, which a line must escape. */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const KNOWN_LEVELS: ReadonlySet<unknown> = new Set(['info', 'warn', 'error']);

/** Checks a line of the service log or audit file; returns what is wrong, or null. */
export function findLineError(line: string): string | null {
  if (UNSAFE_CHARACTERS.test(line)) return 'has a control character';
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'is no JSON object';
  } catch {
    return 'is no JSON';
  }
}

/** Checks the service log line by line and keeps the first errors. */
export class LogMonitor {
  readonly #errors: string[] = [];

  /** At most five, with their lines. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  read(line: string): void {
    const error = findLineError(line) ?? findEventError(JSON.parse(line));
    if (error !== null && this.#errors.length < 5) this.#errors.push(`a log line ${error}: ${line.slice(0, 1000)}`);
  }
}

function findEventError({
  level,
  message,
  facts,
}: {
  level?: unknown;
  message?: unknown;
  facts?: unknown;
}): string | null {
  if (!KNOWN_LEVELS.has(level) || typeof message !== 'string') return 'is no event of the service';
  if (level === 'error') return 'tells of an error';
  return JSON.stringify(facts ?? {}).includes('"stack"') ? 'has a stack' : null;
}

/** The first error of a file, by {@link findLineError}; null if it has none. */
export async function findFileError(path: string): Promise<string | null> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    // Splits at line feeds only: other line ends are errors.
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    const wrong = lines.find((line) => findLineError(line) !== null);
    if (wrong !== undefined) return `a line of ${path} ${findLineError(wrong)}: ${wrong.slice(0, 500)}`;
  }
  return rest === '' ? null : `${path} ends within a line`;
}
