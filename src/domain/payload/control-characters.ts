/**
 * Characters that JSON leaves as they are, but that end a line for some readers (U+2028, U+2029,
 * U+0085), steer a terminal (C1 controls, U+007F) or reorder what is shown (the bidirectional
 * controls of Unicode UAX #9).
 */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** None of them is printable ASCII, as nearly every text is as a whole. */
const NOT_PLAIN = /[^\x20-\x7e]/;

/**
 * A text on one line, without characters that steer what shows it: they become `\u` and four hex
 * digits, which is the same value where the text is JSON.
 */
export function escapeUnsafe(text: string): string {
  if (!NOT_PLAIN.test(text)) return text;
  return text.replace(UNSAFE_CHARACTERS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What to tell a caller of a text that a line break, or another control character, stands in. */
export const CONTROL_CHARACTER_MESSAGE = 'must not have a control character such as a line break';

/** Whether a text has a control character (Unicode category Cc), which could pass for the line break between two parts of the text to sign. */
export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
