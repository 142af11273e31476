import { TlsCertificate } from '../adapters/driving/http/tls-certificate.ts';
import { FileWatch } from '../files/file-watch.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { Settings } from './settings.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The certificate of HTTPS, null for HTTP, and what ends the care for it. */
export interface KeptCertificate {
  readonly certificate: TlsCertificate | null;
  stop(): void;
}

/**
 * Reads the certificate of HTTPS, reads it again whenever its files have changed (SIGNING_WATCH), tries again every minute while that failed, and says every day when it is time to renew it. It keeps no process alive.
 * @param againMs how often it is tried again, milliseconds
 * @throws ServerSetupError that names the setting, the file and what to do
 */
export function keepCertificate(
  { tls, watch }: Pick<Settings, 'tls' | 'watch'>,
  clock: Clock,
  log: ServiceLog,
  againMs = MINUTE_MS,
): KeptCertificate {
  if (tls === null) return { certificate: null, stop: () => undefined };
  const fileWatch = new FileWatch(() => void certificate.reload());
  // Before the files are read, so that no change falls in between.
  if (watch) fileWatch.watch([tls.certFile, tls.keyFile]);
  const certificate = openCertificate(() => new TlsCertificate(tls, clock, log), fileWatch);
  certificate.tellExpiry();
  const again = setInterval(() => certificate.lookAgain(), againMs).unref();
  const daily = setInterval(() => certificate.lookDaily(), DAY_MS).unref();
  return {
    certificate,
    stop: () => {
      fileWatch.stop();
      clearInterval(again);
      clearInterval(daily);
    },
  };
}

/** A service that does not start watches nothing. */
function openCertificate(open: () => TlsCertificate, fileWatch: FileWatch): TlsCertificate {
  try {
    return open();
  } catch (error) {
    fileWatch.stop();
    throw error;
  }
}
