import type { WireAnswer } from './exchange.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import type { Refusal } from './service-error.ts';

/** What an answer says, or why it is none of the service's. */
export type EnvelopeOutcome =
  | { readonly kind: 'data'; readonly data: JsonObject }
  | { readonly kind: 'refusal'; readonly refusal: Refusal<string> }
  | { readonly kind: 'fault'; readonly message: string };

const JSON_TYPE = /^application\/json(?:;|$)/i;

const WHOLE_SECONDS = /^\d{1,9}$/;

/** Reads the envelope: `{"success":true,"data":{…}}` with status 200, or `{"success":false,"error":{…}}` with another. */
export function readEnvelope({ status, headers, body }: WireAnswer): EnvelopeOutcome {
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) return fault(`An answer with status ${status} is not JSON.`);
  const json = parse(body);
  if (!isJsonObject(json)) return fault(`The JSON of an answer with status ${status} can't be read.`);
  const { success, data, error } = json;
  if (status === 200 && success === true && isJsonObject(data)) return { kind: 'data', data };
  if (status >= 400 && success === false && isJsonObject(error))
    return readError(status, error, headers['retry-after']);
  return fault(`An answer with status ${status} has not the envelope of the service.`);
}

function readError(status: number, { code, message, details }: JsonObject, retryAfter?: string): EnvelopeOutcome {
  if (typeof code !== 'string' || typeof message !== 'string' || !isJsonObject(details)) {
    return fault(`An answer with status ${status} has no error in the form of the service.`);
  }
  const retryAfterMs = retryAfterOf(details['retryAfterMs'], retryAfter);
  return { kind: 'refusal', refusal: { code, message, details, status, retryAfterMs } };
}

/** Exact where the details say so, else from Retry-After (RFC 9110 §10.2.3), which the service writes in whole seconds. */
function retryAfterOf(exact: JsonValue | undefined, header: string | undefined): number | null {
  if (typeof exact === 'number' && exact >= 0) return exact;
  return header !== undefined && WHOLE_SECONDS.test(header) ? Number(header) * 1000 : null;
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
}

function fault(message: string): EnvelopeOutcome {
  return { kind: 'fault', message };
}
