import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Reloadable } from '../../../domain/flow/reloadable.ts';
import type { WallClock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { ClientTrustReport } from '../schemas/status-responses.ts';
import { type ClientIdentity, identifyHolder, untrusted } from './client-identity.ts';
import { type ClientTrustFileNames, type ClientTrustFiles, readClientTrustFiles } from './client-trust-files.ts';

/** What the only handshake of a connection showed. */
interface Handshake {
  readonly identity: ClientIdentity;
  /** Undefined if the client sent none. */
  readonly certificate: X509Certificate | undefined;
}

const NO_HANDSHAKE: Handshake = { identity: { error: 'CLIENT_CERTIFICATE_REQUIRED' }, certificate: undefined };

const EXPIRED = 'CERT_HAS_EXPIRED';

/**
 * Trusted client certificates. A handshake fixes the identity of its connection, of which only
 * expiry is checked later; a reload ends the connections that it does not accept.
 */
export class ClientTrust extends Reloadable<ClientTrustFiles> {
  readonly #clock: WallClock;
  readonly #handshakes = new WeakMap<Socket, Handshake>();

  /**
   * @param production rejects files that other users can change
   * @throws OperatorError that names the setting, the file and what to do
   */
  constructor(names: ClientTrustFileNames, clock: WallClock, log: ServiceLog, production: boolean) {
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
  }

  /** To be called when the handshake of a connection ends. */
  handshakeEnded(socket: TLSSocket): void {
    const certificate = socket.getPeerX509Certificate();
    this.#handshakes.set(socket, { certificate, identity: this.#identify(certificate, socket) });
  }

  /** The identity of a peer, unless its certificate or an authority in the file has expired. */
  identify(socket: Socket): ClientIdentity {
    const { identity, certificate } = this.#handshakes.get(socket) ?? NO_HANDSHAKE;
    if (certificate === undefined || 'error' in identity) return identity;
    const now = this.#clock.now();
    const isExpired = Date.parse(certificate.validTo) < now || this.verify(certificate) === EXPIRED;
    return isExpired ? untrusted(EXPIRED) : identity;
  }

  /** Verifies a certificate without a handshake, as {@link clientVerifier}. */
  verify(certificate: X509Certificate): string | null {
    return this.current.verify(certificate, this.#clock.now());
  }

  /**
   * Which connections a reload ends: those with an identity that the files do not give. Once an
   * authority is removed, also those without their issuers in the file, and handshakes under way,
   * which may have used it.
   * @param previous the files before
   */
  endedByReload(previous: ClientTrustFiles): (socket: Socket) => boolean {
    const fingerprints = new Set(this.current.authorities.map(({ fingerprint256 }) => fingerprint256));
    const isRemoved = previous.authorities.some(({ fingerprint256 }) => !fingerprints.has(fingerprint256));
    return (socket) => {
      const handshake = this.#handshakes.get(socket);
      if (handshake === undefined) return isRemoved;
      const { identity, certificate } = handshake;
      // Its requests are refused.
      if (certificate === undefined || 'error' in identity) return false;
      if (isRemoved && this.verify(certificate) !== null) return true;
      return 'error' in identifyHolder(certificate, this.current);
    };
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

  #identify(certificate: X509Certificate | undefined, socket: TLSSocket): ClientIdentity {
    if (certificate === undefined) return NO_HANDSHAKE.identity;
    if (!socket.authorized) return untrusted(String(socket.authorizationError));
    return identifyHolder(certificate, this.current);
  }
}
