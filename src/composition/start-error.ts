/** The service can not start; the message says why and what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
