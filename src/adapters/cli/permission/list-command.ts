import { Command } from 'commander';
import type { PermissionEntry } from '../../../domain/model/permissions.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson, printProse } from '../command-options.ts';
import { covers } from '../covered-accounts.ts';
import type { Column } from '../terminal/table.ts';

interface Options {
  readonly platform?: string;
  readonly account?: string;
  readonly wide?: true;
  readonly json?: true;
}

/** An entry and its index in the list. */
type Indexed = PermissionEntry & { readonly index: number };

const MANUAL: CommandManual = {
  notes: [
    'The index is that of messages and of permission check: permissions[0] is the first entry. The order does not affect decisions.',
    'Long values are truncated on a terminal, unless --wide or --json is given.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: ['permission list', 'permission list --platform my-exchange --account main', 'permission list --json'],
};

/** `permission list`: shows the permissions of the credentials file. */
export function permissionListCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('list the permissions in the credentials file')
    .option('--platform <id>', 'only entries that cover this platform')
    .option('--account <id>', 'only entries that cover this account')
    .option('--wide', 'do not truncate values')
    .addOption(jsonOption())
    .action(async ({ platform, account, wide, json }: Options) => {
      const { permissions } = await withInstallation(context, async ({ administration }) =>
        (await administration()).list(),
      );
      const isFiltered = platform !== undefined || account !== undefined;
      const indexed = (permissions ?? []).map((entry, index): Indexed => ({ index, ...entry }));
      const shown = isFiltered ? indexed.filter((entry) => covers(entry, platform, account)) : indexed;
      if (json) return printJson(context, { hasList: permissions !== null, permissions: shown, total: shown.length });
      if (permissions === null) return printProse(context, NO_LIST);
      const { renderTable } = await import('../terminal/table.ts');
      const terminal = { ...context.output, columns: wide ? null : context.output.columns };
      context.print(shown.length === 0 ? 'No permissions.\n' : renderTable(COLUMNS, shown.map(toRow), terminal));
    });
  return addManual(command, MANUAL);
}

const NO_LIST = 'The credentials file has no permissions list, so every caller may perform every operation.\n';

const COLUMNS: readonly Column[] = [
  { heading: 'INDEX' },
  { heading: 'PRINCIPALS', truncate: 'end' },
  { heading: 'OPERATIONS', truncate: 'end' },
  { heading: 'ACCOUNTS', truncate: 'end' },
];

function toRow({ index, principals, operations, accounts }: Indexed): readonly string[] {
  return [String(index), principals.join(', '), operations.join(', '), accounts?.join(', ') ?? '-'];
}
