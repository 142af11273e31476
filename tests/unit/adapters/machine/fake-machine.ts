import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Issue, Outcome } from '../../../../src/adapters/machine/outcome.ts';

/** A folder in place of part of the file system. */
export interface TemporaryTree {
  /** Path of an entry, existing or not; of the folder without a name. */
  path(name?: string): string;
  /** Writes files by name with mode 0600, creating folders. */
  write(files: { readonly [name: string]: string }): void;
}

/** Gives each test an empty folder. */
export function useTemporaryTree(): TemporaryTree {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'machine-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const path = (name = ''): string => join(root, name);
  const write = (files: { readonly [name: string]: string }): void => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), content, { mode: 0o600 });
    }
  };
  return { path, write };
}

/** proc_pid_limits(5) with these limits: `unlimited`, bytes or files. */
export function formatLimits({
  core = '0',
  coreHard = core,
  memlock = '8388608',
  files = '20000',
}: {
  readonly core?: string;
  readonly coreHard?: string;
  readonly memlock?: string;
  readonly files?: string;
}): string {
  return [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max cpu time              unlimited            unlimited            seconds   ',
    `Max core file size        ${core.padEnd(21)}${coreHard.padEnd(21)}bytes     `,
    `Max open files            ${files.padEnd(21)}${files.padEnd(21)}files     `,
    `Max locked memory         ${memlock.padEnd(21)}67108864             bytes     `,
    '',
  ].join('\n');
}

/** The issue that a check found; fails without one. */
export function issueOf(outcome: Outcome | null | undefined): Issue {
  return typeof outcome === 'object' && outcome !== null ? outcome : expect.fail(`no issue: ${outcome}`);
}
