import { STATUS_OF_CODE } from '../../src/adapters/driving/http/status-of-code.ts';
import type { Answer, Answers } from './answers.ts';
import { answersTo } from './answers-to.ts';
import type { FuzzCase } from './fuzz-case.ts';
import type { Transcript } from './play-case.ts';
import { signatureFault } from './signature-fault.ts';

const CONTENT_TYPE = 'application/json; charset=utf-8';
/** A frame of a stack, or a path of a program (no answer has either). */
const STACK = /\bat (?:async )?[\w.<>]+ \(|node:internal|node_modules|\.[jt]s:\d+:\d+/;
/** Fields of answers that sign, show or verify something; texts that were sent have their quotes escaped. */
const OF_CALLERS = /"signature":"|"publicKey":"|"usage":\{"totalSigns"|"valid":(?:true|false)/;
/** Fields of answers of reload and status. */
const OF_OPERATORS = /"reloadedAt":|"uptime":/;
/** Before the service's own public key, which the status shows to operators; none of an account stands behind it. */
const OWN_KEY = '"authentication":{"mode":"optional","publicKey":"';
/** Of the service itself: no input brings them about. NOT_READY may come of a disk that others keep busy. */
const OWN_FAULTS: ReadonlySet<string> = new Set(['SIGNATURE_FAILED', 'CONFIG_LOAD_FAILED', 'INTERNAL_ERROR']);

/** What is wrong with what the service made of a case; null when nothing is. */
export function faultOf(one: FuzzCase, transcript: Transcript): string | null {
  const { received, end } = transcript;
  const read = answersTo(one, transcript);
  const { answers } = read;
  if (one.way === 'below TLS') return belowTlsFault(received, end);
  if (end === 'hung') return `no end within ${one.limitMs} ms; ${answers.length} answers came`;
  if (end === 'refused') return 'the connection was refused';
  if (answers.length > one.most) return `${answers.length} answers came to ${one.most} requests`;
  for (const answer of answers) {
    const fault = answerFault(answer, one);
    if (fault !== null) return `${fault}: ${shown(answer)}`;
  }
  return framingFault(one, read, end) ?? refusalFault(one, answers, end) ?? textFault(one, answers, end);
}

function belowTlsFault(received: Buffer, end: Transcript['end']): string | null {
  if (end === 'hung') return 'the connection stayed open';
  return received.includes('HTTP/1.1') ? 'HTTP came from below TLS' : null;
}

function framingFault(one: FuzzCase, { rest, fault }: Answers, end: Transcript['end']): string | null {
  if (fault !== null) return `what came ${fault}`;
  const isCutOff = rest.length > 0 && !one.mayBeTorn && one.ending !== 'reset' && end === 'closed';
  return isCutOff ? `an answer was cut off: ${rest.toString('latin1', 0, 200)}` : null;
}

function refusalFault(one: FuzzCase, answers: readonly Answer[], end: Transcript['end']): string | null {
  if (!one.isRefused) return null;
  const accepted = answers.find(({ status }) => status < 400);
  if (accepted !== undefined) return `an ambiguous request was answered with ${accepted.status}`;
  return end === 'closed' || one.ending === 'reset' ? null : 'the connection of an ambiguous request stayed open';
}

/** What is known of the answers: each has its text, and none is missing. */
function textFault(one: FuzzCase, answers: readonly Answer[], end: Transcript['end']): string | null {
  for (const [place, text] of one.texts.entries()) {
    const answer = answers[place];
    if (answer === undefined) break;
    const isOverloaded = one.mayOverload && answer.status === STATUS_OF_CODE.OVERLOADED;
    if (text === null || isOverloaded || answer.body.includes(text)) continue;
    if (answer.status === 400 && one.mayBeTorn && place === answers.length - 1) continue;
    return `answer ${place + 1} lacks ${text}: ${shown(answer)}`;
  }
  const isKnown = one.texts.length > 0 && one.ending !== 'reset';
  return isKnown && answers.length < one.least
    ? `${answers.length} of ${one.least} requests were answered (${end})`
    : null;
}

function answerFault(answer: Answer, one: FuzzCase): string | null {
  const { status, headers, body } = answer;
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
  return errorFault(answer, content, one);
}

/** What is for callers alone, or for operators, is not at the other's listener; and neither is for whoever may have nothing. */
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

function errorFault({ status, headers }: Answer, content: Envelope, one: FuzzCase): string | null {
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

function shown({ status, body }: Answer): string {
  return `${status} ${JSON.stringify(body.slice(0, 300))}`;
}
