/** A file of mutual authentication is missing or wrong. The message names the file, the setting and what to do; nothing secret is in it. */
export class AccessTokenError extends Error {
  override readonly name = 'AccessTokenError';
}
