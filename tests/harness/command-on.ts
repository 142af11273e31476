import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandOutputs } from '../../src/app/command-line.ts';
import type { CredentialListing, WrittenEntries } from '../../src/ports/credential-editor.ts';
import { commandInProcess, PIPES } from './command-in-process.ts';
import { settingsIn } from './run-command.ts';
import type { Ended } from './service-process.ts';

/** What a credentials file of a test has. */
export type Configured = Partial<Omit<WrittenEntries, 'accounts'>> & {
  readonly accounts?: readonly Partial<CredentialListing['accounts'][number]>[];
};

/** Result of a command, and the configuration that it leaves. */
export interface Done extends Ended {
  readonly after: CredentialListing;
}

/**
 * Runs a command in this process on a credentials file with this content, without a master key.
 * `FOLDER` in an argument is the folder of the file.
 */
export async function commandOn(
  { platforms = [], accounts = [], ...entries }: Configured,
  args: readonly string[],
  outputs: CommandOutputs = PIPES,
): Promise<Done> {
  const folder = mkdtempSync(join(tmpdir(), 'command-'));
  try {
    const settings = settingsIn(folder);
    const file = settings.SIGNING_CREDENTIALS_FILE;
    const written = accounts.map((account) => ({ ...withoutNulls(account), key: { file: 'none.key' } }));
    writeFileSync(file, JSON.stringify({ version: 1, platforms, accounts: written, ...entries }));
    const ended = await commandInProcess(
      settings,
      args.map((arg) => arg.replaceAll('FOLDER', folder)),
      outputs,
    );
    return { ...ended, after: JSON.parse(readFileSync(file, 'utf8')) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A listing has null for what the file leaves out. */
function withoutNulls(account: object): object {
  return Object.fromEntries(Object.entries(account).filter(([, value]) => value !== null));
}
