import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { KeySource } from '../../domain/model/configured-account.ts';

interface KeyRevisionInput {
  /** The credentials file's folder, base of relative paths. */
  readonly folder: string;
  /** The platform's encoding of HMAC secrets. */
  readonly secretDecoding: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
}

/** Changes within one time stamp step look like one; the coarsest file systems have two seconds. */
const TIMESTAMP_STEP_MS = 2000;

/**
 * Revision of a key, without opening it: a sealed key's text, or the state of its files and every
 * other member of its reference. Undefined for plaintext keys, files changed in the last two
 * seconds, and unreadable ones, whose opening reports the problem.
 */
export function getKeyRevision(key: KeySource, { folder, secretDecoding, now }: KeyRevisionInput): string | undefined {
  if ('sealed' in key) return key.sealed;
  if ('plaintext' in key) return undefined;
  const { file, passwordFile, ...others } = key;
  const files = passwordFile === undefined ? [file] : [file, passwordFile];
  const revisions = files.map((path) => fileRevision(resolve(folder, path), now));
  return revisions.includes(undefined) ? undefined : JSON.stringify([others, secretDecoding, ...revisions]);
}

/** Changes with the file's content or the links on its path. */
function fileRevision(file: string, now: number): string | undefined {
  const stats = statFile(file);
  if (stats === undefined || now - Number(stats.ctimeMs) < TIMESTAMP_STEP_MS) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

function statFile(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}
