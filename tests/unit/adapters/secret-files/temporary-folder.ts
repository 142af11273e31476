import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for each test of the surrounding suite. */
export interface TemporaryFolder {
  path(name: string): string;
  /** Writes a file and returns its path. */
  file(name: string, content: string | Uint8Array): string;
}

/** Creates the folder before each test and removes it afterwards. */
export function useTemporaryFolder(): TemporaryFolder {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secure-memory-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const path = (name: string): string => join(folder, name);
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(path(name), content);
    return path(name);
  };
  return { path, file };
}
