const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A view of `text` without the one line break (`\n` or `\r\n`) that an editor or `echo` leaves at its end. */
export function withoutFinalNewline(text: Buffer): Buffer {
  if (text.at(-1) !== LINE_FEED) return text;
  return text.subarray(0, text.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}
