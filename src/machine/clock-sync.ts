import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Finding, ok, warning } from './finding.ts';

/** Longest wait for `timedatectl`, milliseconds. */
const TIMEOUT_MS = 2000;

/** systemd-timesyncd makes this file once it has set the clock. */
const SYNCHRONISED = '/run/systemd/timesync/synchronized';

const REMEDY =
  'Run NTP on the machine (`timedatectl set-ntp true`, or chrony). In a container, the clock is that of the machine that runs it: look there, ' +
  'or compare it with a server that you trust: `doctor --clock-reference https://…`.';

/**
 * Whether something keeps this machine's clock right. Platforms refuse what is signed for another time.
 * @param ask prints what `timedatectl show -p NTPSynchronized --value` prints (whichever NTP client there is), or rejects
 */
export async function checkClockSync(ask: () => Promise<string> = askSystem, file = SYNCHRONISED): Promise<Finding> {
  const answer = await ask().then(
    (text) => text.trim(),
    () => '',
  );
  if (answer === 'yes') return ok('clock', 'synchronised by NTP');
  if (answer === 'no') return warning('clock', 'not synchronised by NTP', REMEDY);
  if (existsSync(file)) return ok('clock', 'synchronised by NTP since the machine started');
  return warning('clock', "can't tell whether NTP keeps it right", REMEDY);
}

async function askSystem(): Promise<string> {
  const { stdout } = await promisify(execFile)('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], {
    timeout: TIMEOUT_MS,
  });
  return stdout;
}
