import { Argument, Command } from 'commander';
import type { VenuePreset } from '../../../domain/presets/venue-preset.ts';
import { ALIAS_PRESETS, findAliased, VENUE_PRESETS } from '../../../domain/presets/venue-presets.ts';
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
  const rows = VENUE_PRESETS.filter((preset) => !ALIAS_PRESETS.includes(preset)).map(({ name, venue, platform }) => [
    name,
    venue,
    Object.keys(platform.rules ?? {}).join(', ') || '-',
    platform.algorithms.join(', '),
  ]);
  const aliases = ALIAS_PRESETS.map((preset) => `  ${preset.name}${formatAliased(preset)}\n`);
  return `${renderTable(COLUMNS, rows, terminal)}
Older names, each a preset of one named rule alone:
${aliases.join('')}
To explain one: signing-service platform presets NAME
`;
}

function formatAliased(preset: VenuePreset): string {
  const aliased = findAliased(preset);
  return aliased === undefined ? '' : `: rule ${aliased.rule} of ${aliased.preset}`;
}

const COLUMNS = [
  { heading: 'PRESET' },
  { heading: 'VENUE', cut: 'end' },
  { heading: 'NAMED RULES' },
  { heading: 'ALGORITHM', cut: 'end' },
] as const;
