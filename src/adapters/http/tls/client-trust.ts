import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Reloadable } from '../../../domain/flow/reloadable.ts';
import { isPrincipal } from '../../../domain/model/authentication.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { ClientError } from '../refusals.ts';
import type { ClientTrustReport } from '../schemas/status-responses.ts';
import {
  type ClientTrustFileNames,
  type ClientTrustFiles,
  normalizeFingerprint,
  readClientTrustFiles,
} from './client-trust-files.ts';
import type { SecureContextHolder } from './tls-certificate.ts';

/** Alternative names in order of preference (RFC 5280 §4.2.1.6); URI as in SPIFFE. */
const NAME_KINDS = ['URI:', 'DNS:', 'email:'] as const;

/**
 * The caller's name: the first URI, host name or mail address, else the only common name. Null if
 * that is not a valid principal.
 */
export function certificateName(certificate: X509Certificate): string | null {
  const name = alternativeName(certificate.subjectAltName ?? '') ?? commonName(certificate);
  return name !== undefined && isPrincipal(name) ? name : null;
}

/** Node quotes names with special characters; none of those is valid. */
function alternativeName(text: string): string | undefined {
  const names = text.split(', ');
  for (const kind of NAME_KINDS) {
    const found = names.find((name) => name.startsWith(kind));
    if (found !== undefined) return text.includes('"') ? '' : found.slice(kind.length);
  }
  return undefined;
}

/** An array if there are several. */
function commonName(certificate: X509Certificate): string | undefined {
  const { CN: name } = certificate.toLegacyObject().subject as { readonly CN?: string | readonly string[] };
  return typeof name === 'string' ? name : undefined;
}

/**
 * Expiry of a certificate and the authorities above it. OpenSSL checks the latter in full
 * handshakes only, not in resumed sessions; intermediates sent by the client are checked there
 * only, since Node 24 hides them. Of several issuers the latest counts.
 * @param authorities the trusted ones
 * @returns milliseconds since 1970-01-01T00:00:00Z
 */
export function trustedUntil(certificate: X509Certificate, authorities: readonly X509Certificate[]): number {
  const end = Date.parse(certificate.validTo);
  const issuers = authorities.filter((authority) => isIssuedBy(certificate, authority));
  if (issuers.length === 0) return end;
  const above = authorities.filter((authority) => !issuers.includes(authority));
  return Math.min(end, Math.max(...issuers.map((issuer) => trustedUntil(issuer, above))));
}

/** Whether an authority issued a certificate, by its key: names may be shared. */
export function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

/** The principal of a client, or why it has none. */
export type ClientIdentity =
  | { readonly principal: string }
  | {
      readonly error: ClientError;
      /** OpenSSL's error code, CONNECT_AGAIN, or of a proxy's own certificate a ClientError. */
      readonly problem?: string;
    };

/** The identity of the holder of a verified certificate: it must be listed and have a name. */
export function identifyHolder(
  certificate: X509Certificate,
  { fingerprints }: Pick<ClientTrustFiles, 'fingerprints'>,
): ClientIdentity {
  if (fingerprints !== null && !fingerprints.has(normalizeFingerprint(certificate.fingerprint256))) {
    return { error: 'CLIENT_CERTIFICATE_NOT_LISTED' };
  }
  const principal = certificateName(certificate);
  return principal === null ? { error: 'CLIENT_CERTIFICATE_UNNAMED' } : { principal };
}

/** Read once: after a renegotiation Node would report a new certificate as authorized. */
interface HandshakeResult {
  readonly certificate: X509Certificate | undefined;
  /** Null if OpenSSL trusts it. */
  readonly problem: string | null;
  /** Before the handshake, monotonic milliseconds. */
  readonly openedAt: number;
}

/** A cached identity. */
interface CachedIdentity {
  /** The files it is based on. */
  readonly files: ClientTrustFiles;
  readonly identity: ClientIdentity;
  /** Expiry, milliseconds since 1970-01-01T00:00:00Z. */
  readonly until: number;
}

/**
 * Trusted client certificates. The handshake proves possession of the key; the rest is checked for
 * each request, so that a reload affects open connections.
 */
export class ClientTrust extends Reloadable<ClientTrustFiles> {
  readonly #clock: Clock;
  readonly #servers: SecureContextHolder[] = [];
  readonly #identities = new WeakMap<Socket, CachedIdentity>();
  readonly #handshakes = new WeakMap<Socket, HandshakeResult>();
  /**
   * When an authority was last removed, monotonic milliseconds: earlier handshakes may have used
   * it.
   */
  #authorityRemovedAt: number | null = null;

  /**
   * @param production rejects files that other users can change
   * @throws OperatorError that names the setting, the file and what to do
   */
  constructor(names: ClientTrustFileNames, clock: Clock, log: ServiceLog, production: boolean) {
    super({
      unchanged: 'The trusted client certificates were not reloaded.',
      ...{ clock, log },
      load: () => readClientTrustFiles(names, production),
      replace: (next, current) => this.#replace(next, current),
      reloaded: ({ authorities: { length }, fingerprints }) =>
        log.info('Trusted client certificates loaded.', {
          ...{ ...names, authorities: length, fingerprints: fingerprints?.size ?? null },
        }),
    });
    this.#clock = clock;
  }

  /** PEM certificates of the current authorities. */
  get ca(): Buffer {
    return this.current.ca;
  }

  /** The current authorities. */
  get authorities(): readonly X509Certificate[] {
    return this.current.authorities;
  }

  /** Number of listed fingerprints; null without a list. */
  get listed(): number | null {
    return this.current.fingerprints?.size ?? null;
  }

  /** Monotonic milliseconds. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** Adds a server to notify of new authorities. */
  addServer(server: SecureContextHolder): void {
    this.#servers.push(server);
  }

  /**
   * Stores the result of a handshake.
   * @param openedAt when the connection was opened, monotonic milliseconds
   */
  opened(socket: TLSSocket, openedAt: number): void {
    const certificate = socket.getPeerX509Certificate();
    const problem = socket.authorized ? null : String(socket.authorizationError);
    this.#handshakes.set(socket, { certificate, problem, openedAt });
  }

  /** The identity of a peer under the current files. */
  identify(socket: Socket): ClientIdentity {
    const cached = this.#identities.get(socket);
    if (cached?.files !== this.current) return this.#evaluate(socket);
    return this.#clock.now() <= cached.until ? cached.identity : EXPIRED;
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

  #evaluate(socket: Socket): ClientIdentity {
    const handshake = this.#handshakes.get(socket);
    if (handshake?.certificate === undefined) return { error: 'CLIENT_CERTIFICATE_REQUIRED' };
    const until = trustedUntil(handshake.certificate, this.current.authorities);
    const identity = this.#judge(handshake.certificate, handshake);
    this.#identities.set(socket, { files: this.current, identity, until });
    return this.#clock.now() <= until ? identity : EXPIRED;
  }

  #judge(certificate: X509Certificate, { problem, openedAt }: HandshakeResult): ClientIdentity {
    const { authorities } = this.current;
    if (problem !== null) return { error: 'CLIENT_CERTIFICATE_UNTRUSTED', problem };
    const mayPredateRemoval = this.#authorityRemovedAt !== null && openedAt <= this.#authorityRemovedAt;
    if (mayPredateRemoval && !authorities.some((authority) => isIssuedBy(certificate, authority))) {
      return { error: 'CLIENT_CERTIFICATE_UNTRUSTED', problem: 'CONNECT_AGAIN' };
    }
    return identifyHolder(certificate, this.current);
  }

  #replace(next: ClientTrustFiles, current: ClientTrustFiles): void {
    if (next.ca.equals(current.ca)) return;
    for (const server of this.#servers) server.setSecureContext({ ca: next.ca });
    const remaining = new Set(next.authorities.map(({ fingerprint256 }) => fingerprint256));
    const isAuthorityRemoved = current.authorities.some(({ fingerprint256 }) => !remaining.has(fingerprint256));
    if (isAuthorityRemoved) this.#authorityRemovedAt = this.#clock.monotonic();
  }
}

const EXPIRED: ClientIdentity = { error: 'CLIENT_CERTIFICATE_UNTRUSTED', problem: 'CERT_HAS_EXPIRED' };
