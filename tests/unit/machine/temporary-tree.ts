import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder that stands for a part of the file system while the surrounding suite's tests run. */
export interface TemporaryTree {
  /** Path of an entry in it, whether it exists or not; of the folder itself without a name. */
  path(name?: string): string;
  /** Writes files by their names, making folders as needed; their mode is 0600. */
  write(files: { readonly [name: string]: string }): void;
}

/** Makes a fresh folder before each test of the surrounding suite and removes it afterwards. */
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
