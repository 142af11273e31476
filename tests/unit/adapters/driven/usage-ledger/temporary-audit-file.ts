import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Gives each test the path of an audit file in an empty folder of its own, which is removed when the test is over. */
export function useAuditFile(): () => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'usage-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return () => join(folder, 'audit.jsonl');
}
