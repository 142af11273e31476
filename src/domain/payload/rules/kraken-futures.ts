import { z } from 'zod';
import { type JsonObject, ownMember, withoutUndefined } from '../../model/json.ts';
import { hexPayload, invalid } from '../payload-outcome.ts';
import { checkQueryPlace, renderBody, renderDigits, renderPath, renderRequestQuery } from '../request-parts.ts';
import { type RuleModule, readAs } from '../rule-module.ts';
import { decodeParameters } from '../signed/decode-parameters.ts';
import { PATH_FORM } from '../signed/template-parts.ts';

const encoder = new TextEncoder();

const schema = z.strictObject({ rule: z.literal('kraken-futures') });

/**
 * Rule `kraken-futures`: SHA-256(post data ‖ nonce ‖ path), 32 bytes, as Kraken's Derivatives REST
 * API signs. `data` is `{path, query?, body?, nonce?}`:
 *
 * - `path` as sent without the prefix `/derivatives`, such as `/api/v3/sendorder`, without a query
 * - post data: `query`, sent in the URL, or `body`, sent as a form, not both; an object is
 *   percent-encoded in the order sent, a string is signed verbatim. Kraken hashes them as sent
 *   since 2024-02-20
 * - `nonce`: at most 20 digits, integer or string, as in the header Nonce; absent without the
 *   header
 *
 * By Kraken's design nothing delimits post data and nonce: `a=1` before the nonce `2` signs like
 * `a=12` without a nonce. A query and the same body sign alike.
 *
 * @see https://docs.kraken.com/exchange/guides/futures/rest
 * @example `{"path": "/api/v3/orderbook", "query": {"symbol": "fi_xbtusd_180615"}, "nonce":
 *   "1415957147987"}` hashes `symbol=fi_xbtusd_1806151415957147987/api/v3/orderbook`
 */
export const krakenFutures: RuleModule<typeof schema> = {
  schema,
  members: () => ['path', 'query', 'body', 'nonce'],
  build: (data, _, context) => {
    const path = renderPath(data);
    if (/^\/derivatives(?:\/|$)/.test(path)) {
      return invalid('data.path', 'must be without /derivatives, which the venue does not sign: start with /api');
    }
    checkQueryPlace(data, 'apart');
    const query = renderRequestQuery(data, {});
    const body = renderBody(data, 'form');
    if (query !== '' && body !== '') {
      return invalid('data.body', 'must be absent if data.query is present: this platform signs one of the two');
    }
    const nonce = readNonce(data);

    const signed = query + body + nonce + path;
    const bytes = context.hasher.digest('sha256', encoder.encode(signed));
    return hexPayload(bytes, {
      path,
      ...(query === '' ? {} : { query }),
      ...(body === '' ? {} : { body }),
      ...(nonce === '' ? {} : { data: { nonce } }),
    });
  },
  // The path begins at the one `/api/`. The last parameter ends in one place only without a nonce
  // and without a digit that a reader could take for one.
  ...readAs({ path: 'string', params: 'map<string, string>' }, ({ parts }, { spellings }) => {
    const { path, query = '', body = '', data: { nonce } = {} } = parts;
    if (path === undefined || !PATH_FORM.test(path) || path.lastIndexOf('/api/') !== 0) return {};
    const postData = query + body;
    if (nonce !== undefined || /[0-9]$/.test(postData)) return withoutUndefined({ path });
    return withoutUndefined({ path, params: decodeParameters(postData, 'percent', spellings) });
  }),
};

function readNonce(data: JsonObject): string {
  const value = ownMember(data, 'nonce');
  if (value === undefined) return '';
  const wanted = 'must be 1 to 20 digits, as an integer or a string, or absent without the header Nonce';
  return renderDigits('data.nonce', value, /^\d{1,20}$/, wanted);
}
