import { constants } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';

/*
 * Preloaded into the service (`--import`): kills it at a step of an audit file's rotation. KILL_AT
 * is `create`, `first record`, `link` or `rename`, KILL_WHEN `before`, `during` (a write of the
 * first half) or `after`, and KILL_AFTER how many of these to let pass.
 */

const { KILL_AT, KILL_WHEN, KILL_AFTER } = process.env;
const SEGMENT = /\.\d{12}(_\d+)?\.jsonl$/;
let toPass = Number(KILL_AFTER);

function killIf(step: string, moment: string): void {
  if (step !== KILL_AT || moment !== KILL_WHEN) return;
  if (toPass === 0) process.kill(process.pid, 'SIGKILL');
  toPass -= 1;
}

/** Calls with a moment before and after. */
function interrupted<Args extends readonly unknown[], Result>(
  step: string,
  call: (...args: Args) => Promise<Result>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    killIf(step, 'before');
    const result = await call(...args);
    killIf(step, 'after');
    return result;
  };
}

/** The first write of a new segment is its first record. */
function interruptFirstWrite(handle: FileHandle): void {
  const write = handle.write.bind(handle) as (bytes: Uint8Array, offset: number) => Promise<unknown>;
  const first = async (bytes: Uint8Array, offset: number) => {
    handle.write = write as FileHandle['write'];
    killIf('first record', 'before');
    if (KILL_AT === 'first record' && KILL_WHEN === 'during' && toPass === 0)
      await write(bytes.subarray(0, bytes.length / 2), 0);
    killIf('first record', 'during');
    const result = await write(bytes, offset);
    killIf('first record', 'after');
    return result;
  };
  handle.write = first as unknown as FileHandle['write'];
}

const { open, rename } = fs;
const renameSegment = interrupted('rename', rename);
fs.link = interrupted('link', fs.link);
// The snapshot of the usage counters is replaced, too.
fs.rename = (from, to) => (String(to).endsWith('.usage') ? rename(from, to) : renameSegment(from, to));
fs.open = async (path, flags, mode) => {
  const isNew = SEGMENT.test(String(path)) && (Number(flags) & constants.O_EXCL) !== 0;
  if (!isNew) return open(path, flags, mode);
  const handle = await interrupted('create', open)(path, flags, mode);
  interruptFirstWrite(handle);
  return handle;
};
