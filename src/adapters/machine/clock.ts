import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { fail, type Outcome, warning } from './outcome.ts';

/** A moment known to be in the past. */
export interface PastTimestamp {
  /** As a clause: `the audit file was last written`. */
  readonly what: string;
  /** Unix milliseconds. */
  readonly time: number;
}

const SET_CLOCK = 'Set the clock and synchronize it with NTP (`timedatectl set-ntp true`, or chrony)';

/** Clocks and file systems are read at different instants. Milliseconds. */
const TOLERANCE_MS = 1000;

/**
 * Whether the clock is behind a moment known to be past. Empty without such a moment.
 * @param now Unix milliseconds
 */
export function checkClockOrder(past: readonly PastTimestamp[], now: number): readonly Outcome[] {
  if (past.length === 0) return [];
  const reasons = past
    .filter(({ time }) => time > now + TOLERANCE_MS)
    .map(({ what, time }) => `${what} at ${new Date(time).toISOString()}`);
  const clock = new Date(now).toISOString();
  if (reasons.length === 0) return [`${clock}, later than every known time on this machine`];
  return [
    fail(
      `the clock shows ${clock}, but ${reasons.join(', and ')}`,
      `${SET_CLOCK}. Platforms reject signatures with a wrong time.`,
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
export async function checkClockReference(server: URL, now: () => number = Date.now): Promise<Outcome> {
  const sent = now();
  const signal = AbortSignal.timeout(HTTP_TIMEOUT_MS);
  const options = { method: 'HEAD', redirect: 'manual', cache: 'no-store', signal } as const;
  const response = await fetch(server, options).catch(() => null);
  const received = now();
  const reference = Date.parse(response?.headers.get('date') ?? '');
  if (Number.isNaN(reference)) {
    return warning(
      `unknown: ${server.host} ${response === null ? 'did not respond' : 'responded without a date'}`,
      'Use another server, with its scheme: `--clock-reference https://…`.',
    );
  }
  const difference = (sent + received) / 2 - (reference + HALF_A_SECOND_MS);
  const uncertainty = (received - sent) / 2 + HALF_A_SECOND_MS;
  const deviation = Math.max(0, Math.abs(difference) - uncertainty);
  if (deviation <= WARN_SKEW_MS)
    return `within ${((WARN_SKEW_MS + uncertainty) / 1000).toFixed(1)} s of ${server.host}`;
  return {
    state: deviation > FAIL_SKEW_MS ? 'fail' : 'warning',
    message: `at least ${(deviation / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} ${server.host}`,
    remedy: `${SET_CLOCK}, or use a server with a correct clock.`,
  };
}

/** Timeout of `timedatectl`, milliseconds. */
const TIMEOUT_MS = 2000;

/** Created by systemd-timesyncd after synchronization. */
const SYNCHRONISED = '/run/systemd/timesync/synchronized';

/**
 * Whether NTP keeps the clock. Platforms reject other times.
 * @param queryStatus resolves to the output of `timedatectl show -p NTPSynchronized --value`;
 *   rejects where that cannot run
 */
export async function checkClockSync(queryStatus = runTimedatectl, file = SYNCHRONISED): Promise<Outcome> {
  const status = (await queryStatus().catch(() => '')).trim();
  if (status === 'yes') return 'synchronized by NTP';
  if (status !== 'no' && existsSync(file)) return 'synchronized by NTP since the machine started';
  return warning(
    status === 'no' ? 'not synchronized by NTP' : 'unknown: the NTP status is not available',
    'Synchronize the clock with NTP (`timedatectl set-ntp true`, or chrony). A container uses the clock of its host: check it there, ' +
      'or compare it with a server that you trust: `doctor --clock-reference https://…`.',
  );
}

async function runTimedatectl(): Promise<string> {
  const query = ['show', '-p', 'NTPSynchronized', '--value'];
  return (await promisify(execFile)('timedatectl', query, { timeout: TIMEOUT_MS })).stdout;
}
