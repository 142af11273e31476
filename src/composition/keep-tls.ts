import { ClientTrust } from '../adapters/driving/http/tls/client-trust.ts';
import type { ServerTls } from '../adapters/driving/http/tls/server-tls.ts';
import { TlsCertificate } from '../adapters/driving/http/tls/tls-certificate.ts';
import { FileWatch } from '../files/file-watch.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { Settings } from './settings.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Certificate and client trust while the service runs. */
export interface KeptTls {
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
  reload(): void;
  stop(): void;
}

/**
 * Reads the files of HTTPS, reloads them when they change (SIGNING_WATCH), retries every minute
 * while that fails, and logs every day when it is time to renew the certificate. It keeps no
 * process alive.
 * @param againMs time between two retries, milliseconds
 * @throws OperatorError that names the setting, the file and what to do
 */
export function keepTls(
  { tls: files, watch, production }: Settings,
  clock: Clock,
  log: ServiceLog,
  againMs = MINUTE_MS,
): KeptTls {
  if (files === null) return { tls: null, reload: () => undefined, stop: () => undefined };
  const { clients: clientFiles } = files;
  const certificateWatch = new FileWatch(() => void certificate.reload());
  const clientsWatch = new FileWatch(() => clients?.reload());
  // Before the files are read, so that no change falls in between.
  if (watch) {
    certificateWatch.watch([files.certFile, files.keyFile]);
    if (clientFiles !== null) clientsWatch.watch(namesOf(clientFiles));
  }
  const stopWatching = () => {
    certificateWatch.stop();
    clientsWatch.stop();
  };
  const certificate = openOr(stopWatching, () => new TlsCertificate(files, clock, log));
  const clients = openOr(stopWatching, () =>
    clientFiles === null ? null : new ClientTrust(clientFiles, clock, log, production),
  );
  certificate.tellExpiry();
  const again = setInterval(() => {
    certificate.lookAgain();
    clients?.lookAgain();
  }, againMs).unref();
  const daily = setInterval(() => certificate.lookDaily(), DAY_MS).unref();
  return {
    tls: { certificate, clients },
    reload: () => {
      certificate.reload();
      clients?.reload();
    },
    stop: () => {
      stopWatching();
      clearInterval(again);
      clearInterval(daily);
    },
  };
}

function namesOf({ caFile, fingerprintsFile }: { caFile: string; fingerprintsFile: string | null }): readonly string[] {
  return fingerprintsFile === null ? [caFile] : [caFile, fingerprintsFile];
}

/** A service that does not start watches no files. */
function openOr<Opened>(stopWatching: () => void, open: () => Opened): Opened {
  try {
    return open();
  } catch (error) {
    stopWatching();
    throw error;
  }
}
