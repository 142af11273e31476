import { Argument, Command } from 'commander';
import type { VenuePreset } from '../../../domain/presets/venue-preset.ts';
import { VENUE_PRESETS } from '../../../domain/presets/venue-presets.ts';
import type { CliContext } from './cli-context.ts';
import { type CommandManual, withManual } from './command-manual.ts';
import { jsonOption, printJson } from './command-parts.ts';
import { suggesting } from './completion/suggested-values.ts';
import type { Look } from './look.ts';
import { PRESET_NAMES, parsePreset } from './preset-option.ts';
import { presetText } from './preset-text.ts';

const MANUAL: CommandManual = {
  notes: [
    'Each preset reproduces signatures that were published for its venue. It needs no installation and changes nothing.',
  ],
  examples: ['platform presets', 'platform presets kraken', 'platform presets kraken --json'],
};

/** `platform presets`: lists the venues whose way of signing is built in, or explains one. */
export function platformPresetsCommand(context: CliContext): Command {
  const command = new Command('presets')
    .description('list the venues that platform add --preset knows, or explain one')
    .addArgument(
      suggesting(
        new Argument('[name]', 'explain this one: what callers post, what to know, a published example').argParser(
          parsePreset,
        ),
        PRESET_NAMES,
      ),
    )
    .addOption(jsonOption())
    .action(async (preset: VenuePreset | undefined, { json }: { json?: true }) => {
      if (json) return printJson(context, preset === undefined ? { presets: VENUE_PRESETS } : { preset });
      context.print(preset === undefined ? await listText(context.output) : presetText(preset));
    });
  return withManual(command, MANUAL);
}

async function listText(look: Look): Promise<string> {
  const { fittingTable } = await import('./fitting-table.ts');
  const rows = VENUE_PRESETS.map(({ name, venue, platform }) => [name, venue, platform.algorithms.join(', ')]);
  return `${fittingTable(COLUMNS, rows, look)}\nTo explain one: signing-service platform presets NAME\n`;
}

const COLUMNS = [
  { heading: 'PRESET' },
  { heading: 'VENUE', cut: 'end' },
  { heading: 'ALGORITHM', cut: 'end' },
] as const;
