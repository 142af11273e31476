import { type Finding, fail, ok } from './finding.ts';

/** Something that happened, or was dated, before now. */
export interface PastMoment {
  /** As a clause: `the audit file was last written`. */
  readonly what: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly time: number;
}

/** File systems and clocks are not read in the same instant. Milliseconds. */
const TOLERANCE_MS = 1000;

/** Whether the clock stands before a moment that is known to be over: then it is slow. Nothing is found where no such moment is known. */
export function checkClockOrder(past: readonly PastMoment[], now: number = Date.now()): readonly Finding[] {
  if (past.length === 0) return [];
  const contradictions = past.filter(({ time }) => time > now + TOLERANCE_MS);
  const clock = new Date(now).toISOString();
  if (contradictions.length === 0) return [ok('clock-order', `${clock}, after all that is dated on this machine`)];
  const reasons = contradictions.map(({ what, time }) => `${what} at ${new Date(time).toISOString()}`).join(', and ');
  return [
    fail(
      'clock-order',
      `the clock says ${clock}, but ${reasons}`,
      'Set the clock, and let NTP keep it (`timedatectl set-ntp true`, or chrony). Signatures with a wrong time are refused by platforms.',
    ),
  ];
}
