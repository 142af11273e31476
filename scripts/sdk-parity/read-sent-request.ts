import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../../src/domain/model/json.ts';
import type { FixedValues, PayloadRule } from '../../src/domain/model/payload.ts';
import type { Send } from '../../src/domain/model/send.ts';
import { getRuleModule } from '../../src/domain/payload/payload-rules.ts';
import { getSignedMembers } from '../../src/domain/payload/unsigned-fields.ts';
import { decodeText, parseJson, parseParameters } from './sent-text.ts';
import { type Captures, type SentRequest, TemplateReader, unfit } from './template-reader.ts';

/** One reading of a request: what the placeholders of a template stand for. */
export interface ReadRequest {
  /** Of the signing request. */
  readonly data: JsonObject;
  /** Whether the parameters are given as text, as they were sent, and not as an object. */
  readonly isText: boolean;
  readonly values: FixedValues;
  /** By its name: what only the caller has, and the query and body that are not signed. */
  readonly own: { readonly [name: string]: string };
  readonly signature: string;
  /** Scheme, host and base path, of the template's; absent: a message. */
  readonly origin?: string;
}

/**
 * Reads a request by the template that writes it: by each of the alternatives that fit, and each
 * form in which `data` may have a part, parameters as objects first. Headers may be absent or
 * differ, and JSON may have more members.
 *
 * @param unsent members of `data` that the client signs and does not send
 * @throws Error naming the part of the request that does not fit the template
 */
export function readSentRequest(
  send: Send,
  rule: PayloadRule,
  request: SentRequest,
  unsent: JsonObject,
): readonly ReadRequest[] {
  const reader = new TemplateReader(send.from ?? {});
  const read = (captures: Captures) => toReadings(reader.readToken(rule, captures), rule, unsent);
  if ('message' in send) return read(reader.readMessage(send.message, request.body));
  const targets = send.origins.flatMap((origin) => {
    const target = reader.readTarget(send, origin, request);
    return target === undefined ? [] : [{ origin, target }];
  });
  const { origin, target } = targets[0] ?? unfit('the URL');
  return reader
    .readHttp(send, request, target)
    .flatMap((captures) => read(captures).map((one) => ({ ...one, origin })));
}

type MutableObject = Record<string, JsonValue>;

function toReadings(captures: Captures, rule: PayloadRule, unsent: JsonObject): readonly ReadRequest[] {
  const data: MutableObject = structuredClone(unsent);
  const parts: (readonly [member: string, object: JsonValue, text: JsonValue])[] = [];
  const values: Record<string, string> = {};
  const own: Record<string, string> = {};
  // A whole object stands before its members.
  for (const [name, value] of [...captures].toSorted(([a], [b]) => a.length - b.length)) {
    const [kind = '', ...steps] = name.split('.');
    const part = readPart(kind, value, rule);
    if (kind === 'data') setMember(data, steps, value);
    else if (kind === 'account') values[steps.join('.')] = String(value);
    else if (kind === 'unsigned') own[steps.join('.')] = String(value);
    else if (part === undefined) own[kind] = String(value);
    else parts.push(part);
  }
  const signature = String(captures.get('signature'));
  return FORMS.flatMap((takesText) => {
    const members = parts.map(([member, object, text]) => [member, takesText(member) ? text : object]);
    const whole = addBodyMembers({ ...data, ...Object.fromEntries(members) }, rule);
    const reading = { values, own, signature, isText: takesText('query') };
    return [whole, toNumbers(whole)].map((one) => ({ ...reading, data: one }));
  });
}

/** Which parts are given as text: none, a body, all. */
const FORMS = [() => false, (member: string) => member === 'body', () => true];

/** The member of `data` that has a part, with its value as an object, and as text. */
function readPart(
  name: string,
  value: JsonValue,
  rule: PayloadRule,
): readonly [string, JsonValue, JsonValue] | undefined {
  const text = String(value);
  const toObject = (content: string) => parseJson(content) ?? parseParameters(content);
  if (name === 'timestamp' || name === 'method' || name === 'path') return [name, value, value];
  if (name === 'body') return [name, toObject(text), text];
  if (name === 'payload' && rule.rule === 'json') {
    const content = Buffer.from(text, 'base64').toString();
    return [String(rule['field']), toObject(content), content];
  }
  if (name === 'query') {
    const isDecoded = getRuleModule(rule).encodedWhenSent?.(rule).includes('query');
    return [name, parseParameters(text), isDecoded ? decodeText(text) : text];
  }
  if (name !== 'params') return undefined;
  return [
    rule.rule === 'query' ? String(rule['field']) : name,
    typeof value === 'string' ? parseParameters(text) : value,
    value,
  ];
}

/** Adds what is signed as a member of its own, but sent within the body alone, such as a nonce. */
function addBodyMembers(data: JsonObject, rule: PayloadRule): JsonObject {
  const { body } = data;
  const sent = typeof body === 'string' ? (parseJson(body) ?? parseParameters(body)) : null;
  const names = (getSignedMembers(rule) ?? []).filter((name) => !(name in data));
  if (!isJsonObject(sent)) return data;
  return {
    ...data,
    ...Object.fromEntries(names.flatMap((name) => (name in sent ? [[name, sent[name]]] : []))),
  } as JsonObject;
}

/** With numbers for texts of digits: headers and forms have no types. */
function toNumbers(data: JsonObject): JsonObject {
  const toNumber = (value: JsonValue) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, toNumber(value)]));
}

function setMember(data: MutableObject, [name = '', ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    data[name] = value;
    return;
  }
  const known = ownMember(data, name);
  const inner: MutableObject = isJsonObject(known) ? { ...known } : {};
  setMember(inner, rest, value);
  data[name] = inner;
}
