const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Space, tab, line feed, carriage return (RFC 8259 §2). */
const WHITE_SPACE = [0x20, 0x09, 0x0a, 0x0d];

/** Levels of objects and arrays in each other that are counted: more than any request or file has, and few enough for whoever calls itself for each of them. */
const MOST_LEVELS = 1000;

/**
 * How many members a JSON text has, those that `JSON.parse` drops included: a string before a colon is the name of one, and nothing else is (RFC 8259 §4).
 *
 * @param text one that `JSON.parse` takes
 */
export function countNames(text: string): number {
  let names = 0;
  let begin = text.indexOf('"');
  while (begin !== -1) {
    const next = skipWhiteSpace(text, endOfString(text, begin) + 1);
    if (text.charCodeAt(next) === COLON) names += 1;
    begin = text.indexOf('"', next);
  }
  return names;
}

/** How many members the objects of a parsed value have; NaN when more than 1000 of them and of arrays stand in each other. */
export function countMembers(value: unknown): number {
  return countIn(value, 1);
}

/** @param level of the object or array, the outermost being 1 */
function countIn(value: unknown, level: number): number {
  if (!isHolder(value)) return 0;
  if (level > MOST_LEVELS) return Number.NaN;
  return Array.isArray(value) ? countInElements(value, level) : countInObject(value, level);
}

function countInElements(elements: readonly unknown[], level: number): number {
  let members = 0;
  for (const element of elements) members += countIn(element, level + 1);
  return members;
}

function countInObject(object: { readonly [name: string]: unknown }, level: number): number {
  const names = Object.keys(object);
  let members = names.length;
  for (const name of names) members += countIn(object[name], level + 1);
  return members;
}

function isHolder(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

/** Where the quote stands that ends the string: the first one before which no backslash is left over. */
function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 0;
}

function skipWhiteSpace(text: string, from: number): number {
  let at = from;
  while (WHITE_SPACE.includes(text.charCodeAt(at))) at += 1;
  return at;
}
