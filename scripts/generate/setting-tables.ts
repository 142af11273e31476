import { describeSetting } from '../../src/app/settings/setting-help.ts';
import { SETTING_GROUPS, type Setting } from '../../src/app/settings/setting-table.ts';

/** The tables of docs/operators/configure.md. */
export function settingTables(): string {
  const tables = Object.entries(SETTING_GROUPS).map(([group, settings]) => {
    const rows = Object.entries(settings).map(([name, setting]) => row(name, setting));
    return [`### ${group}`, '', '| Setting | Default | Meaning |', '|---|---|---|', ...rows].join('\n');
  });
  return tables.join('\n\n');
}

function row(name: string, setting: Setting): string {
  const { shownDefault, meaning } = describeSetting(setting);
  return `| \`${name}\` | ${shownDefault} | ${meaning} |`;
}
