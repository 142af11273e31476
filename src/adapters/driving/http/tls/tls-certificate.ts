import type { SecureContextOptions } from 'node:tls';
import { OperatorError } from '../../../../domain/model/errors.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import type { CertificateReport } from '../schemas/answers/tls-report.ts';
import { ReloadedFiles, type ReloadedFilesReport } from './reloaded-files.ts';
import { type CertificateFacts, readTlsFiles, type TlsFileNames, type TlsFiles } from './tls-files.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** With fewer days than this left, the service log warns. */
const WARNING_DAYS = 14;

/** What a TLS server can be told while it serves: later handshakes use it, connections that are open stay as they are. */
export interface HandshakeUser {
  setSecureContext(options: SecureContextOptions): void;
}

/** The certificate of HTTPS and its key while the service runs: read at the start, and again when the files have changed. */
export class TlsCertificate {
  readonly #names: TlsFileNames;
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  readonly #files: ReloadedFiles<TlsFiles>;
  readonly #users: HandshakeUser[] = [];

  /** @throws OperatorError that names the setting, the file and what to do */
  constructor(names: TlsFileNames, clock: Clock, log: ServiceLog) {
    this.#names = names;
    this.#clock = clock;
    this.#log = log;
    this.#files = new ReloadedFiles({
      unchanged: 'The HTTPS certificate stays as it was.',
      ...{ clock, log },
      read: (now) => readTlsFiles(names, now),
      use: (next, current, now) => this.#use(next, current, now),
    });
  }

  /** Certificate and key that are in force. */
  get current(): TlsFiles {
    return this.#files.current;
  }

  /** When they were read, and how the last reload went. */
  get files(): ReloadedFilesReport {
    return this.#files.report;
  }

  /** From now on this server is told of a new certificate. */
  servedBy(user: HandshakeUser): void {
    this.#users.push(user);
  }

  /**
   * Reads the files anew and has new connections use them. What can't be used (one file of two was renewed, one can't be read, the certificate is out of its period
   * while the one in force is not) changes nothing; the service log and `report` say so. Never throws.
   * @returns whether a certificate was taken
   */
  reload(): boolean {
    return this.#told(this.#files.reload());
  }

  /** Every minute: tries again where the last reload failed, since a certificate may be waiting for its period to begin. The same failure is not told again. */
  lookAgain(): void {
    this.#told(this.#files.retry());
  }

  /** Says in the service log when the certificate has to be renewed, or should have been. */
  tellExpiry(): void {
    const { notBefore, notAfter } = this.current.certificate;
    const facts = { certFile: this.#names.certFile, notBefore, notAfter };
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
    if (this.#files.hasFailed && this.reload()) return;
    this.tellExpiry();
  }

  /** What status and readiness show of it. */
  report(): CertificateReport {
    const { notBefore, notAfter, fingerprint256 } = this.current.certificate;
    const { loadedAt, lastReload } = this.#files.report;
    return {
      certificate: { notBefore, notAfter, fingerprint256, daysLeft: this.#daysLeft() },
      loadedAt,
      lastReload: lastReload === null ? null : { ...lastReload },
    };
  }

  #use(next: TlsFiles, current: TlsFiles, now: number): void {
    if (!isInForce(next.certificate, now) && isInForce(current.certificate, now)) {
      throw new OperatorError(next.warnings.join(' '));
    }
    for (const user of this.#users) user.setSecureContext({ cert: next.cert, key: next.key });
  }

  #told(isNew: boolean): boolean {
    if (!isNew) return false;
    const { fingerprint256, notAfter } = this.current.certificate;
    this.#log.info('HTTPS certificate loaded.', { fingerprint256, notAfter });
    this.tellExpiry();
    return true;
  }

  #daysLeft(): number {
    return Math.floor((Date.parse(this.current.certificate.notAfter) - this.#clock.now()) / DAY_MS);
  }
}

function isInForce({ notBefore, notAfter }: CertificateFacts, now: number): boolean {
  return now >= Date.parse(notBefore) && now <= Date.parse(notAfter);
}
