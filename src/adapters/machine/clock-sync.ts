import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Finding, fail, ok, warning } from './finding.ts';

/** A moment known to be in the past. */
export interface PastTimestamp {
  /** As a clause: `the audit file was last written`. */
  readonly what: string;
  /** Unix milliseconds. */
  readonly time: number;
}

/** Clocks and file systems are read at different instants. Milliseconds. */
const TOLERANCE_MS = 1000;

/** Whether the clock is behind a moment known to be past. No finding without such a moment. */
export function checkClockOrder(past: readonly PastTimestamp[], now: number = Date.now()): readonly Finding[] {
  if (past.length === 0) return [];
  const contradictions = past.filter(({ time }) => time > now + TOLERANCE_MS);
  const clock = new Date(now).toISOString();
  if (contradictions.length === 0) return [ok('clock-order', `${clock}, later than every known time on this machine`)];
  const reasons = contradictions.map(({ what, time }) => `${what} at ${new Date(time).toISOString()}`).join(', and ');
  return [
    fail(
      'clock-order',
      `the clock shows ${clock}, but ${reasons}`,
      'Set the clock and synchronize it with NTP (`timedatectl set-ntp true`, or chrony). Platforms reject signatures with a wrong time.',
    ),
  ];
}

/** Timeout of the server, milliseconds. */
const HTTP_TIMEOUT_MS = 5000;

/** Platforms usually accept a deviation of 1 to 5 seconds. */
const WARN_SKEW_MS = 1000;
/** Maximum between services that authenticate each other. */
const FAIL_SKEW_MS = 30_000;

/** A Date header is truncated to seconds (RFC 9110 §6.6.1): half a second late on average. */
const HALF_A_SECOND_MS = 500;

/**
 * Compares the clock with a server's Date header, less the uncertainty of network and header.
 * @param server any HTTP or HTTPS address; only its host is shown: the rest may hold a password
 */
export async function checkClockReference(server: URL, now: () => number = Date.now): Promise<Finding> {
  const sent = now();
  let date: string | null;
  try {
    const options = {
      method: 'HEAD',
      redirect: 'manual',
      cache: 'no-store',
      signal: AbortSignal.timeout(HTTP_TIMEOUT_MS),
    } as const;
    date = (await fetch(server, options)).headers.get('date');
  } catch {
    return warning(
      'clock',
      `unknown: ${server.host} did not respond`,
      'Use another server, with its scheme: `--clock-reference https://…`.',
    );
  }
  const received = now();
  const reference = Date.parse(date ?? '');
  if (Number.isNaN(reference)) {
    return warning(
      'clock',
      `unknown: ${server.host} responded without a date`,
      'Use another server: `--clock-reference https://…`.',
    );
  }
  const difference = (sent + received) / 2 - (reference + HALF_A_SECOND_MS);
  const uncertainty = (received - sent) / 2 + HALF_A_SECOND_MS;
  const deviation = Math.max(0, Math.abs(difference) - uncertainty);
  if (deviation <= WARN_SKEW_MS)
    return ok('clock', `within ${((WARN_SKEW_MS + uncertainty) / 1000).toFixed(1)} s of ${server.host}`);
  const message = `at least ${(deviation / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} ${server.host}`;
  const remedy =
    'Set the clock and synchronize it with NTP (`timedatectl set-ntp true`, or chrony), or use a server with a correct clock.';
  return deviation > FAIL_SKEW_MS ? fail('clock', message, remedy) : warning('clock', message, remedy);
}

/** Timeout of `timedatectl`, milliseconds. */
const TIMEOUT_MS = 2000;

/** Created by systemd-timesyncd after synchronization. */
const SYNCHRONISED = '/run/systemd/timesync/synchronized';

const REMEDY =
  'Synchronize the clock with NTP (`timedatectl set-ntp true`, or chrony). A container uses the clock of its host: check it there, ' +
  'or compare it with a server that you trust: `doctor --clock-reference https://…`.';

/**
 * Whether NTP keeps the clock. Platforms reject other times.
 * @param queryStatus resolves to the output of `timedatectl show -p NTPSynchronized --value`;
 *   rejects where that cannot run
 */
export async function checkClockSync(
  queryStatus: () => Promise<string> = runTimedatectl,
  file = SYNCHRONISED,
): Promise<Finding> {
  const status = await queryStatus().then(
    (text) => text.trim(),
    () => '',
  );
  if (status === 'yes') return ok('clock', 'synchronized by NTP');
  if (status === 'no') return warning('clock', 'not synchronized by NTP', REMEDY);
  if (existsSync(file)) return ok('clock', 'synchronized by NTP since the machine started');
  return warning('clock', 'unknown: the NTP status is not available', REMEDY);
}

async function runTimedatectl(): Promise<string> {
  const { stdout } = await promisify(execFile)('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], {
    timeout: TIMEOUT_MS,
  });
  return stdout;
}
