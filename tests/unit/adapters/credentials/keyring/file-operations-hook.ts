import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** A file system call. */
export interface FileOperation {
  readonly name: string;
  /** Whether it changes files or makes changes durable. */
  readonly changes: boolean;
}

type Callable = (this: unknown, ...args: unknown[]) => unknown;
type Holder = { [name: string]: unknown };

const CHANGING = ['writeSync', 'fsyncSync', 'unlinkSync', 'mkdirSync', 'rename', 'rm'];
const READING = ['readSync', 'stat', 'lstat', 'realpath'];
const CHANGING_HANDLES = ['writeFile', 'sync', 'chmod', 'chown'];
const READING_HANDLES = ['readFile', 'stat'];

/**
 * Calls `hook` before each operation of node:fs and node:fs/promises until the returned function is
 * called.
 */
export async function hookFileOperations(hook: (operation: FileOperation) => void): Promise<() => void> {
  const handle = await promises.open('/dev/null');
  const prototype = Object.getPrototypeOf(handle) as Holder;
  await handle.close();
  const restore: (() => void)[] = [];

  const wrap = (holder: Holder, name: string, changes: (args: readonly unknown[]) => boolean) => {
    const original = holder[name];
    if (typeof original !== 'function') return;
    const replacement: Callable = function (...args) {
      hook({ name, changes: changes(args) });
      return (original as Callable).apply(this, args);
    };
    holder[name] = replacement;
    restore.push(() => {
      holder[name] = original;
    });
  };

  for (const holder of [fs, promises] as unknown as readonly Holder[]) {
    for (const name of CHANGING) wrap(holder, name, () => true);
    for (const name of READING) wrap(holder, name, () => false);
    for (const name of ['open', 'openSync']) wrap(holder, name, creates);
  }
  for (const name of CHANGING_HANDLES) wrap(prototype, name, () => true);
  for (const name of READING_HANDLES) wrap(prototype, name, () => false);
  syncBuiltinESMExports();
  return () => {
    for (const undo of restore.reverse()) undo();
    syncBuiltinESMExports();
  };
}

function creates([, flags]: readonly unknown[]): boolean {
  return flags === 'wx' || (typeof flags === 'number' && (flags & fs.constants.O_CREAT) !== 0);
}
