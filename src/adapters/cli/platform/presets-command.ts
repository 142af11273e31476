import { Argument, Command } from 'commander';
import type { VenuePreset } from '../../../domain/presets/venue-preset.ts';
import { ALIAS_PRESETS, findAliased, VENUE_PRESETS } from '../../../domain/presets/venue-presets.ts';
import type { CliContext } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson } from '../command-options.ts';
import { withSuggestions } from '../completion/completion-tree.ts';
import type { TerminalStyle } from '../terminal/style.ts';
import type { Column } from '../terminal/table.ts';
import { formatPreset, PRESET_NAMES, parsePreset } from './preset-text.ts';

const MANUAL: CommandManual = {
  notes: ['The command needs no configuration and changes nothing.'],
  examples: ['platform presets', 'platform presets kraken', 'platform presets kraken --json'],
};

/** `platform presets`: lists the venue presets, or describes one. */
export function platformPresetsCommand(context: CliContext): Command {
  const command = new Command('presets')
    .description('list the venue presets, or describe one')
    .addArgument(
      withSuggestions(
        new Argument('[name]', 'preset to describe, with an example').argParser(parsePreset),
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
  const rows = VENUE_PRESETS.filter((preset) => !ALIAS_PRESETS.includes(preset)).map(({ name, venue, platform }) => [
    name,
    venue,
    Object.keys(platform.rules ?? {}).join(', ') || '-',
    platform.algorithms.join(', '),
  ]);
  const aliases = ALIAS_PRESETS.map((preset) => `  ${preset.name}${formatAliased(preset)}\n`);
  return `${renderTable(COLUMNS, rows, terminal)}
Aliases, each a preset with one named rule:
${aliases.join('')}
For details: signing-service platform presets NAME
`;
}

function formatAliased(preset: VenuePreset): string {
  const aliased = findAliased(preset);
  return aliased === undefined ? '' : `: rule ${aliased.rule} of ${aliased.preset}`;
}

const COLUMNS: readonly Column[] = [
  { heading: 'PRESET' },
  { heading: 'VENUE', truncate: 'end' },
  { heading: 'NAMED RULES' },
  { heading: 'ALGORITHM', truncate: 'end' },
];
