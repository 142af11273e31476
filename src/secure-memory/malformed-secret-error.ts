/**
 * A secret's text is not what its encoding allows. The message is a clause about "it", the file: a fixed text, numbers of bytes and
 * names of fields, never a part of the input.
 */
export class MalformedSecretError extends Error {
  override readonly name = 'MalformedSecretError';
}
