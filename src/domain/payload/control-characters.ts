/** What to tell a caller of a text that a line break, or another control character, stands in. */
export const CONTROL_CHARACTER_MESSAGE = 'must not have a control character such as a line break';

/** Whether a text has a control character (Unicode category Cc), which could pass for the line break between two parts of the text to sign. */
export function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
