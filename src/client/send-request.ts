import type { RequestToSend } from './types.ts';

/** Options of {@link sendRequest}. */
export interface SendOptions {
  /** Sends the request; default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/** What only the caller has, by the names in `missing`. */
type Values = { readonly [name: string]: string };

const FORM = 'application/x-www-form-urlencoded';

/** No line breaks, which would begin another header, and nothing that clients encode otherwise. */
const HEADER_VALUE = /^[\x20-\x7e]*$/;

/**
 * Puts values in place of `{name}`: percent-encoded in the URL and in a form, escaped in JSON,
 * verbatim in headers. One that a URL or body begins with is verbatim: an origin, a whole body.
 *
 * Throws a TypeError that names a value which is missing or which the request does not need, or a
 * header with characters other than printable ASCII.
 */
export function fillRequest<Request extends RequestToSend>(request: Request, values: Values = {}): Request {
  const { missing } = request;
  const needless = Object.keys(values).find((name) => !missing.includes(name));
  if (needless !== undefined) throw new TypeError(`The request has no {${needless}}.`);
  const absent = missing.find((name) => !Object.hasOwn(values, name) || typeof values[name] !== 'string');
  if (absent !== undefined) throw new TypeError(`The request needs a value for {${absent}}.`);

  const fill = (text: string, encode: (value: string) => string) =>
    text.replaceAll(/\{([\w.]+)\}/g, (found, name: string, at: number) => {
      const value = values[name];
      if (!missing.includes(name) || value === undefined) return found;
      return at === 0 ? value : encode(value);
    });
  if ('message' in request) return { ...request, message: fill(request.message, escapeJson), missing: [] };

  const { url, headers, body } = request;
  const filled: { [name: string]: string } = {};
  let isForm = false;
  for (const [name, template] of Object.entries(headers)) {
    const value = fill(template, (text) => text);
    if (!HEADER_VALUE.test(value)) throw new TypeError(`The header ${name} must be printable ASCII.`);
    isForm ||= name.toLowerCase() === 'content-type' && value.startsWith(FORM);
    filled[name] = value;
  }
  return {
    ...request,
    url: fill(url, percentEncode),
    headers: filled,
    ...(body !== undefined && { body: fill(body, isForm ? percentEncode : escapeJson) }),
    missing: [],
  };
}

/**
 * Fills an HTTP request and sends it, byte for byte as signed. Returns the venue's response, of any
 * status; a redirect is not followed.
 *
 * Throws a TypeError like {@link fillRequest}, for a message, and for a URL that fetch would send
 * otherwise; rejects as fetch does.
 */
export async function sendRequest(
  request: RequestToSend,
  values: Values = {},
  { fetch = globalThis.fetch, signal }: SendOptions = {},
): Promise<Response> {
  const filled = fillRequest(request, values);
  if ('message' in filled) throw new TypeError('The request is a message of a WebSocket; use fillRequest.');
  const { method, url, headers, body } = filled;
  if (!URL.canParse(url) || new URL(url).href !== url || new URL(url).username !== '' || url.includes('#')) {
    throw new TypeError('The URL of the request cannot be sent as it is.');
  }
  const content = body === undefined ? {} : { body };
  return fetch(url, { method, headers, ...content, redirect: 'manual', signal: signal ?? null });
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Everything but unreserved characters (RFC 3986 §2.3). */
function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}
