import { resolve } from 'node:path';
import { OperatorError } from '../../domain/model/errors.ts';
import { withRegularFile } from './open-regular-file.ts';
import { replaceFile } from './replace-file.ts';
import { systemErrorCode } from './system-error-code.ts';

/** Several times 100,000 accounts with the longest IDs. */
const MAX_CHARACTERS = 256 * 1024 * 1024;

/** Characters per write: less than a millisecond. */
const CHUNK = 32 * 1024;

/** Path of a file that the writer of an audit file keeps beside it: `.<kind>` appended. */
export function statePath(auditFile: string, kind: 'budgets' | 'replay' | 'usage'): string {
  return `${resolve(auditFile)}.${kind}`;
}

/**
 * Reads what {@link writeState} wrote; null without a file.
 * @throws Error if it is damaged or cannot be read
 */
export async function readState<State>(file: string, schema: { parse(value: unknown): State }): Promise<State | null> {
  try {
    const options = { maxBytes: MAX_CHARACTERS, noFollow: true };
    return schema.parse(JSON.parse(await withRegularFile(file, options, ({ handle }) => handle.readFile('utf8'))));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Replaces the file atomically and durably by a JSON object in ASCII: the fields of `head`, which
 * has some, and then `list`. Only the service's user can read it. Calls must not overlap.
 * @param items of the list; made one after another between writes
 * @throws OperatorError when it cannot be written, or would be too large to read
 */
export async function writeState(file: string, head: object, list: string, items: Iterable<unknown>): Promise<void> {
  await replaceFile(file, {
    write: async (handle) => {
      let text = `${JSON.stringify(head).slice(0, -1)},"${list}":[`;
      let [written, separator] = [0, '\n'];
      for (const item of items) {
        text += `${separator}${JSON.stringify(item)}`;
        separator = ',\n';
        if (text.length < CHUNK) continue;
        written += text.length;
        if (written > MAX_CHARACTERS - CHUNK)
          throw new OperatorError(`${file} was not changed: it would be too large.`);
        await handle.writeFile(text);
        text = '';
      }
      await handle.writeFile(`${text}\n]}\n`);
    },
  });
}
