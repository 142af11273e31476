const PLAIN = /^[^\s"=,[\]{}\\]+$/;

/** A name or value between others on a line, for people: in quotes, as JSON has it, where it could be taken for more than one. */
export function plainOrQuoted(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text);
}
