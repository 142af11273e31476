import type { SecureContextOptions } from 'node:tls';
import type { JsonObject } from '../../../domain/model/json.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { ServerSetupError } from './server-setup-error.ts';
import { type CertificateFacts, readTlsFiles, type TlsFileNames, type TlsFiles } from './tls-files.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** With fewer days than this left, the service log warns. */
const WARNING_DAYS = 14;

/** What a TLS server can be told while it serves: later handshakes use it, connections that are open stay as they are. */
export interface CertificateUser {
  setSecureContext(options: SecureContextOptions): void;
}

/** How the last reload of the files went. */
interface LastReload {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly outcome: 'success' | 'failed';
  readonly message?: string;
}

/** What HTTPS servers of this service have in common, whichever certificate they show. */
export const TLS_VERSIONS = { minVersion: 'TLSv1.2' } as const satisfies SecureContextOptions;

/** The certificate of HTTPS and its key while the service runs: read at the start, and again when the files have changed. */
export class TlsCertificate {
  readonly #files: TlsFileNames;
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  #current: TlsFiles;
  #loadedAt: string;
  #lastReload: LastReload | null = null;
  /** What the service log was told last of a reload that failed; null once one succeeded. */
  #toldFailure: string | null = null;
  #user: CertificateUser | null = null;

  /** @throws ServerSetupError that names the setting, the file and what to do */
  constructor(files: TlsFileNames, clock: Clock, log: ServiceLog) {
    this.#files = files;
    this.#clock = clock;
    this.#log = log;
    this.#current = readTlsFiles(files, clock.now());
    this.#loadedAt = this.#time();
  }

  /** Certificate and key that are in force. */
  get current(): TlsFiles {
    return this.#current;
  }

  /** From now on this server is told of a new certificate. */
  servedBy(user: CertificateUser): void {
    this.#user = user;
  }

  /**
   * Reads the files anew and has new connections use them. What can't be used (one file of two was renewed, one can't be read, the certificate is out of its period
   * while the one in force is not) changes nothing; the service log and `report` say so. Never throws.
   * @returns whether a certificate was taken
   */
  reload(): boolean {
    this.#toldFailure = null;
    return this.#reload();
  }

  /** Every minute: tries again where the last reload failed, since a certificate may be waiting for its period to begin. The same failure is not told again. */
  lookAgain(): void {
    if (this.#lastReload?.outcome === 'failed') this.#reload();
  }

  /** Says in the service log when the certificate has to be renewed, or should have been. */
  tellExpiry(): void {
    const { notBefore, notAfter } = this.#current.certificate;
    const facts = { certFile: this.#files.certFile, notBefore, notAfter };
    const now = this.#clock.now();
    if (now > Date.parse(notAfter)) {
      this.#log.error('The HTTPS certificate has expired: clients refuse it. Renew it.', facts);
      return;
    }
    if (now < Date.parse(notBefore)) {
      this.#log.warn('The HTTPS certificate is not valid yet: clients refuse it. Check the clock.', facts);
      return;
    }
    const daysLeft = this.#daysLeft();
    if (daysLeft < WARNING_DAYS) {
      this.#log.warn('The HTTPS certificate expires soon. Renew it.', { ...facts, daysLeft });
    }
  }

  /** Once a day: tells of the expiry, and tries again where the last reload failed. */
  lookDaily(): void {
    if (this.#lastReload?.outcome === 'failed' && this.reload()) return;
    this.tellExpiry();
  }

  /** What status and readiness show of it. */
  report(): JsonObject {
    const { notBefore, notAfter, fingerprint256 } = this.#current.certificate;
    return {
      certificate: { notBefore, notAfter, fingerprint256, daysLeft: this.#daysLeft() },
      loadedAt: this.#loadedAt,
      lastReload: this.#lastReload === null ? null : { ...this.#lastReload },
    };
  }

  #reload(): boolean {
    const now = this.#clock.now();
    try {
      const next = readTlsFiles(this.#files, now);
      if (!isInForce(next.certificate, now) && isInForce(this.#current.certificate, now)) {
        throw new ServerSetupError(next.warnings.join(' '));
      }
      this.#user?.setSecureContext({ cert: next.cert, key: next.key, ...TLS_VERSIONS });
      this.#current = next;
      this.#loadedAt = this.#time();
      this.#lastReload = { at: this.#loadedAt, outcome: 'success' };
      this.#toldFailure = null;
      const { fingerprint256, notAfter } = next.certificate;
      this.#log.info('HTTPS certificate loaded.', { fingerprint256, notAfter });
      this.tellExpiry();
      return true;
    } catch (error) {
      const message =
        error instanceof ServerSetupError ? error.message : 'An unexpected error; the service log has it.';
      this.#lastReload = { at: this.#time(), outcome: 'failed', message };
      if (message === this.#toldFailure) return false;
      this.#toldFailure = message;
      const cause = error instanceof ServerSetupError ? {} : { cause: error };
      this.#log.error(`The HTTPS certificate stays as it was. ${message}`, cause);
      return false;
    }
  }

  #daysLeft(): number {
    return Math.floor((Date.parse(this.#current.certificate.notAfter) - this.#clock.now()) / DAY_MS);
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

function isInForce({ notBefore, notAfter }: CertificateFacts, now: number): boolean {
  return now >= Date.parse(notBefore) && now <= Date.parse(notAfter);
}
