import { Argument, Command } from 'commander';
import type { VenuePreset } from '../../../domain/presets/venue-preset.ts';
import { VENUE_PRESETS } from '../../../domain/presets/venue-presets.ts';
import type { CliContext } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson } from '../command-options.ts';
import { withSuggestions } from '../completion/completion-tree.ts';
import type { TerminalStyle } from '../terminal/style.ts';
import { formatPreset, PRESET_NAMES, parsePreset } from './preset-text.ts';

const MANUAL: CommandManual = {
  notes: [
    'Each preset reproduces signatures that were published for its venue. It needs no installation and changes nothing.',
  ],
  examples: ['platform presets', 'platform presets kraken', 'platform presets kraken --json'],
};

/** `platform presets`: lists the venue presets, or explains one. */
export function platformPresetsCommand(context: CliContext): Command {
  const command = new Command('presets')
    .description('list the venues that platform add --preset knows, or explain one')
    .addArgument(
      withSuggestions(
        new Argument('[name]', 'explain this one: what callers post, what to know, a published example').argParser(
          parsePreset,
        ),
        PRESET_NAMES,
      ),
    )
    .addOption(jsonOption())
    .action(async (preset: VenuePreset | undefined, { json }: { json?: true }) => {
      if (json) return printJson(context, preset === undefined ? { presets: VENUE_PRESETS } : { preset });
      context.print(preset === undefined ? await formatList(context.output) : formatPreset(preset));
    });
  return addManual(command, MANUAL);
}

async function formatList(terminal: TerminalStyle): Promise<string> {
  const { renderTable } = await import('../terminal/table.ts');
  const rows = VENUE_PRESETS.map(({ name, venue, platform }) => [name, venue, platform.algorithms.join(', ')]);
  return `${renderTable(COLUMNS, rows, terminal)}\nTo explain one: signing-service platform presets NAME\n`;
}

const COLUMNS = [
  { heading: 'PRESET' },
  { heading: 'VENUE', cut: 'end' },
  { heading: 'ALGORITHM', cut: 'end' },
] as const;
