import { Command } from 'commander';
import type { BudgetEntry } from '../../../domain/model/policy.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson } from '../command-options.ts';
import { covers } from '../covered-accounts.ts';
import type { Column } from '../terminal/table.ts';
import { describePolicies, formatCounts, type PolicyDescription } from './policy-description.ts';

interface Options {
  readonly platform?: string;
  readonly account?: string;
  readonly wide?: true;
  readonly json?: true;
}

const MANUAL: CommandManual = {
  notes: [
    'The order is that of the credentials file. It does not affect decisions: a matching deny wins.',
    'Of a ready-made policy it counts the requests by group; `policy show` lists them.',
    'Long values are truncated on a terminal, unless --wide or --json is given. A policy without principals applies to all callers.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: ['policy list', 'policy list --platform my-exchange --account main', 'policy list --json'],
};

/** `policy list`: shows the policies of the credentials file. */
export function policyListCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('list the policies and budgets in the credentials file')
    .option('--platform <id>', 'only policies and budgets that cover this platform')
    .option('--account <id>', 'only policies and budgets that cover this account')
    .option('--wide', 'do not truncate values')
    .addOption(jsonOption())
    .action(async ({ platform, account, wide, json }: Options) => {
      const listed = await withInstallation(context, async ({ policies }) => (await policies()).list());
      const policies = listed.policies.filter((entry) => covers(entry, platform, account));
      const shown = policies.map(describePolicies(listed.platforms));
      const budgets = listed.budgets.filter((entry) => covers(entry, platform, account));
      if (json) return printJson(context, { policies: shown, total: shown.length, budgets });
      const { renderTable } = await import('../terminal/table.ts');
      const terminal = { ...context.output, columns: wide ? null : context.output.columns };
      context.print(shown.length === 0 ? 'No policies.\n' : renderTable(COLUMNS, shown.map(toRow), terminal));
      if (budgets.length > 0) context.print(`\n${renderTable(BUDGET_COLUMNS, budgets.map(toBudgetRow), terminal)}`);
    });
  return addManual(command, MANUAL);
}

const COLUMNS: readonly Column[] = [
  { heading: 'NAME' },
  { heading: 'EFFECT' },
  { heading: 'MODE' },
  { heading: 'ACCOUNTS', truncate: 'end' },
  { heading: 'PRINCIPALS', truncate: 'end' },
  { heading: 'CONDITION', truncate: 'end' },
];

function toRow({ name, effect, mode, accounts, principals, when, readyMade }: PolicyDescription): readonly string[] {
  const condition = readyMade === null ? onOneLine(when) : formatCounts(readyMade, effect);
  return [name, effect, mode, accounts.join(', '), principals?.join(', ') ?? '(all)', condition];
}

const BUDGET_COLUMNS: readonly Column[] = [
  { heading: 'BUDGET' },
  { heading: 'MAX' },
  { heading: 'SECONDS' },
  { heading: 'ACCOUNTS', truncate: 'end' },
  { heading: 'SUM', truncate: 'end' },
];

function toBudgetRow({ name, max, windowSeconds, accounts, sum }: BudgetEntry): readonly string[] {
  return [name, String(max), String(windowSeconds), accounts.join(', '), onOneLine(sum)];
}

function onOneLine(condition: string): string {
  const lines = condition.split('\n').map((line) => line.trim());
  return lines.join(' ').trim();
}
