import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../../../ports/clock.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import type { ClientTrustReport } from '../schemas/answers/tls-report.ts';
import { certificateName } from './certificate-name.ts';
import {
  type ClientTrustFileNames,
  type ClientTrustFiles,
  plainFingerprint,
  readClientTrustFiles,
} from './client-trust-files.ts';
import { ReloadedFiles, type ReloadedFilesReport } from './reloaded-files.ts';
import type { HandshakeUser } from './tls-certificate.ts';
import { isIssuedBy, trustedUntil } from './trust-period.ts';

/** Why a client is not taken for somebody. */
export type ClientFault =
  | 'CLIENT_CERTIFICATE_REQUIRED'
  | 'CLIENT_CERTIFICATE_UNTRUSTED'
  | 'CLIENT_CERTIFICATE_NOT_LISTED'
  | 'CLIENT_CERTIFICATE_UNNAMED';

/** Who a client is, by its certificate, or why it is nobody. */
export type ClientIdentity =
  | { readonly principal: string }
  | {
      readonly fault: ClientFault /** OpenSSL's name of what is wrong, or CONNECT_AGAIN. */;
      readonly problem?: string;
    };

/** What a connection showed in its handshake. Asked for once: a peer that shakes hands again may show another certificate, and Node goes on saying that it is authorized. */
interface Shown {
  readonly certificate: X509Certificate | undefined;
  /** Null when OpenSSL found nothing wrong with it. */
  readonly problem: string | null;
  /** When the connection was opened, before the handshake, on the monotonic clock. */
  readonly openedAt: number;
}

/** What a connection's certificate was found to be. */
interface Known {
  /** The files by which it was. */
  readonly by: ClientTrustFiles;
  readonly identity: ClientIdentity;
  /** When the period ends of the certificate or of who issued it, milliseconds since 1970-01-01T00:00:00Z. */
  readonly until: number;
}

/** Which client certificates are taken while the service runs, and whose they are. The handshake proves that the client has the key; the rest is looked at with each request, so that a reload acts at once, also on connections that are open. */
export class ClientTrust {
  readonly #names: ClientTrustFileNames;
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  readonly #files: ReloadedFiles<ClientTrustFiles>;
  readonly #users: HandshakeUser[] = [];
  readonly #known = new WeakMap<Socket, Known>();
  readonly #shown = new WeakMap<Socket, Shown>();
  /** When an authority was last taken away, on the monotonic clock: handshakes of before may have used it. Null while none was. */
  #withdrawnAt: number | null = null;

  /**
   * @param production whether files that other users can change are refused
   * @throws OperatorError that names the setting, the file and what to do
   */
  constructor(names: ClientTrustFileNames, clock: Clock, log: ServiceLog, production: boolean) {
    this.#names = names;
    this.#clock = clock;
    this.#log = log;
    this.#files = new ReloadedFiles({
      unchanged: 'The client certificates that are taken stay the same.',
      ...{ clock, log },
      read: () => readClientTrustFiles(names, production),
      use: (next, current) => this.#use(next, current),
    });
  }

  /** PEM certificates of the authorities that are in force. */
  get ca(): Buffer {
    return this.#files.current.ca;
  }

  /** The authorities that are in force. */
  get authorities(): readonly X509Certificate[] {
    return this.#files.current.authorities;
  }

  /** How many certificates are listed one by one; null where there is no list. */
  get listed(): number | null {
    return this.#files.current.fingerprints?.size ?? null;
  }

  /** When the files were read, and how the last reload went. */
  get files(): ReloadedFilesReport {
    return this.#files.report;
  }

  /** The time by which connections are told apart from changes, milliseconds on the monotonic clock. */
  now(): number {
    return this.#clock.monotonic();
  }

  /** From now on this server is told of new authorities. */
  servedBy(user: HandshakeUser): void {
    this.#users.push(user);
  }

  /**
   * Tells that the handshake of a connection is over.
   * @param openedAt when the connection was opened, before the handshake, on the monotonic clock
   */
  opened(socket: TLSSocket, openedAt: number): void {
    const certificate = socket.getPeerX509Certificate();
    const problem = socket.authorized ? null : String(socket.authorizationError);
    this.#shown.set(socket, { certificate, problem, openedAt });
  }

  /** Reads the files anew. What can't be used changes nothing; the service log and `report` say so. Never throws. */
  reload(): void {
    this.#told(this.#files.reload());
  }

  /** Tries again where the last reload failed; the same failure is not told again. */
  lookAgain(): void {
    this.#told(this.#files.retry());
  }

  /** Who is at the other end of a connection, by what is in force now. */
  identify(socket: Socket): ClientIdentity {
    const known = this.#known.get(socket);
    if (known?.by !== this.#files.current) return this.#examine(socket);
    return this.#clock.now() <= known.until ? known.identity : EXPIRED;
  }

  /** What status shows of it. */
  report(): ClientTrustReport {
    const { authorities, fingerprints } = this.#files.current;
    const { loadedAt, lastReload } = this.#files.report;
    return {
      authorities: authorities.length,
      fingerprints: fingerprints?.size ?? null,
      loadedAt,
      lastReload: lastReload === null ? null : { ...lastReload },
    };
  }

  #examine(socket: Socket): ClientIdentity {
    const shown = this.#shown.get(socket);
    if (shown?.certificate === undefined) return { fault: 'CLIENT_CERTIFICATE_REQUIRED' };
    const until = trustedUntil(shown.certificate, this.#files.current.authorities);
    const identity = this.#identityOf(shown.certificate, shown);
    this.#known.set(socket, { by: this.#files.current, identity, until });
    return this.#clock.now() <= until ? identity : EXPIRED;
  }

  #identityOf(certificate: X509Certificate, { problem, openedAt }: Shown): ClientIdentity {
    const { authorities, fingerprints } = this.#files.current;
    if (problem !== null) return { fault: 'CLIENT_CERTIFICATE_UNTRUSTED', problem };
    const mayBeWithdrawn = this.#withdrawnAt !== null && openedAt <= this.#withdrawnAt;
    if (mayBeWithdrawn && !authorities.some((authority) => isIssuedBy(certificate, authority))) {
      return { fault: 'CLIENT_CERTIFICATE_UNTRUSTED', problem: 'CONNECT_AGAIN' };
    }
    if (fingerprints !== null && !fingerprints.has(plainFingerprint(certificate.fingerprint256))) {
      return { fault: 'CLIENT_CERTIFICATE_NOT_LISTED' };
    }
    const principal = certificateName(certificate);
    return principal === null ? { fault: 'CLIENT_CERTIFICATE_UNNAMED' } : { principal };
  }

  #use(next: ClientTrustFiles, current: ClientTrustFiles): void {
    if (next.ca.equals(current.ca)) return;
    for (const user of this.#users) user.setSecureContext({ ca: next.ca });
    const kept = new Set(next.authorities.map(({ fingerprint256 }) => fingerprint256));
    const isWithdrawn = current.authorities.some(({ fingerprint256 }) => !kept.has(fingerprint256));
    if (isWithdrawn) this.#withdrawnAt = this.#clock.monotonic();
  }

  #told(isNew: boolean): void {
    if (!isNew) return;
    const { authorities, fingerprints } = this.#files.current;
    const facts = { ...this.#names, authorities: authorities.length, fingerprints: fingerprints?.size ?? null };
    this.#log.info('The client certificates that are taken were loaded.', facts);
  }
}

const EXPIRED: ClientIdentity = { fault: 'CLIENT_CERTIFICATE_UNTRUSTED', problem: 'CERT_HAS_EXPIRED' };
