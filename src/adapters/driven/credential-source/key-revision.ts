import { type BigIntStats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AccountEntry } from './account-schema.ts';

/** What a key's name depends on beside its account's entry. */
export interface KeyCircumstances {
  /** Of the credentials file, where relative paths start. */
  readonly folder: string;
  /** How the platform writes HMAC secrets. */
  readonly secretDecoding: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
}

/** Two changes within one step of a file system's time stamps look like one: some milliseconds for most, two seconds for the coarsest. */
const TIMESTAMP_STEP_MS = 2000;

/**
 * Names an account's key without opening it, so that a reload need not: a sealed key is named by its text, which is bound to its account; a key in a file by the
 * file as it stands. Undefined for a key in plain text, for a file that was changed within the last two seconds, and for one that can't be had, about which
 * whoever opens it says what is wrong.
 */
export function keyRevisionOf({ key }: AccountEntry, circumstances: KeyCircumstances): string | undefined {
  if ('sealed' in key) return key.sealed;
  if ('plaintext' in key) return undefined;
  const { folder, secretDecoding, now } = circumstances;
  const files = key.passwordFile === undefined ? [key.file] : [key.file, key.passwordFile];
  const revisions = files.map((file) => fileRevision(resolve(folder, file), now));
  return revisions.includes(undefined) ? undefined : JSON.stringify([key.format ?? null, secretDecoding, ...revisions]);
}

/** Changes when the file is written or replaced, or a link on its path leads elsewhere. */
function fileRevision(file: string, now: number): string | undefined {
  const stats = statOf(file);
  if (stats === undefined || now - Number(stats.ctimeMs) < TIMESTAMP_STEP_MS) return undefined;
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}

function statOf(file: string): BigIntStats | undefined {
  try {
    return statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}
