import { describeSetting, SETTING_GROUPS, type Setting } from '../../src/app/settings/setting-table.ts';

const BEGIN = '<!-- Settings, written by `npm run generate -- docs` from src/app/settings/setting-table.ts. -->';
const END = '<!-- End of the settings. -->';

/** Page with the tables of settings. */
export const SETTINGS_PAGE = 'docs/operators/configure.md';

/** Replaces the tables of settings between the marks of a page. */
export function withSettings(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('The page does not mark where the settings belong.');
  return `${page.slice(0, begin)}${BEGIN}\n\n${settingTables()}\n\n${page.slice(end)}`;
}

function settingTables(): string {
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
