import { setTimeout as sleep } from 'node:timers/promises';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import { systemErrorCode } from './system-error-code.ts';

/** A lock whose holder did not renew it for so long belongs to a process that is gone. Milliseconds. */
const STALE_AFTER = 10_000;
const RENEW_EVERY = 2_000;
/** 20 to 100 milliseconds apart: 12 to 60 seconds, longer than a lock takes to go stale. */
const RETRIES = 600;
const MIN_PAUSE = 20;
const MAX_PAUSE = 100;

/**
 * Runs `action` while no other editor holds `<file>.lock`, in this process or another; waits for its turn.
 *
 * @param file path of an existing file, without symbolic links
 * @param action is told, when it asks, whether the lock is still held (a process that was suspended can lose it)
 * @param retries how often to try again while another holds the lock
 * @throws EditRefusedError when the lock can't be had
 */
export async function withFileLock<Result>(
  file: string,
  action: (isHeld: () => boolean) => Promise<Result>,
  retries = RETRIES,
): Promise<Result> {
  let held = true;
  const release = await acquire(file, retries, () => {
    held = false;
  });
  try {
    return await action(() => held);
  } finally {
    // A lock that can't be removed goes stale; the change that was made under it stands.
    if (held) await release().catch(() => undefined);
  }
}

async function acquire(file: string, retries: number, onCompromised: () => void): Promise<() => Promise<void>> {
  // Loaded by those who edit only: it hooks into the signals and the exit of its process.
  const { lock } = await import('proper-lockfile');
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await lock(file, { realpath: false, stale: STALE_AFTER, update: RENEW_EVERY, onCompromised });
    } catch (error) {
      if (systemErrorCode(error) !== 'ELOCKED' || attempt >= retries) throw refusal(file, error);
    }
    await sleep(MIN_PAUSE + Math.random() * (MAX_PAUSE - MIN_PAUSE));
  }
}

function refusal(file: string, error: unknown): EditRefusedError {
  const code = systemErrorCode(error);
  if (code === 'ELOCKED') {
    return new EditRefusedError(
      `${file} is being changed by another process, which holds ${file}.lock; nothing was changed. Try again when it is done.`,
      { cause: error },
    );
  }
  return new EditRefusedError(
    `${file}.lock can't be made (${code}); nothing was changed. Changing the file needs write permission on its folder.`,
    { cause: error },
  );
}
