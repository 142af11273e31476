import { SETTING_NAMES, SETTINGS, type Setting } from './setting-table.ts';

/** Default and meaning of a setting, in Markdown. */
export function describeSetting({ value, default: text, shownDefault, injectedAs: secret, help }: Setting): {
  readonly shownDefault: string;
  readonly meaning: string;
} {
  const fallback = shownDefault ?? (text === undefined ? 'none' : `\`${text}\``);
  const injected = `\`$CREDENTIALS_DIRECTORY/${secret}\` or \`/run/secrets/${secret}\` if present, else `;
  return {
    shownDefault: `${secret === undefined ? '' : injected}${fallback}`,
    meaning: `${help}${value === undefined ? '' : ` Value: ${value.wanted}.`}`,
  };
}

/** The same in plain text, for help; undefined for an unknown setting. */
export function settingHelp(name: string): string | undefined {
  const setting = SETTING_NAMES.find((known) => known === name);
  if (setting === undefined) return undefined;
  const { shownDefault, meaning } = describeSetting(SETTINGS[setting]);
  return `${meaning} Default: ${shownDefault}.`.replaceAll('`', '');
}
