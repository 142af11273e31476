import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { KrakenRule } from '../model/payload-rule.ts';
import { bodyText } from './body-text.ts';
import { hexText } from './hex-text.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { pathText } from './path-text.ts';
import type { PayloadContext } from './payload-context.ts';
import { bytesPayload, fieldMessage, invalid } from './payload-outcome.ts';
import { findMisplacedQuery } from './request-query.ts';
import { findUnsignedPart, type SignedMembers } from './unsigned-part.ts';

const SIGNED: SignedMembers = { signed: ['path', 'body', 'nonce'], fixed: [] };

const encoder = new TextEncoder();

/**
 * Rule `kraken`: path ‖ SHA-256(nonce ‖ body), as Kraken's spot REST API has it signed. `data` is `{path, body, nonce?}`:
 *
 * - `path` as it is sent, such as `/0/private/AddOrder`, without a query
 * - `body` is an object, written as a form (`name=value` joined by `&`, percent-encoded) in the order sent, with the nonce as its member `nonce`; or a
 *   text, signed verbatim
 * - `nonce` is given for a text body, and is what that body says; beside an object body it is absent or the same. 1 to 20 digits, as an integer or a text
 *
 * Other fields are not signed. The nonce 5 and "5" sign alike, and so do an object body and the text that is made of it. With a text body Kraken's
 * design leaves open where the nonce ends and the body begins: the nonce `1` before the body `2nonce=1` signs as the nonce `12` before `nonce=1`.
 *
 * @see https://docs.kraken.com/api/docs/guides/spot-rest-auth/
 * @example `{"path": "/0/private/AddOrder", "body": {"nonce": "1616492376594", "ordertype": "limit", "pair": "XBTUSD", "price": 37500,
 * "type": "buy", "volume": "1.25"}}` signs the 51 bytes
 * `2f302f707269766174652f4164644f72646572` (the path) `23a1c1b34c6a11d641af0f24684896cb90f66fb991125c83dc357bdc3dc146f1` (the hash), in hex
 */
export function krakenPayload(data: JsonObject, _rule: KrakenRule, context: PayloadContext): Outcome<Payload, Issue> {
  const path = pathText(data);
  if (!path.ok) return path;
  const unsigned = findUnsignedPart(data, SIGNED);
  if (unsigned !== undefined) return refused(unsigned);
  const misplaced = findMisplacedQuery(data, 'apart', 'data.body');
  if (misplaced !== undefined) return refused(misplaced);
  const given = ownMember(data, 'body');
  if (!isJsonObject(given) && typeof given !== 'string') {
    return invalid(
      'data.body',
      fieldMessage(given, 'must be an object with the nonce and the parameters, or their text'),
    );
  }
  const nonce = nonceText(data);
  if (!nonce.ok) return nonce;
  const body = bodyText(data, 'form');
  if (!body.ok) return body;

  const hash = context.hasher.digest('sha256', encoder.encode(nonce.value + body.value.text));
  const bytes = joined(encoder.encode(path.value.text), hash);
  return bytesPayload(
    { bytes, text: hexText(bytes), encoding: 'hex' },
    body.value.isMade ? { body: body.value.text } : {},
  );
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(head.length + tail.length);
  bytes.set(head);
  bytes.set(tail, head.length);
  return bytes;
}

function nonceText(data: JsonObject): Outcome<string, Issue> {
  const body = ownMember(data, 'body');
  const beside = ownMember(data, 'nonce');
  if (!isJsonObject(body)) return digits('data.nonce', beside);
  const inside = digits('data.body.nonce', ownMember(body, 'nonce'));
  if (!inside.ok || beside === undefined) return inside;
  const given = digits('data.nonce', beside);
  if (!given.ok || given.value === inside.value) return given;
  return invalid('data.nonce', 'must be absent or the same as data.body.nonce');
}

function digits(path: string, value: JsonValue | undefined): Outcome<string, Issue> {
  const text = typeof value === 'number' ? JSON.stringify(value) : value;
  if (typeof text === 'string' && /^\d{1,20}$/.test(text)) return accepted(text);
  return invalid(path, fieldMessage(value, 'must be the nonce: 1 to 20 digits, as an integer or a string'));
}
