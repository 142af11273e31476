import { SigningClientError } from './client-error.ts';

/** No answer came, or not all of it: nobody listens, the connection broke, the certificate is not the one. `cause` is Node's error. */
export class NetworkError extends SigningClientError {
  override readonly kind = 'network';
}
