const PLAIN = /^[^\s"=,[\]{}\\]+$/;

/** A name or value on a line; quoted as JSON if it could be mistaken for several. */
export function quoteIfNeeded(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text);
}
