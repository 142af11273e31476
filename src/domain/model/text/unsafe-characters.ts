/**
 * Characters that control terminals (C0, C1, U+007F), end lines for some readers (U+0085, U+2028,
 * U+2029), reorder text (bidirectional controls, Unicode UAX #9) or are invisible (other format
 * characters), and lone surrogates, which have no UTF-8 form.
 */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu;
/** Fast path: printable ASCII has none. */
const NOT_PLAIN = /[^\x20-\x7e]/;

/** Escapes unsafe characters as `\u` and four hex digits, which keeps the value of JSON. */
export function escapeUnsafe(text: string): string {
  return NOT_PLAIN.test(text) ? text.replace(UNSAFE_CHARACTERS, jsonEscape) : text;
}

/** Shows unsafe characters as `\u{…}`, for people. */
export function printable(text: string): string {
  return text.replace(UNSAFE_CHARACTERS, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Whether {@link printable} leaves a text unchanged. */
export function isPrintable(text: string): boolean {
  return printable(text) === text;
}

/** Escapes UTF-16 code units for JSON: `\u` and four hex digits each. */
export function jsonEscape(text: string): string {
  return text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Message about a text with a control character. */
export const CONTROL_CHARACTER_MESSAGE = 'must not contain control characters such as line breaks';

/**
 * Whether a text has a control character (Unicode category Cc), which could pass for the line break
 * between two parts of the text to sign.
 */
export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
