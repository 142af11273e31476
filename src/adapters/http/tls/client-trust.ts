import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Reloadable } from '../../../domain/flow/reloadable.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { ClientTrustReport } from '../schemas/status-responses.ts';
import { type ClientIdentity, identifyHolder, untrusted } from './client-identity.ts';
import { type ClientTrustFileNames, type ClientTrustFiles, readClientTrustFiles } from './client-trust-files.ts';

/** What the only handshake of a connection showed; none without a certificate. */
interface Handshake {
  readonly identity: ClientIdentity;
  readonly certificate: X509Certificate;
}

/** Maximum time of a TLS handshake, milliseconds. */
export const HANDSHAKE_TIMEOUT_MS = 10_000;

/**
 * Time after the removal of an authority in which handshakes that began before may end; twice the
 * timeout, since timers of a busy process are late. Milliseconds.
 */
const REMOVAL_MS = 2 * HANDSHAKE_TIMEOUT_MS;

const EXPIRED = 'CERT_HAS_EXPIRED';

/**
 * Trusted client certificates. A handshake fixes the identity of its connection, of which only
 * expiry is checked later; a reload ends the connections that it does not accept.
 */
export class ClientTrust extends Reloadable<ClientTrustFiles> {
  readonly #clock: Clock;
  readonly #handshakes = new WeakMap<Socket, Handshake>();
  /** When a reload last removed an authority, monotonic milliseconds. */
  #removedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param production rejects files that other users can change
   * @throws OperatorError that names the setting, the file and what to do
   */
  constructor(names: ClientTrustFileNames, clock: Clock, log: ServiceLog, production: boolean) {
    super({
      unchanged: 'The trusted client certificates were not reloaded.',
      clock,
      log,
      load: () => readClientTrustFiles(names, production),
      reloaded: ({ authorities: { length }, fingerprints }) =>
        log.info('Trusted client certificates loaded.', {
          ...names,
          authorities: length,
          fingerprints: fingerprints?.size ?? null,
        }),
    });
    this.#clock = clock;
    this.onReload(({ authorities }, previous) => {
      const fingerprints = new Set(authorities.map(({ fingerprint256 }) => fingerprint256));
      const isRemoved = previous.authorities.some(({ fingerprint256 }) => !fingerprints.has(fingerprint256));
      if (isRemoved) this.#removedAt = clock.monotonic();
    });
  }

  /** To be called when the handshake of a connection ends. */
  handshakeEnded(socket: TLSSocket): void {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return;
    const { authorized, authorizationError } = socket;
    const identity = authorized ? this.#identify(certificate) : untrusted(String(authorizationError));
    this.#handshakes.set(socket, { certificate, identity });
  }

  /** The identity of a peer, unless its certificate or an authority in the file has expired. */
  identify(socket: Socket): ClientIdentity {
    const handshake = this.#handshakes.get(socket);
    if (handshake === undefined) return { error: 'CLIENT_CERTIFICATE_REQUIRED' };
    const { identity, certificate } = handshake;
    if ('error' in identity) return identity;
    const now = this.#clock.now();
    const isExpired = Date.parse(certificate.validTo) < now || this.verify(certificate) === EXPIRED;
    return isExpired ? untrusted(EXPIRED) : identity;
  }

  /** Verifies a certificate without a handshake, as {@link clientVerifier}. */
  verify(certificate: X509Certificate): string | null {
    return this.current.verify(certificate, this.#clock.now());
  }

  /**
   * Whether the last reload ends a connection: its identity is not given by the files. Once an
   * authority is removed, also if the client sent its issuers itself.
   */
  isEndedByReload(socket: Socket): boolean {
    const handshake = this.#handshakes.get(socket);
    // Requests without an identity are refused.
    if (handshake === undefined || 'error' in handshake.identity) return false;
    return 'error' in this.#identify(handshake.certificate);
  }

  /** For status. */
  report(): ClientTrustReport {
    const { authorities, fingerprints } = this.current;
    return {
      authorities: authorities.length,
      fingerprints: fingerprints?.size ?? null,
      ...this.reloadReport,
    };
  }

  /**
   * The identity by the files in force. A handshake may have used an authority that was removed
   * meanwhile, so no issuers but those in the file count for some time.
   */
  #identify(certificate: X509Certificate): ClientIdentity {
    const isRemovalRecent = this.#clock.monotonic() - this.#removedAt < REMOVAL_MS;
    const problem = isRemovalRecent ? this.verify(certificate) : null;
    return problem === null ? identifyHolder(certificate, this.current) : untrusted(problem);
  }
}
