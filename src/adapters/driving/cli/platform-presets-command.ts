import { Command } from 'commander';
import type { VenuePreset } from '../../../domain/presets/venue-preset.ts';
import { VENUE_PRESETS } from '../../../domain/presets/venue-presets.ts';
import type { CliContext } from './cli-context.ts';
import { example, jsonOption, printJson } from './command-parts.ts';
import { parsePreset } from './preset-option.ts';
import { presetText } from './preset-text.ts';
import { textTable } from './text-table.ts';

const NOTES = `
Each preset reproduces signatures that were published for its venue. It needs no installation and changes nothing.`;

/** `platform presets`: lists the venues whose way of signing is built in, or explains one. */
export function platformPresetsCommand(context: CliContext): Command {
  return new Command('presets')
    .description('list the venues that platform add --preset knows, or explain one')
    .argument('[name]', 'explain this one: what callers post, what to know, a published example', parsePreset)
    .addOption(jsonOption())
    .addHelpText('after', `${NOTES}\n${example('platform presets', 'platform presets kraken')}`)
    .action((preset: VenuePreset | undefined, { json }: { json?: true }) => {
      if (json) return printJson(context, preset === undefined ? { presets: VENUE_PRESETS } : { preset });
      context.print(preset === undefined ? listText() : presetText(preset));
    });
}

function listText(): string {
  const rows = VENUE_PRESETS.map(({ name, venue, platform }) => [name, venue, platform.algorithms.join(', ')]);
  return `${textTable([['PRESET', 'VENUE', 'ALGORITHM'], ...rows])}\nTo explain one: signing-service platform presets NAME\n`;
}
