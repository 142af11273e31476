import type { Command } from 'commander';
import type { CliContext, Installation } from '../../../../src/adapters/cli/cli-context.ts';
import { PLAIN_STYLE, type TerminalStyle } from '../../../../src/adapters/cli/terminal/style.ts';
import { openInstallation } from '../../../../src/app/installation.ts';
import type { Algorithm } from '../../../../src/domain/model/algorithm.ts';
import type { CredentialListing } from '../../../../src/ports/credential-editor.ts';
import { samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { NOTHING, type RecordedEdit, RecordingCredentialEditor } from '../../../doubles/recording-credential-editor.ts';
import { TrackingKeyStore } from '../../../doubles/tracking-key-store.ts';

/** Result of a command. */
export interface CommandRun {
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
  /** Whether it set the exit code of a refusal. */
  readonly endedAsRefused: boolean;
  readonly edits: readonly RecordedEdit[];
  /** Its error, if any. */
  readonly error: unknown;
}

/**
 * Runs a command on a configuration that records its changes.
 * @param parts additional or replaced parts of the installation
 * @param look style of its output
 */
export async function runCommand(
  make: (context: CliContext) => Command,
  args: readonly string[],
  listing: CredentialListing = NOTHING,
  parts: Partial<Installation> = {},
  look: TerminalStyle = PLAIN_STYLE,
): Promise<CommandRun> {
  const editor = new RecordingCredentialEditor(samplePrivateKey(1), listing);
  const run = { stdout: '', stderr: '', endedAsRefused: false };
  const doubles = { editor, keyStore: new TrackingKeyStore(), clock: new FixedClock() };
  const installation: Installation = { ...openInstallation({}, doubles), ...parts };
  const context: Partial<CliContext> = {
    environment: {},
    open: async () => installation,
    print: (text) => {
      run.stdout += text;
    },
    output: look,
    errors: PLAIN_STYLE,
    terminal: null,
    endAs: () => {
      run.endedAsRefused = true;
    },
  };
  const command = make(context as CliContext).exitOverride();
  command.configureOutput({
    writeOut: (text) => {
      run.stdout += text;
    },
    writeErr: (text) => {
      run.stderr += text;
    },
  });
  const error = await command.parseAsync([...args], { from: 'user' }).then(
    () => null,
    (reason: unknown) => reason,
  );
  return { ...run, edits: editor.edits, error };
}

/** A configuration of one platform with these algorithms. */
export function listingOf(platformId: string, ...algorithms: readonly Algorithm[]): CredentialListing {
  return { ...NOTHING, platforms: [{ platformId, format: 'any', algorithms, payload: { rule: 'jcs' } }] };
}
