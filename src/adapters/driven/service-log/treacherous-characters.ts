/** Characters that end a line for some reader, steer a terminal, or turn the order of what is shown around (Unicode UAX #9, #44). */
const TREACHEROUS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** The text with escapes, as JSON has them, in place of those. */
export function escapeTreacherous(text: string): string {
  return text.replace(TREACHEROUS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
