import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that exists while the surrounding suite's tests run. */
export interface TemporaryFolder {
  /** Path of an entry in the folder, whether it exists or not. */
  path(name: string): string;
  /** Writes a file into the folder and returns its path. */
  file(name: string, content: string | Uint8Array): string;
}

/** Makes a fresh folder before each test of the surrounding suite and removes it afterwards. */
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
