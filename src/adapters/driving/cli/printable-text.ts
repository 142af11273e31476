/**
 * Characters that steer a terminal (C0 and C1 controls), end a line for some readers (U+2028, U+2029), turn the order of what is shown around
 * (the bidirectional controls of Unicode UAX #9), or show nothing at all; lone surrogates have no UTF-8 form.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

/** The text with what a terminal would act on, or hide, as `\u{…}`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
