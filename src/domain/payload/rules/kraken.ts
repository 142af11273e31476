import { concatBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue, ownMember, withoutUndefined } from '../../model/json.ts';
import { fieldMessage, hexPayload, invalid } from '../payload-outcome.ts';
import { checkQueryPlace, renderBody, renderDigits, renderPath } from '../request-parts.ts';
import { type RuleModule, readAs } from '../rule-module.ts';
import { decodeParameters } from '../signed/decode-parameters.ts';
import { decodeJsonBody, PATH_FORM } from '../signed/template-parts.ts';

const encoder = new TextEncoder();

const schema = z.strictObject({ rule: z.literal('kraken') });

/**
 * Rule `kraken`: path ‖ SHA-256(nonce ‖ body), as Kraken's spot REST API signs. `data` is
 * `{path, body, nonce?}`:
 *
 * - `path` as sent, such as `/0/private/AddOrder`, without a query
 * - `body`: an object with the nonce, rendered as a percent-encoded form in the order sent; or a
 *   string, signed verbatim
 * - `nonce`: 1 to 20 digits, integer or string; required with a string body, else absent or equal
 *   to the body's
 *
 * The nonce 5 and "5" sign alike, as do an object body and its text. With a string body Kraken's
 * design does not delimit the nonce: `1` before `2nonce=1` signs as `12` before `nonce=1`.
 *
 * @see https://docs.kraken.com/api/docs/guides/spot-rest-auth/
 * @example `{"path": "/0/private/AddOrder", "body": {"nonce": "1616492376594", "ordertype":
 *   "limit", "pair": "XBTUSD", "price": 37500, "type": "buy", "volume": "1.25"}}` signs 51 bytes,
 *   in hex `2f302f707269766174652f4164644f72646572` (the path)
 *   `23a1c1b34c6a11d641af0f24684896cb90f66fb991125c83dc357bdc3dc146f1` (the hash)
 */
export const kraken: RuleModule<typeof schema> = {
  schema,
  members: () => ['path', 'body', 'nonce'],
  build: (data, _, context) => {
    const path = renderPath(data);
    checkQueryPlace(data, 'apart', 'data.body');
    const rawBody = ownMember(data, 'body');
    if (!isJsonObject(rawBody) && typeof rawBody !== 'string') {
      return invalid(
        'data.body',
        fieldMessage(rawBody, 'must be an object with the nonce and the parameters, or the body as a string'),
      );
    }
    const nonce = readNonce(data);
    const body = renderBody(data, 'form');

    const hash = context.hasher.digest('sha256', encoder.encode(nonce + body));
    const bytes = concatBytes(encoder.encode(path), hash);
    return hexPayload(bytes, { path, body, data: { nonce } });
  },
  // The path ends before the hash. Nothing says where the nonce ends but the body's first sign.
  ...readAs({ path: 'string', nonce: 'string', body: 'dyn' }, ({ parts }, { fields, spellings }) => {
    const { path, data: { nonce } = {}, body = '' } = parts;
    if (path === undefined || !PATH_FORM.test(path)) return {};
    if (/^[0-9]/.test(body)) return withoutUndefined({ path });
    if (!fields.has('body')) return withoutUndefined({ path, nonce });
    const isJson = /^[[{]/.test(body);
    const decoded = isJson ? decodeJsonBody(body, spellings) : decodeParameters(body, 'percent', spellings);
    return withoutUndefined({ path, nonce, body: decoded });
  }),
};

function readNonce(data: JsonObject): string {
  const body = ownMember(data, 'body');
  const outer = ownMember(data, 'nonce');
  if (!isJsonObject(body)) return readDigits('data.nonce', outer);
  const inside = readDigits('data.body.nonce', ownMember(body, 'nonce'));
  if (outer === undefined || readDigits('data.nonce', outer) === inside) return inside;
  return invalid('data.nonce', 'must be absent or the same as data.body.nonce');
}

function readDigits(path: string, value: JsonValue | undefined): string {
  return renderDigits(path, value, /^\d{1,20}$/, 'must be the nonce: 1 to 20 digits, as an integer or a string');
}
