const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Space, tab, line feed, carriage return (RFC 8259 §2). */
const WHITE_SPACE = [0x20, 0x09, 0x0a, 0x0d];

/** Where the quote stands that ends the string which begins with the one at `begin`: the first one before which no backslash is left over. The end of the text where there is none. */
export function endOfString(text: string, begin: number): number {
  let end = text.indexOf('"', begin + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether what comes after this place, but for white space, is a colon: whether the string that ends there is the name of a member. */
export function isBeforeColon(text: string, end: number): boolean {
  let at = end + 1;
  while (WHITE_SPACE.includes(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === COLON;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at -= 1;
  return (quote - at) % 2 === 0;
}
