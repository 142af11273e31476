import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DoctorFinding } from '../../../../src/adapters/cli/cli-context.ts';
import { runRows } from '../../../../src/app/doctor/rows.ts';
import { CONFIGURED_ROWS } from '../../../../src/app/doctor/run-doctor.ts';
import { readSettings } from '../../../../src/app/settings/settings.ts';
import { useTemporaryTree } from '../../adapters/machine/fake-machine.ts';

/** Gives each test a folder with a valid configuration. */
export function useConfiguration() {
  const { path } = useTemporaryTree();

  function write(name: string, content: string, mode = 0o600): void {
    mkdirSync(dirname(path(name)), { recursive: true, mode: 0o700 });
    writeFileSync(path(name), content);
    chmodSync(path(name), mode);
  }

  /** Writes the credentials file with these fields. */
  function configure(credentials: object = {}): void {
    write('config/credentials.json', JSON.stringify({ version: 1, platforms: [], accounts: [], ...credentials }));
  }

  beforeEach(() => {
    write('secrets/master.key', 'x'.repeat(32));
    write('secrets/audit.key', 'z'.repeat(32));
    configure();
  });

  /** Findings of one check, of all. */
  async function find(
    check: string,
    environment: { readonly [name: string]: string } = {},
    now = Date.now(),
  ): Promise<readonly DoctorFinding[]> {
    const settings = readSettings({
      SIGNING_CREDENTIALS_FILE: path('config/credentials.json'),
      SIGNING_MASTER_KEY_FILE: path('secrets/master.key'),
      SIGNING_AUDIT_FILE: path('audit/audit.jsonl'),
      SIGNING_AUDIT_KEY_FILE: path('secrets/audit.key'),
      ...environment,
    });
    return (await runRows(CONFIGURED_ROWS, { settings, now })).filter((finding) => finding.check === check);
  }

  const states = async (...call: Parameters<typeof find>) => (await find(...call)).map(({ state }) => state);

  return { path, write, configure, find, states };
}
