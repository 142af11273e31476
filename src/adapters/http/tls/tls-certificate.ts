import type { SecureContextOptions } from 'node:tls';
import { Reloadable, type ReloadReport } from '../../../domain/flow/reloadable.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { CertificateReport } from '../schemas/status-responses.ts';
import { type CertificateFacts, readTlsFiles, type TlsFileNames, type TlsFiles } from './tls-files.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Gets new TLS options for later handshakes; open connections are unaffected. */
export interface SecureContextHolder {
  setSecureContext(options: SecureContextOptions): void;
}

/** The HTTPS certificate and its key, reloadable. */
export class TlsCertificate {
  readonly #names: TlsFileNames;
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  readonly #warningDays: number;
  readonly #files: Reloadable<TlsFiles>;
  readonly #servers: SecureContextHolder[] = [];

  /**
   * @param warningDays logs a warning with fewer days left
   * @throws OperatorError that names the setting, the file and what to do
   */
  constructor(names: TlsFileNames, clock: Clock, log: ServiceLog, warningDays: number) {
    this.#names = names;
    this.#clock = clock;
    this.#log = log;
    this.#warningDays = warningDays;
    this.#files = new Reloadable({
      unchanged: 'The HTTPS certificate was not reloaded.',
      ...{ clock, log },
      load: (now) => readTlsFiles(names, now),
      replace: (next, current, now) => this.#apply(next, current, now),
      reloaded: ({ certificate }) => this.#logReload(certificate),
    });
  }

  /** The current certificate and key. */
  get current(): TlsFiles {
    return this.#files.current;
  }

  /** Their load time, and the last reload. */
  get files(): ReloadReport {
    return this.#files.report;
  }

  /** Adds a server to notify of a new certificate. */
  addServer(server: SecureContextHolder): void {
    this.#servers.push(server);
  }

  /**
   * Reloads the files for new connections. Mismatched or unreadable files, and an expired
   * certificate while the current one is valid, change nothing and are reported. Never throws.
   * @returns whether a certificate was loaded
   */
  reload(): boolean {
    return this.#files.reload();
  }

  /**
   * Every minute: retries a failed reload, since the certificate may become valid. Logs a failure
   * once.
   */
  retryReload(): void {
    this.#files.retry();
  }

  /** Logs a certificate that expires soon, has expired or is not valid yet. */
  logExpiry(): void {
    const { notBefore, notAfter } = this.current.certificate;
    const facts = { certFile: this.#names.certFile, notBefore, notAfter };
    const now = this.#clock.now();
    if (now > Date.parse(notAfter)) {
      this.#log.error('The HTTPS certificate has expired: clients reject it. Renew it.', facts);
      return;
    }
    if (now < Date.parse(notBefore)) {
      this.#log.warn('The HTTPS certificate is not valid yet: clients reject it. Check the clock.', facts);
      return;
    }
    const daysLeft = this.#daysLeft();
    if (daysLeft < this.#warningDays) {
      this.#log.warn('The HTTPS certificate expires soon. Renew it.', { ...facts, daysLeft });
    }
  }

  /** Daily: retries a failed reload, then checks expiry. */
  checkExpiry(): void {
    if (this.#files.hasFailed && this.reload()) return;
    this.logExpiry();
  }

  /** For status and readiness. */
  report(): CertificateReport {
    const { notBefore, notAfter, fingerprint256 } = this.current.certificate;
    return {
      certificate: { notBefore, notAfter, fingerprint256, daysLeft: this.#daysLeft() },
      ...this.#files.report,
    };
  }

  #apply(next: TlsFiles, current: TlsFiles, now: number): void {
    if (!isValidAt(next.certificate, now) && isValidAt(current.certificate, now)) {
      throw new OperatorError(next.warnings.join(' '));
    }
    for (const server of this.#servers) server.setSecureContext({ cert: next.cert, key: next.key });
  }

  #logReload({ fingerprint256, notAfter }: CertificateFacts): void {
    this.#log.info('HTTPS certificate loaded.', { fingerprint256, notAfter });
    this.logExpiry();
  }

  #daysLeft(): number {
    return Math.floor((Date.parse(this.current.certificate.notAfter) - this.#clock.now()) / DAY_MS);
  }
}

function isValidAt({ notBefore, notAfter }: CertificateFacts, now: number): boolean {
  return now >= Date.parse(notBefore) && now <= Date.parse(notAfter);
}
