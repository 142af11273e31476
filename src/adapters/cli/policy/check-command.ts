import { Command, Option } from 'commander';
import { DEFAULT_RULE_NAME } from '../../../domain/model/platform.ts';
import { formatTime } from '../../../domain/model/text/iso-time.ts';
import type { PolicyTrial, TriedRequest } from '../../../domain/services/policy-trial-service.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, parsePrincipal, printJson } from '../command-options.ts';
import { formatWarnings } from '../warnings.ts';
import { readData } from './read-data.ts';
import { toSignedJson } from './signed-text.ts';
import { formatTrial, isAllowed, modeOf, trialCautions } from './trial-text.ts';

interface Options {
  readonly platform: string;
  readonly account: string;
  readonly rule?: string;
  readonly principal?: string;
  readonly anonymous?: true;
  readonly data: string;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'It evaluates the credentials file at the current time, without keys and without the service. Nothing is signed or recorded.',
    'For budgets it shows the amount of the request. The amount left is known only to the running service.',
    'The output contains values of the request. With --json, numbers in `signed` are the strings int(17) and decimal(0.5), so no digit is lost.',
  ],
  settings: CREDENTIALS_SETTINGS,
  exitCodes: {
    0: 'allowed by the policies, and within the maximum of each budget',
    2: 'denied, or an option, data or file is invalid (see standard error)',
  },
  examples: [
    'policy check --platform my-exchange --account main --data order.json',
    'policy check --platform my-exchange --account main --principal bot-7 --data order.json --json',
    'policy check --platform my-exchange --account main --anonymous --data - < order.json',
  ],
};

/** `policy check`: shows the signed fields of a request and the decision of the policies. */
export function policyCheckCommand(context: CliContext): Command {
  const command = new Command('check')
    .description('test a request against the policies of an account, without signing it')
    .requiredOption('--platform <id>', 'platform ID')
    .requiredOption('--account <id>', 'account ID')
    .option('--rule <name>', 'named rule of the platform (default: its default rule)')
    .addOption(
      new Option('--principal <name>', 'name of the caller, from its token or certificate')
        .argParser(parsePrincipal)
        .conflicts('anonymous'),
    )
    .option('--anonymous', 'an unauthenticated caller (default)')
    .requiredOption('--data <file>', 'JSON file with the data of a signing request; - for standard input')
    .addOption(jsonOption())
    .action(async ({ platform, account, rule, principal, data, json }: Options) => {
      const request = {
        ...{ platformId: platform, accountId: account, rule },
        ...{ principal: principal ?? null, data: readData(data) },
      };
      const trial = await withInstallation(context, async ({ policies }) => (await policies()).judge(request));
      if (!isAllowed(trial)) context.endAs('refused');
      await printTrial(context, request, trial, json === true);
    });
  return addManual(command, MANUAL);
}

async function printTrial(
  context: CliContext,
  request: TriedRequest,
  trial: PolicyTrial,
  asJson: boolean,
): Promise<void> {
  const cautions = trialCautions(trial);
  if (!asJson) {
    context.print(await formatTrial(request, trial, context.output));
    return context.print(formatWarnings(cautions, context.output));
  }
  const { platformId, accountId, rule, principal } = request;
  const { decision, payload, signed, absent, results, amounts, now } = trial;
  const { effect, policies, wouldDeny } = decision;
  const fields = Object.entries(signed).map(([field, value]) => [field, toSignedJson(value)]);
  printJson(context, {
    ...{
      allowed: isAllowed(trial),
      platformId,
      accountId,
      rule: rule ?? DEFAULT_RULE_NAME,
      principal,
      time: formatTime(now),
    },
    ...{ payload: payload.text, payloadEncoding: payload.encoding, signed: Object.fromEntries(fields), absent },
    policies: results.map((result) => {
      const { name, effect, isForCaller, matches, error } = result;
      return { name, effect, mode: modeOf(result), isForCaller, matches, error };
    }),
    decision: { effect, policies, wouldDeny },
    budgets: amounts.map(({ budget: { name, max, windowSeconds }, amount, error }) => {
      return { name, amount: amount?.text ?? null, max: String(max), windowSeconds, error };
    }),
    cautions,
  });
}
