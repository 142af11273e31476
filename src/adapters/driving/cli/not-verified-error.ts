/** Audit files are not as the service wrote them. The message names file and line, and holds no character that could steer a terminal. */
export class NotVerifiedError extends Error {
  override readonly name = 'NotVerifiedError';
}
