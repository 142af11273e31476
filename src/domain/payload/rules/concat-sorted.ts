import { z } from 'zod';
import {
  isJsonObject,
  type JsonObject,
  type JsonStep,
  type JsonValue,
  jsonPath,
  ownMember,
  withoutUndefined,
} from '../../model/json.ts';
import { fixedValue } from '../fill-template.ts';
import { fieldMessage, invalid, textPayload } from '../payload-outcome.ts';
import { renderDigits } from '../request-parts.ts';
import { type RuleModule, readAs } from '../rule-module.ts';

/** Without digits, so that the id behind it does not read as a part of it. */
const METHOD = /^(?:private|public)(?:\/[a-z]+(?:-[a-z]+)*)+$/;
const ID = /^(?:0|[1-9][0-9]{0,18})$/;
const NONCE = /^[1-9][0-9]{12}$/;

/** Objects within arrays of `params`; the venue's own sample stringifies deeper ones otherwise. */
const MAX_LEVEL = 3;

const schema = z.strictObject({ rule: z.literal('concat-sorted') });

/**
 * Rule `concat-sorted`: method ‖ id ‖ API key ‖ parameters ‖ nonce, without anything between them,
 * as Crypto.com Exchange signs. `data` is `{method, id, params?, nonce}`, as in the request:
 *
 * - `method`: such as `private/create-order`
 * - `id`: 0 to 19 digits long, integer or string of digits
 * - `params`: name and value of each member, sorted by name: strings as they are, integers,
 *   booleans and null as in JSON, and the elements of an array one after the other, objects among
 *   them in the same way, at most three levels of them
 * - `nonce`: milliseconds since 1970-01-01T00:00:00Z, 13 digits, integer or string
 *
 * The account's value `apiKey` is the API key. Objects outside an array, arrays in arrays, null in
 * arrays and fractions are rejected: the venue's samples render them differently, or not at all.
 *
 * By the venue's design nothing delimits names and values: `{"a": "1b2"}` signs like `{"a": "1",
 * "b": "2"}`.
 *
 * @see https://exchange-docs.crypto.com/exchange/v1/rest-ws/index.html#digital-signature
 * @example API key `key`: `{"method": "private/create-order", "id": 1, "params": {"side": "BUY",
 *   "exec_inst": ["POST_ONLY"]}, "nonce": 1700000000000}` signs the 70 bytes
 *   `private/create-order1keyexec_instPOST_ONLYsideBUY1700000000000`
 * @throws Error for a missing fixed value, which a validated configuration rules out
 */
export const concatSorted: RuleModule<typeof schema> = {
  schema,
  values: ['apiKey'],
  members: () => ['method', 'id', 'params', 'nonce'],
  build: (data, _, context) => {
    const method = ownMember(data, 'method');
    if (typeof method !== 'string' || !METHOD.test(method)) {
      return invalid(
        'data.method',
        fieldMessage(method, "must be the request's method, such as private/create-order: lowercase letters, / and -"),
      );
    }
    const id = renderDigits(
      'data.id',
      ownMember(data, 'id'),
      ID,
      'must be the id of the request: an integer from 0, at most 19 digits',
    );
    const params = readParameters(data);
    const nonce = renderDigits(
      'data.nonce',
      ownMember(data, 'nonce'),
      NONCE,
      'must be the milliseconds since 1970-01-01T00:00:00Z, 13 digits as an integer or a string',
    );
    const apiKey = fixedValue('apiKey', context.values);
    return textPayload(method + id + apiKey + params + nonce, {
      data: { method, id, params, nonce },
      values: { apiKey },
    });
  },
  // Nothing delimits the parameters, so that a policy cannot read them: `{a: '1b2'}` signs like
  // `{a: '1', b: '2'}`. The method ends before the id's digits, and the nonce has 13 digits.
  ...readAs({ method: 'string', nonce: 'string' }, ({ parts: { data: { method, nonce } = {} } }) =>
    withoutUndefined({ method, nonce }),
  ),
};

function readParameters(data: JsonObject): string {
  const params = ownMember(data, 'params');
  if (params === undefined) return '';
  if (!isJsonObject(params)) return invalid('data.params', 'must be an object with the parameters, or absent');
  return renderMembers(['params'], params, 0);
}

/** @param level arrays around the object */
function renderMembers(steps: readonly JsonStep[], members: JsonObject, level: number): string {
  const texts = Object.keys(members)
    .sort()
    .map((name) => {
      const value = members[name] as JsonValue;
      const path = [...steps, name];
      return name + (Array.isArray(value) ? renderElements(path, value, level + 1) : renderScalar(path, value));
    });
  return texts.join('');
}

function renderElements(steps: readonly JsonStep[], elements: readonly JsonValue[], level: number): string {
  const texts = elements.map((element, index) => {
    const path = [...steps, index];
    if (isJsonObject(element)) return renderNested(path, element, level);
    return element === null
      ? invalid(jsonPath('data', path), 'must not be null: omit the element')
      : renderScalar(path, element);
  });
  return texts.join('');
}

function renderNested(steps: readonly JsonStep[], members: JsonObject, level: number): string {
  if (level < MAX_LEVEL) return renderMembers(steps, members, level);
  return invalid(
    jsonPath('data', steps),
    `must not be an object: the venue signs objects in fewer than ${MAX_LEVEL} arrays`,
  );
}

function renderScalar(steps: readonly JsonStep[], value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null) {
    return invalid(
      jsonPath('data', steps),
      'must be a string, an integer, a boolean, null or an array of these or of objects',
    );
  }
  if (typeof value === 'number' && !Number.isInteger(value)) {
    return invalid(jsonPath('data', steps), 'must be an integer; send decimals as strings, such as "0.5"');
  }
  return JSON.stringify(value);
}
