import { Command } from 'commander';
import type { Platform } from '../../../domain/model/platform.ts';
import { statusStyle } from '../account/account-status.ts';
import { type CliContext, withInstallation } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { CREDENTIALS_SETTINGS, jsonOption, printJson } from '../command-options.ts';
import type { Column } from '../terminal/table.ts';

/** A platform and how many accounts it has. */
type CountedPlatform = Platform & { readonly accountCount: number };

const MANUAL: CommandManual = {
  notes: [
    'The order is that of the credentials file. Long values are truncated on a terminal, unless --wide or --json is given.',
  ],
  settings: CREDENTIALS_SETTINGS,
  examples: ['platform list', 'platform list --json'],
};

/** `platform list`: shows the platforms of the credentials file. */
export function platformListCommand(context: CliContext): Command {
  const command = new Command('list')
    .description('list the platforms in the credentials file')
    .option('--wide', 'do not truncate values')
    .addOption(jsonOption())
    .action(async ({ wide, json }: { readonly wide?: true; readonly json?: true }) => {
      const { platforms, accounts } = await withInstallation(context, async ({ accounts }) =>
        (await accounts()).list(),
      );
      const counts = new Map<string, number>();
      for (const { platformId } of accounts) counts.set(platformId, (counts.get(platformId) ?? 0) + 1);
      const shown = platforms.map((one) => ({ ...one, accountCount: counts.get(one.platformId) ?? 0 }));
      if (json) return printJson(context, { platforms: shown, total: shown.length });
      const { renderTable } = await import('../terminal/table.ts');
      const terminal = { ...context.output, columns: wide ? null : context.output.columns };
      context.print(shown.length === 0 ? 'No platforms.\n' : renderTable(COLUMNS, shown.map(toRow), terminal));
    });
  return addManual(command, MANUAL);
}

const COLUMNS: readonly Column[] = [
  { heading: 'PLATFORM', truncate: 'end' },
  { heading: 'STATUS', style: (status) => statusStyle(status === 'active' ? status : 'disabled') },
  { heading: 'FORMAT' },
  { heading: 'RULE' },
  { heading: 'NAMED RULES', truncate: 'end' },
  { heading: 'ALGORITHMS', truncate: 'end' },
  { heading: 'ACCOUNTS' },
];

function toRow({ platformId, status, format, payload, rules, algorithms, accountCount }: CountedPlatform) {
  const named = Object.keys(rules ?? {}).join(', ') || '-';
  return [
    ...[platformId, status ?? 'active', format, payload.rule, named, algorithms.join(', ')],
    String(accountCount),
  ];
}
