/** Characters that steer a terminal or turn around the order of what is shown; lone surrogates, which have no UTF-8 form. */
const TREACHEROUS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Surrogate}]/gu;

/** A path for people to read: whoever can write to the folder chooses the names in it. Characters that could steer a terminal become `\u{…}`. */
export function shownPath(path: string): string {
  return path.replace(TREACHEROUS, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
