import type { SecureContextOptions } from 'node:tls';
import type { HandshakeUser } from './tls-certificate.ts';

/** What HTTPS servers of this service have in common, whichever certificates they show and ask for. */
const TLS_VERSIONS = { minVersion: 'TLSv1.2' } as const satisfies SecureContextOptions;

/** What one server uses for its next handshakes: certificate, key and the authorities of clients, each of which changes by itself. */
export class Handshakes implements HandshakeUser {
  #options: SecureContextOptions;
  #server: HandshakeUser | null = null;

  constructor(options: SecureContextOptions) {
    this.#options = { ...TLS_VERSIONS, ...options };
  }

  get options(): SecureContextOptions {
    return this.#options;
  }

  /** From now on this server is told of changes. */
  servedBy(server: HandshakeUser): void {
    this.#server = server;
  }

  /** Changes some of it. Sessions of before can't be resumed: the server makes new keys for their tickets. */
  setSecureContext(changes: SecureContextOptions): void {
    const options = { ...this.#options, ...changes };
    this.#server?.setSecureContext(options);
    this.#options = options;
  }
}
