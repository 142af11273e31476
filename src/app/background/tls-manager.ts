import { FileWatch } from '../../adapters/files/file-watch.ts';
import type { ServerTls } from '../../adapters/http/app-dependencies.ts';
import { ClientTrust } from '../../adapters/http/tls/client-trust.ts';
import { TlsCertificate } from '../../adapters/http/tls/tls-certificate.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { Settings } from '../settings/settings.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Certificate and client trust of a running service. */
export interface TlsManager {
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
  /** Also of HTTP, for certificates that proxies forward; null without client certificates. */
  readonly clients: ClientTrust | null;
  reload(): void;
  stop(): void;
}

/**
 * Reads the TLS files, reloads them when they change (SIGNING_WATCH), retries failed reloads, and
 * logs daily if the certificate has to be renewed. Does not keep the process alive.
 * @param retryMs time between retries, milliseconds
 * @throws OperatorError naming the setting, the file and the remedy
 */
export function createTlsManager(
  { tls: files, forwardedCertificates, watch, production, expiryWarningDays }: Settings,
  clock: Clock,
  log: ServiceLog,
  retryMs = MINUTE_MS,
): TlsManager {
  const clientFiles = files?.clients ?? forwardedCertificates?.clients ?? null;
  if (files === null && clientFiles === null) {
    return { tls: null, clients: null, reload: () => undefined, stop: () => undefined };
  }
  const certificateWatch = new FileWatch(() => void certificate?.reload());
  const clientsWatch = new FileWatch(() => clients?.reload());
  // First, so that no change is missed.
  if (watch) {
    if (files !== null) certificateWatch.watch([files.certFile, files.keyFile]);
    if (clientFiles !== null) clientsWatch.watch(listTrustFiles(clientFiles));
  }
  const stopWatching = () => {
    certificateWatch.stop();
    clientsWatch.stop();
  };
  const certificate = openOrStop(stopWatching, () =>
    files === null ? null : new TlsCertificate(files, clock, log, expiryWarningDays),
  );
  const clients = openOrStop(stopWatching, () =>
    clientFiles === null ? null : new ClientTrust(clientFiles, clock, log, production),
  );
  certificate?.logExpiry();
  const retries = setInterval(() => {
    certificate?.retryReload();
    clients?.retryReload();
  }, retryMs).unref();
  const daily = setInterval(() => certificate?.checkExpiry(), DAY_MS).unref();
  return {
    tls: certificate === null ? null : { certificate, clients },
    clients,
    reload: () => {
      certificate?.reload();
      clients?.reload();
    },
    stop: () => {
      stopWatching();
      clearInterval(retries);
      clearInterval(daily);
    },
  };
}

function listTrustFiles({
  caFile,
  fingerprintsFile,
}: {
  caFile: string;
  fingerprintsFile: string | null;
}): readonly string[] {
  return fingerprintsFile === null ? [caFile] : [caFile, fingerprintsFile];
}

/** Stops the watches if the files cannot be opened. */
function openOrStop<Opened>(stopWatching: () => void, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    stopWatching();
    throw error;
  }
}
