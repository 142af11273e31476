import { Argument, Command } from 'commander';
import { listPresets } from '../../venues/venue-files.ts';
import type { VenuePreset } from '../../venues/venue-schema.ts';
import type { CliContext } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson } from '../command-options.ts';
import { withSuggestions } from '../completion/completion-tree.ts';
import type { TerminalStyle } from '../terminal/style.ts';
import type { Column } from '../terminal/table.ts';
import { formatPreset, listPresetNames, parsePreset } from './preset-text.ts';

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
        listPresetNames,
      ),
    )
    .addOption(jsonOption())
    .action(async (preset: VenuePreset | undefined, { json }: { json?: true }) => {
      if (json) {
        const document =
          preset === undefined
            ? { presets: listPresets().map(toPresetDocument) }
            : { preset: toPresetDocument(preset) };
        return printJson(context, document);
      }
      context.print(preset === undefined ? await formatList(context.output) : formatPreset(preset));
    });
  return addManual(command, MANUAL);
}

/** Members of presets and their rules that an operator or caller needs. */
const SHOWN: readonly string[] = [
  ...['name', 'venue', 'docs', 'platform', 'keyFile', 'keyFormat', 'values', 'notes', 'rules', 'example', 'requests'],
];

/** A preset as commands print it as JSON. */
export function toPresetDocument(preset: VenuePreset): object {
  const rules = Object.entries(preset.rules ?? {}).map(([name, rule]) => [name, shorten(rule)] as const);
  return { ...shorten(preset), ...(rules.length === 0 ? {} : { rules: Object.fromEntries(rules) }) };
}

function shorten(explained: object): object {
  return Object.fromEntries(Object.entries(explained).filter(([name]) => SHOWN.includes(name)));
}

async function formatList(terminal: TerminalStyle): Promise<string> {
  const { renderTable } = await import('../terminal/table.ts');
  const rows = listPresets().map(({ name, venue, platform }) => [
    name,
    venue,
    Object.keys(platform.rules ?? {}).join(', ') || '-',
    platform.algorithms.join(', '),
  ]);
  return `${renderTable(COLUMNS, rows, terminal)}
For details: signing-service platform presets NAME
`;
}

const COLUMNS: readonly Column[] = [
  { heading: 'PRESET' },
  { heading: 'VENUE', truncate: 'end' },
  { heading: 'NAMED RULES' },
  { heading: 'ALGORITHM', truncate: 'end' },
];
