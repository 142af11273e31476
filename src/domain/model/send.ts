import { z } from 'zod';
import type { JsonObject, JsonValue } from './json.ts';
import { memoizeByObject, memoizeRecent } from './memoize.ts';

/** Encodings of a placeholder: `{signature:rsv}`. */
const SEND_ENCODINGS = ['json', 'number', 'hex', 'rsv', 'felts'] as const;

/** How a placeholder's value is written. */
export type SendEncoding = (typeof SEND_ENCODINGS)[number];

/** Literal text, or a placeholder. */
export type SendToken = string | { readonly name: string; readonly encoding?: SendEncoding };

const PLACEHOLDER = new RegExp(`^\\{([A-Za-z]\\w*(?:\\.[A-Za-z_]\\w*)*)(?::(${SEND_ENCODINGS.join('|')}))?\\}$`);
const OF_SIGNATURES: readonly (string | undefined)[] = ['rsv', 'felts'] satisfies readonly SendEncoding[];

/** Parses a valid template of `send`; an empty text has no tokens. */
export const parseSendTemplate = memoizeRecent((template: string): readonly SendToken[] =>
  template
    .split(/(\{[^{}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const [, name, encoding] = PLACEHOLDER.exec(piece) ?? [];
      if (name === undefined) return piece;
      if (encoding === undefined) return { name };
      const fits = OF_SIGNATURES.includes(encoding) === (name === 'signature');
      return fits ? { name, encoding: encoding as SendEncoding } : piece;
    }),
);

const TEMPLATE_MESSAGE =
  'must be a template: text with placeholders such as {timestamp}, {data.nonce}, {account.apiKey}, {signature} or ' +
  '{passphrase}; an encoding is json, number or hex, of {signature} rsv or felts';

const template = z
  .string()
  .max(1000, 'must have at most 1000 characters')
  .refine((text) => parseSendTemplate(text).every((token) => typeof token !== 'string' || !/[{}]/.test(token)), {
    error: TEMPLATE_MESSAGE,
  });

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const MAX_DEPTH = 16;

function isDeep(value: JsonValue, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth > MAX_DEPTH || Object.values(value).some((member) => isDeep(member, depth + 1));
}

const object = z
  .record(z.string(), z.unknown() as z.ZodType<JsonValue>, 'must be an object')
  .refine((members) => !isDeep(members), {
    error: `must not be nested more than ${MAX_DEPTH} levels deep`,
    abort: true,
  })
  // Is an alternative, which must be valid as such.
  .refine((members) => !('methods' in members && 'as' in members), `must have methods of ${METHODS.join(', ')}`)
  .refine((members) => listTexts(members).every((text) => template.safeParse(text).success), TEMPLATE_MESSAGE);

/** A template, or a list of which the first that fits the request is written. */
export type Alternatives<Template> =
  | Template
  | readonly (Template | { readonly methods: readonly string[]; readonly as: Template })[];

/** The templates for requests of this method, in order. */
export function listAlternatives<Template extends string | JsonObject>(
  given: Alternatives<Template>,
  method: string,
): readonly Template[] {
  if (!Array.isArray(given)) return [given as Template];
  return given.flatMap((one) => {
    if (typeof one === 'string' || !Array.isArray(one.methods)) return [one];
    return one.methods.includes(method) ? [one.as] : [];
  });
}

/** See {@link Alternatives}. */
function alternatives<Template extends z.ZodType>(one: Template, wanted: string) {
  const ofMethods = z.strictObject({ methods: z.array(z.enum(METHODS)).min(1), as: one });
  const message = `must be ${wanted}, or a list of these or of {"methods": [${METHODS.join(', ')}], "as": …}`;
  return z.union([one, z.array(z.union([one, ofMethods], message)).min(1, message)], message);
}

const from = z
  .record(z.string().regex(/^data\./, 'must have names such as data.type'), z.record(z.string(), z.string()))
  .optional()
  .describe(
    'How a signed member is sent, by the text that is sent: {"data.primaryType": {"usdSend": "HyperliquidTransaction:UsdSend"}}. Texts such as POST /api/v1/order give method and path.',
  );

const ORIGIN_PATTERN =
  /^(?:https?:\/\/(?:[A-Za-z0-9.-]+|\{data\.[A-Za-z]+\})(?::[0-9]{1,5})?|\{[A-Za-z]+\})(?:\/[A-Za-z0-9._~-]+)*$/;
const HEADER_PATTERN = /^[A-Za-z0-9_-]{1,64}\??$/;
const headerTemplate = template.regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');
/** Of the HTTP client. */
const OWN_HEADERS = ['host', 'content-length', 'transfer-encoding', 'connection'];
const HEADER_MESSAGE = 'must have names of letters, digits, - and _, with ? at the end of an optional one';

const httpSchema = z.strictObject({
  origins: z
    .array(
      z.string().regex(ORIGIN_PATTERN, 'must be an origin, such as https://api.example.com, without a / at its end'),
    )
    .min(1, 'must have at least one origin')
    .describe('Where the venue takes requests; the first one is written.'),
  method: z.enum(METHODS).optional().describe('Default: the method of the data.'),
  path: template.optional().describe('Default: {path}.'),
  headers: z
    .record(
      z.string(),
      z.union(
        [headerTemplate, z.array(headerTemplate).min(1)],
        'must be a template of printable ASCII, or a list of them',
      ),
    )
    .refine((headers) => Object.keys(headers).every((name) => HEADER_PATTERN.test(name)), HEADER_MESSAGE)
    .refine(
      (headers) => {
        const names = Object.keys(headers).map((name) => name.toLowerCase().replace('?', ''));
        return new Set([...names, ...OWN_HEADERS]).size === names.length + OWN_HEADERS.length;
      },
      `must have each header once, and none of ${OWN_HEADERS.join(', ')}`,
    )
    .optional(),
  query: alternatives(template, 'a template').optional().describe('Default: none.'),
  body: alternatives(z.union([template, object]), 'a template, an object of templates')
    .optional()
    .describe('Default: none. An object: the members of a JSON body.'),
  from,
});

const messageSchema = z.strictObject({ message: object.describe('A JSON message of a WebSocket.'), from });

const anySendSchema = z.union([httpSchema, messageSchema], 'must have either origins, or message');

/**
 * How a venue takes a signed request: an HTTP request, or a message of a WebSocket, as templates
 * over what was signed. They write the request, and read it.
 */
export const sendSchema = anySendSchema
  .refine((send) => listSendTemplates(send).some((text) => /\{(?:signature|tx)[:}]/.test(text)), {
    error: 'must have {signature} in one of its templates',
  })
  .meta({
    id: 'send',
    description: 'How the venue takes a signed request, for ?include=request. Default: the caller knows.',
  });

/** See {@link sendSchema}. */
export type Send = z.output<typeof anySendSchema>;

/** An HTTP request to send. */
export type HttpSend = z.output<typeof httpSchema>;

/** All templates, in the order of the members. */
export function listSendTemplates(send: Send): readonly string[] {
  const { from: _, ...templates } = send;
  return listTexts(templates as unknown as JsonValue);
}

function listTexts(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : [];
}

const findSentValues = memoizeByObject((send: Send) =>
  listSendTemplates(send).flatMap((text) =>
    Array.from(text.matchAll(/\{account\.([A-Za-z0-9_]+)/g), ([, name]) => name ?? ''),
  ),
);

/** Names of the account's values that the templates write: `apiKey` of `{account.apiKey}`. */
export function listSentValues(send: Send | undefined): readonly string[] {
  return send === undefined ? [] : findSentValues(send);
}

/**
 * A request as the venue takes it. What the service does not hold stands as `{name}` in its texts;
 * `missing` lists these names, without duplicates.
 */
export type WrittenRequest =
  | {
      readonly method: string;
      readonly url: string;
      readonly headers: { readonly [name: string]: string };
      /** Absent: no body. */
      readonly body?: string;
      readonly missing: readonly string[];
    }
  /** A message of a WebSocket, JSON. */
  | { readonly message: string; readonly missing: readonly string[] };
