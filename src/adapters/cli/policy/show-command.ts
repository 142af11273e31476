import { Argument, Command } from 'commander';
import { OperatorError } from '../../../domain/model/errors.ts';
import { formatLines } from '../account/key-options.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson } from '../command-options.ts';
import { describePolicies, formatRequests, type PolicyDescription } from './policy-description.ts';

const MANUAL: CommandManual = {
  notes: [
    'A ready-made policy is shown as the requests that it allows, or that a deny policy leaves alone; {id} stands for one segment of a path. A policy of your own, or a ready-made one of another version, is shown with its condition.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: ['policy show okx-trade-only', 'policy show okx-trade-only --json'],
};

/** `policy show`: shows one policy of the credentials file. */
export function policyShowCommand(context: CliContext): Command {
  const command = new Command('show')
    .description('show a policy in the credentials file')
    .addArgument(new Argument('<name>', 'name of the policy'))
    .addOption(jsonOption())
    .action(async (name: string, { json }: { readonly json?: true }) => {
      const listed = await withInstallation(context, async ({ policies }) => (await policies()).list());
      const entry = listed.policies.find((one) => one.name === name);
      if (entry === undefined) {
        throw new OperatorError(
          `No such policy: ${JSON.stringify(name)}. List the policies with \`signing-service policy list\`.`,
        );
      }
      const policy = describePolicies(listed.platforms)(entry);
      if (json) return printJson(context, { policy });
      context.print(formatPolicy(policy));
    });
  return addManual(command, MANUAL);
}

function formatPolicy({ name, effect, mode, accounts, principals, when, readyMade }: PolicyDescription): string {
  const facts = formatLines([
    ['policy', name],
    ['effect', effect],
    ['mode', mode],
    ['accounts', accounts.join(', ')],
    ['principals', principals?.join(', ') ?? '(all)'],
    ...(readyMade === null ? [] : [['ready-made', `${readyMade.policy} of preset ${readyMade.preset}`] as const]),
  ]);
  if (readyMade === null) return `${facts}\nCondition\n${when.trim().replace(/^/gm, '  ')}\n`;
  const meaning = effect === 'allow' ? 'It allows these requests' : 'It denies every request but these';
  return `${facts}\n${meaning}:\n${formatRequests(readyMade.requests)}`;
}
