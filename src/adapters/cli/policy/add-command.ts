import { Command, Option } from 'commander';
import { POLICY_MODES, type PolicyMode } from '../../../domain/model/policy.ts';
import { findPreset } from '../../venues/venue-files.ts';
import { VENUE_POLICY_NAMES, type VenuePolicyName } from '../../venues/venue-policies.ts';
import type { VenuePreset } from '../../venues/venue-schema.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson, printProse, RELOAD_HINT } from '../command-options.ts';
import { withSuggestions } from '../completion/completion-tree.ts';
import { listPresetNames, parsePreset } from '../platform/preset-text.ts';
import { foreignRuleWarnings, formatAddedPolicies, readyMadePolicies, signsLike } from '../ready-made-policies.ts';
import { formatWarnings } from '../warnings.ts';

interface Options {
  readonly platform: string;
  readonly policy: readonly VenuePolicyName[];
  readonly preset?: VenuePreset;
  readonly mode?: PolicyMode;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'The policies apply to all accounts of the platform. For other policies, or to limit them to accounts or callers, edit the credentials file.',
    'With --mode audit nothing is denied, and audit records name the policies that would have denied a request. To enforce them, remove the mode from the credentials file.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: [
    'policy add --platform okx --policy trade-only',
    'policy add --platform okx-desk --preset okx --policy trade-only no-withdrawals --mode audit',
  ],
};

/** `policy add`: adds ready-made policies for a platform that exists. */
export function policyAddCommand(context: CliContext): Command {
  const command = new Command('add')
    .description('add ready-made policies for a platform')
    .requiredOption('--platform <id>', 'platform ID')
    .addOption(
      new Option('--policy <name...>', 'policies to add; `platform presets <name>` lists them')
        .choices(VENUE_POLICY_NAMES)
        .makeOptionMandatory(),
    )
    .addOption(
      withSuggestions(
        new Option('--preset <name>', 'preset of the platform (default: the platform ID)').argParser(parsePreset),
        listPresetNames,
      ),
    )
    .addOption(new Option('--mode <mode>', 'audit: only record, deny nothing (default: enforce)').choices(POLICY_MODES))
    .addOption(jsonOption())
    .action((options: Options, command: Command) => addPolicies(context, options, command));
  return addManual(command, MANUAL);
}

async function addPolicies(
  context: CliContext,
  { platform: platformId, policy, preset = findPreset(platformId), mode, json }: Options,
  command: Command,
): Promise<void> {
  if (preset === undefined) return command.error(`error: preset ${platformId} does not exist; use --preset`);
  await withInstallation(context, async (installation) => {
    const { platforms } = await (await installation.accounts()).list();
    const platform = platforms.find((one) => one.platformId === platformId);
    if (platform === undefined) return command.error(`error: platform ${platformId} does not exist`);
    if (!signsLike(platform, preset)) {
      return command.error(
        `error: the payload rule of platform ${platformId} differs from that of preset ${preset.name}, so its policies do not fit`,
      );
    }
    const made = readyMadePolicies(preset, policy, platform);
    if (typeof made === 'string') return command.error(`error: ${made}`);
    const policies = mode === 'audit' ? made.map((entry) => ({ ...entry, mode })) : made;
    await (await installation.configuration()).addPolicies(policies);
    const warnings = foreignRuleWarnings(platform, preset);
    if (json) return printJson(context, { policies, cautions: warnings });
    context.print(formatAddedPolicies(policies) + formatWarnings(warnings, context.output));
    await printProse(context, RELOAD_HINT);
  });
}
