import type { Command } from 'commander';
import type { CliContext, Installation } from '../../../../../src/adapters/driving/cli/cli-context.ts';
import { type Look, PLAIN_LOOK } from '../../../../../src/adapters/driving/cli/look.ts';
import type { Algorithm } from '../../../../../src/domain/model/algorithm.ts';
import { AccountAdministrationService } from '../../../../../src/domain/services/account-administration-service.ts';
import type { CredentialListing } from '../../../../../src/ports/credential-editor.ts';
import { samplePrivateKey } from '../../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';
import {
  NOTHING,
  type RecordedEdit,
  RecordingCredentialEditor,
} from '../../../../doubles/recording-credential-editor.ts';
import { TrackingKeyStore } from '../../../../doubles/tracking-key-store.ts';
import { SIGNERS } from '../../../domain/services/signing-workbench.ts';

/** What a command did and said. */
export interface CommandRun {
  readonly stdout: string;
  /** What it would have printed to standard error. */
  readonly stderr: string;
  /** Whether it did what was asked and ends with the exit code of a refusal all the same. */
  readonly endedAsRefused: boolean;
  readonly edits: readonly RecordedEdit[];
  /** Why it did not do what was asked; null when it did. */
  readonly error: unknown;
}

/**
 * Runs one command that changes the configuration, on a configuration that keeps a list of the changes.
 * @param parts of the installation, beside that or in its place
 * @param look how what it prints may look
 */
export async function runCommand(
  make: (context: CliContext) => Command,
  args: readonly string[],
  listing: CredentialListing = NOTHING,
  parts: Partial<Installation> = {},
  look: Look = PLAIN_LOOK,
): Promise<CommandRun> {
  const editor = new RecordingCredentialEditor(samplePrivateKey(1), listing);
  const administration = new AccountAdministrationService(editor, new TrackingKeyStore(), SIGNERS, new FixedClock());
  const said = { stdout: '', stderr: '', endedAsRefused: false };
  const installation: Partial<Installation> = { administration, close: () => undefined, ...parts };
  const context: Partial<CliContext> = {
    environment: {},
    open: async () => installation as Installation,
    print: (text) => {
      said.stdout += text;
    },
    output: look,
    errors: PLAIN_LOOK,
    terminal: null,
    endAsRefused: () => {
      said.endedAsRefused = true;
    },
  };
  const command = make(context as CliContext).exitOverride();
  command.configureOutput({
    writeOut: (text) => {
      said.stdout += text;
    },
    writeErr: (text) => {
      said.stderr += text;
    },
  });
  const error = await command.parseAsync([...args], { from: 'user' }).then(
    () => null,
    (reason: unknown) => reason,
  );
  return { ...said, edits: editor.edits, error };
}

/** A configuration of one platform with these algorithms. */
export function listingOf(platformId: string, ...algorithms: readonly Algorithm[]): CredentialListing {
  return { ...NOTHING, platforms: [{ platformId, format: 'any', algorithms, payload: { rule: 'jcs' } }] };
}
