/** Data nested deeper than that is refused by the service. */
const MOST_LEVELS = 64;

/**
 * Throws a TypeError that names the member where `JSON.stringify` would send something else than `value` holds: it writes NaN as null, leaves out what is undefined, and turns objects of classes into what their toJSON says. What was meant is what is to be signed.
 *
 * @param path how the value is called in the error: `data`
 */
export function checkSignable(value: unknown, path: string, level = 1): void {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return;
  if (typeof value === 'number') {
    checkNumber(value, path);
    return;
  }
  if (typeof value !== 'object') throw new TypeError(`${path} is ${typeof value}, which JSON can't hold.`);
  if (level > MOST_LEVELS) throw new TypeError(`${path} is nested more than ${MOST_LEVELS} levels deep.`);
  if (Array.isArray(value)) {
    // By index: a hole is skipped by forEach, and written as null.
    for (let index = 0; index < value.length; index += 1) checkSignable(value[index], `${path}[${index}]`, level + 1);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain || 'toJSON' in value) {
    throw new TypeError(`${path} is an object of a class; give its members as texts, numbers and plain objects.`);
  }
  for (const [name, member] of Object.entries(value)) checkSignable(member, `${path}.${name}`, level + 1);
}

function checkNumber(value: number, path: string): void {
  if (!Number.isFinite(value)) throw new TypeError(`${path} is ${value}, which JSON can't hold.`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new TypeError(`${path} is an integer beyond 2^53 - 1, which was rounded already; give it as a text.`);
  }
}
