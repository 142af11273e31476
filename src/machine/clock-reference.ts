import { type Finding, fail, ok, warning } from './finding.ts';

/** Longest wait for the server, milliseconds. */
const TIMEOUT_MS = 5000;

/** Platforms usually take what was signed within 1 to 5 seconds. */
const NOTABLE_MS = 1000;
/** No more than this is ever accepted between services that authenticate each other. */
const INTOLERABLE_MS = 30_000;

/** A Date header is cut to the second (RFC 9110 §6.6.1), so its server's clock was half a second further on average. */
const HALF_A_SECOND_MS = 500;

/**
 * Compares this machine's clock with the Date header of a server. What the network and the header's resolution leave open is no deviation.
 * @param server an HTTP or HTTPS address; any answer will do. Only its host is ever shown, since an address can hold a password.
 */
export async function checkClockReference(server: URL, now: () => number = Date.now): Promise<Finding> {
  const sent = now();
  let date: string | null;
  try {
    const options = {
      method: 'HEAD',
      redirect: 'manual',
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    } as const;
    date = (await fetch(server, options)).headers.get('date');
  } catch {
    return warning(
      'clock',
      `can't tell: ${server.host} did not answer`,
      'Name another server, with its scheme: `--clock-reference https://…`.',
    );
  }
  const received = now();
  const reference = Date.parse(date ?? '');
  if (Number.isNaN(reference)) {
    return warning(
      'clock',
      `can't tell: ${server.host} answered without a date`,
      'Name another server: `--clock-reference https://…`.',
    );
  }
  const difference = (sent + received) / 2 - (reference + HALF_A_SECOND_MS);
  const uncertainty = (received - sent) / 2 + HALF_A_SECOND_MS;
  const deviation = Math.max(0, Math.abs(difference) - uncertainty);
  if (deviation <= NOTABLE_MS)
    return ok('clock', `within ${((NOTABLE_MS + uncertainty) / 1000).toFixed(1)} s of ${server.host}`);
  const message = `at least ${(deviation / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} ${server.host}`;
  const remedy =
    'Set the clock, and let NTP keep it (`timedatectl set-ntp true`, or chrony); or name a server whose clock is right.';
  return deviation > INTOLERABLE_MS ? fail('clock', message, remedy) : warning('clock', message, remedy);
}
