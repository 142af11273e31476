import { readdir, realpath } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { OperatorError } from '../../../domain/model/errors.ts';
import { identityAt } from './file-identity.ts';
import { isMissing } from './input-error.ts';
import { OpenAuditFile } from './open-audit-file.ts';
import type { Segment } from './segments.ts';

/** A list of a folder can miss a file that is just being renamed. */
const LOOKS = 3;
const PAUSE_MS = 100;

/**
 * Opens a file again that was looked at before, under its path or under the name in the same folder that it was rotated to since. The caller closes it.
 * @param patienceMs how long a line without an end is waited for
 * @throws OperatorError when it can't be found or opened
 */
export async function openAgain(segment: Segment, patienceMs: number): Promise<OpenAuditFile> {
  const { path, name, identity } = segment.file;
  for (let look = 1; look <= LOOKS; look += 1) {
    const now = (await identityAt(path)) === identity ? path : await findBeside(path, identity);
    const file = now === null ? null : await openIfSame(now, segment, patienceMs);
    if (file !== null) return file;
    await setTimeout(PAUSE_MS);
  }
  throw new OperatorError(`The audit file ${name} was moved, replaced or deleted while it was verified: verify again.`);
}

async function findBeside(path: string, identity: string): Promise<string | null> {
  // A link may name a file of another folder, where that is renamed.
  const folder = dirname(await realpath(path).catch(() => resolve(path)));
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if ((await identityAt(join(folder, name))) === identity) return join(folder, name);
  }
  return null;
}

async function openUnlessGone(path: string, patienceMs: number): Promise<OpenAuditFile | null> {
  try {
    return await OpenAuditFile.open(path, patienceMs);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Null when another file has the path by now, or has got the inode of one that was deleted. */
async function openIfSame(path: string, { file, first }: Segment, patienceMs: number): Promise<OpenAuditFile | null> {
  const opened = await openUnlessGone(path, patienceMs);
  if (opened === null) return null;
  try {
    if (opened.identity === file.identity) {
      // First what it is: of another file, the size says nothing.
      if (await opened.beginsWith(first)) {
        await opened.readOnlyTo(file.size);
        return opened;
      }
    }
  } catch (error) {
    await opened.close();
    throw error;
  }
  await opened.close();
  return null;
}
