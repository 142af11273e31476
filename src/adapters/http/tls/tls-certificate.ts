import { Reloadable } from '../../../domain/flow/reloadable.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { CertificateReport } from '../schemas/status-responses.ts';
import { readTlsFiles, type TlsFileNames, type TlsFiles } from './tls-files.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The HTTPS certificate and its key. A reload is for new connections. Mismatched or unreadable
 * files, and an expired certificate while the current one is valid, change nothing.
 */
export class TlsCertificate extends Reloadable<TlsFiles> {
  readonly #names: TlsFileNames;
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  readonly #warningDays: number;

  /**
   * @param warningDays logs a warning with fewer days left
   * @throws OperatorError that names the setting, the file and what to do
   */
  constructor(names: TlsFileNames, clock: Clock, log: ServiceLog, warningDays: number) {
    super({
      unchanged: 'The HTTPS certificate was not reloaded.',
      clock,
      log,
      load: () => readTlsFiles(names),
      assertReplaces: (next, current, now) => {
        const issue = findPeriodIssue(next, names, now);
        if (issue !== null && findPeriodIssue(current, names, now) === null) throw new OperatorError(issue);
      },
      reloaded: () => {
        const { fingerprint256, notAfter } = this.report().certificate;
        log.info('HTTPS certificate loaded.', { fingerprint256, notAfter });
        this.check();
      },
    });
    this.#names = names;
    this.#clock = clock;
    this.#log = log;
    this.#warningDays = warningDays;
  }

  /** Logs a certificate that clients reject, now or soon. */
  check(): void {
    const { notAfter, daysLeft } = this.report().certificate;
    const issue = findPeriodIssue(this.current, this.#names, this.#clock.now());
    if (issue !== null) this.#log.error(issue);
    else if (daysLeft < this.#warningDays) {
      const facts = { certFile: this.#names.certFile, notAfter, daysLeft };
      this.#log.warn('The HTTPS certificate expires soon. Renew it.', facts);
    }
  }

  /** For status and readiness. */
  report(): CertificateReport {
    const { validFrom, validTo, fingerprint256 } = this.current.certificate;
    const [from, to] = [new Date(validFrom), new Date(validTo)];
    const daysLeft = Math.floor((to.getTime() - this.#clock.now()) / DAY_MS);
    return {
      certificate: { notBefore: from.toISOString(), notAfter: to.toISOString(), fingerprint256, daysLeft },
      ...this.reloadReport,
    };
  }
}

/** Why clients reject the certificate, for operators; null if they don't. */
function findPeriodIssue({ certificate }: TlsFiles, { certFile }: TlsFileNames, now: number): string | null {
  const { validFrom, validTo } = certificate;
  if (now > Date.parse(validTo)) {
    return `SIGNING_TLS_CERT_FILE: the certificate in ${certFile} expired on ${validTo}. Clients reject it; renew it.`;
  }
  if (now < Date.parse(validFrom)) {
    return `SIGNING_TLS_CERT_FILE: the certificate in ${certFile} is not valid before ${validFrom}. Clients reject it; check the clock.`;
  }
  return null;
}
