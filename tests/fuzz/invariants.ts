import { createReadStream } from 'node:fs';
import { STATUS_OF_CODE } from '../../src/adapters/driving/http/http-refusal.ts';
import { isEd25519Signature, isPersonalSignature } from '../contracts/independent-verification.ts';
import { signatureBytes } from '../contracts/signature-bytes.ts';
import type { Transcript } from './connection.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { type Response, type Responses, responsesTo } from './responses.ts';

const CONTENT_TYPE = 'application/json; charset=utf-8';
/** A frame of a stack, or a path of a program (no response has either). */
const STACK = /\bat (?:async )?[\w.<>]+ \(|node:internal|node_modules|\.[jt]s:\d+:\d+/;
/**
 * Fields of responses that sign, show or verify something; texts that were sent have their quotes
 * escaped.
 */
const OF_CALLERS = /"signature":"|"publicKey":"|"usage":\{"totalSigns"|"valid":(?:true|false)/;
/** Fields of responses of reload and status. */
const OF_OPERATORS = /"reloadedAt":|"uptime":/;
/**
 * Before the service's own public key, which the status shows to operators; none of an account
 * stands behind it.
 */
const OWN_KEY = '"authentication":{"mode":"optional","publicKey":"';
/**
 * Of the service itself: no input brings them about. NOT_READY may come of a disk that others keep
 * busy.
 */
const OWN_FAULTS: ReadonlySet<string> = new Set(['SIGNATURE_FAILED', 'CONFIG_LOAD_FAILED', 'INTERNAL_ERROR']);

/** What is wrong with what the service made of a case; null when nothing is. */
export function faultOf(one: FuzzCase, transcript: Transcript): string | null {
  const { received, end } = transcript;
  const read = responsesTo(one, transcript);
  const { responses } = read;
  if (one.way === 'below TLS') return belowTlsFault(received, end);
  if (end === 'hung') return `no end within ${one.limitMs} ms; ${responses.length} responses came`;
  if (end === 'refused') return 'the connection was refused';
  if (responses.length > one.most) return `${responses.length} responses came to ${one.most} requests`;
  for (const response of responses) {
    const fault = responseFault(response, one);
    if (fault !== null) return `${fault}: ${shown(response)}`;
  }
  return framingFault(one, read, end) ?? refusalFault(one, responses, end) ?? textFault(one, responses, end);
}

function belowTlsFault(received: Buffer, end: Transcript['end']): string | null {
  if (end === 'hung') return 'the connection stayed open';
  return received.includes('HTTP/1.1') ? 'HTTP came from below TLS' : null;
}

function framingFault(one: FuzzCase, { rest, fault }: Responses, end: Transcript['end']): string | null {
  if (fault !== null) return `what came ${fault}`;
  const isCutOff = rest.length > 0 && !one.mayBeTorn && one.ending !== 'reset' && end === 'closed';
  return isCutOff ? `a response was cut off: ${rest.toString('latin1', 0, 200)}` : null;
}

function refusalFault(one: FuzzCase, responses: readonly Response[], end: Transcript['end']): string | null {
  if (!one.isRefused) return null;
  const accepted = responses.find(({ status }) => status < 400);
  if (accepted !== undefined) return `an ambiguous request was answered with ${accepted.status}`;
  return end === 'closed' || one.ending === 'reset' ? null : 'the connection of an ambiguous request stayed open';
}

/** What is known of the responses: each has its text, and none is missing. */
function textFault(one: FuzzCase, responses: readonly Response[], end: Transcript['end']): string | null {
  for (const [place, text] of one.texts.entries()) {
    const response = responses[place];
    if (response === undefined) break;
    const isOverloaded = one.mayOverload && response.status === STATUS_OF_CODE.OVERLOADED;
    if (text === null || isOverloaded || response.body.includes(text)) continue;
    if (response.status === 400 && one.mayBeTorn && place === responses.length - 1) continue;
    return `response ${place + 1} lacks ${text}: ${shown(response)}`;
  }
  const isKnown = one.texts.length > 0 && one.ending !== 'reset';
  return isKnown && responses.length < one.least
    ? `${responses.length} of ${one.least} requests were answered (${end})`
    : null;
}

function responseFault(response: Response, one: FuzzCase): string | null {
  const { status, headers, body } = response;
  if (headers.get('content-type') !== CONTENT_TYPE) return `content type ${headers.get('content-type')}`;
  if (headers.get('cache-control') !== 'no-store') return 'may be stored';
  if (headers.has('x-injected')) return 'a header was injected';
  if (body === '') return status < 500 ? null : `status ${status}`;
  if (STACK.test(body)) return 'shows a stack';
  const content = parse(body);
  if (content === undefined) return 'is no JSON';
  const gain = gainFault(body, one);
  if (gain !== null) return gain;
  if (content.success === true) return successFault(status, content, one);
  return errorFault(response, content, one);
}

/**
 * What is for callers alone, or for operators, is not at the other's listener; and neither is for
 * whoever may have nothing.
 */
function gainFault(body: string, { way, isAdmin, isDenied }: FuzzCase): string | null {
  if (way !== 'https') return null;
  const isOfCallers = OF_CALLERS.test(isDenied ? body : body.replace(OWN_KEY, ''));
  if ((isDenied || isAdmin) && isOfCallers) return 'gives away what is for other callers';
  return (isDenied || !isAdmin) && OF_OPERATORS.test(body) ? 'gives away what is for operators' : null;
}

interface Envelope {
  readonly success?: unknown;
  readonly data?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown; readonly details?: unknown };
}

function successFault(status: number, content: Envelope, one: FuzzCase): string | null {
  if (status !== 200) return `success with status ${status}`;
  if (Object.keys(content).join() !== 'success,data') return 'is no envelope';
  return signatureFault(content.data, one);
}

function errorFault({ status, headers }: Response, content: Envelope, one: FuzzCase): string | null {
  const { error } = content;
  if (Object.keys(content).join() !== 'success,error' || content.success !== false) return 'is no envelope';
  if (Object.keys(error ?? {}).join() !== 'code,message,details') return 'is no error of the envelope';
  if (typeof error?.message !== 'string' || typeof error.details !== 'object') return 'is no error of the envelope';
  const code = String(error.code);
  if ((STATUS_OF_CODE as { readonly [code: string]: number })[code] !== status) return `${code} with status ${status}`;
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

/** One in so many is verified: ethers takes longer for it than the service for the signature. */
const EVERY = 8;

let seen = 0;

interface Signed {
  readonly signature?: string;
  readonly algorithm?: string;
  readonly publicKey?: string;
  readonly payload?: string;
  readonly payloadEncoding?: 'hex' | 'base64';
}

/**
 * What OpenSSL and ethers find wrong with a signature that came with its payload; null for data
 * that is none.
 */
export function signatureFault(data: unknown, { kind }: FuzzCase): string | null {
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

/**
 * Characters that end a line for some reader, or steer a terminal: none stands in a line as it is.
 */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const KNOWN_LEVELS: ReadonlySet<unknown> = new Set(['info', 'warn', 'error']);

/** What is wrong with one line of the service log, or of the audit record; null when nothing is. */
export function lineFault(line: string): string | null {
  if (UNSAFE_CHARACTERS.test(line)) return 'has a control character';
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : 'is no JSON object';
  } catch {
    return 'is no JSON';
  }
}

/** Reads the service log line by line and keeps the first faults. */
export class LogFaults {
  readonly #faults: string[] = [];

  /** The first five, each with its line. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  read(line: string): void {
    const fault = lineFault(line) ?? eventFault(JSON.parse(line));
    if (fault !== null && this.#faults.length < 5) this.#faults.push(`a log line ${fault}: ${line.slice(0, 1000)}`);
  }
}

function eventFault({ level, message, facts }: { level?: unknown; message?: unknown; facts?: unknown }): string | null {
  if (!KNOWN_LEVELS.has(level) || typeof message !== 'string') return 'is no event of the service';
  if (level === 'error') return 'tells of an error';
  return JSON.stringify(facts ?? {}).includes('"stack"') ? 'has a stack' : null;
}

/**
 * What is wrong with the first line of a file that is not as it should be, as {@link lineFault}
 * says it; null when all are.
 */
export async function fileFault(path: string): Promise<string | null> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    // By line feeds alone: whatever else ends a line for some reader is a fault.
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    const wrong = lines.find((line) => lineFault(line) !== null);
    if (wrong !== undefined) return `a line of ${path} ${lineFault(wrong)}: ${wrong.slice(0, 500)}`;
  }
  return rest === '' ? null : `${path} ends within a line`;
}
