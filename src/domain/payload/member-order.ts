import type { Issue } from '../model/issue.ts';
import type { JsonValue } from '../model/json.ts';
import { findInJson } from './find-in-json.ts';

/** What to tell a caller whose member name loses its place. */
export const REORDERED_NAME_MESSAGE =
  'has an integer as its name, which loses its place in the order sent; name it otherwise, or send the text to sign as a string';

const MAX_ARRAY_INDEX = 2 ** 32 - 2;

/**
 * Whether a member of this name loses its place when JSON is read: objects list canonical array indexes (`0` to `4294967294`, as in
 * `10` but not `010`) first and in ascending order, wherever they were sent (ECMAScript, OrdinaryOwnPropertyKeys).
 */
export function losesItsPlace(name: string): boolean {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(name) && Number(name) <= MAX_ARRAY_INDEX;
}

/**
 * The first member anywhere in `value` whose name loses its place, so that the order sent is not known any more.
 *
 * @param root name of `value` in the issue's path
 */
export function findReorderedMember(root: string, value: JsonValue): Issue | undefined {
  return findInJson(root, value, (_value, step) =>
    typeof step === 'string' && losesItsPlace(step) ? REORDERED_NAME_MESSAGE : undefined,
  );
}
