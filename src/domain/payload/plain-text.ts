const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** Whether a text is printable ASCII without quotation mark and backslash: `JSON.stringify`, and so RFC 8785, writes it between quotation marks as it is. */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text);
}
