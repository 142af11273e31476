import type { Command, Option } from 'commander';
import { printable } from '../../../domain/model/text/unsafe-characters.ts';
import type { CliContext } from '../cli-context.ts';
import { formatSettings, getHelpWidth } from '../command-manual.ts';
import { type Style, styled } from './style.ts';

/** Narrower columns overflow instead of wrapping. */
const MIN_WIDTH = 20;

/** Makes a command throw instead of exiting, write to the context, and style its help. */
export function setUpHelp(command: Command, context: CliContext): void {
  const { output, errors, wantsJson, settingHelp } = context;
  if (settingHelp !== undefined) formatSettings(command, settingHelp);
  const warn = (text: string): void => {
    if (!wantsJson) context.warn(text);
  };
  command
    .exitOverride()
    .showHelpAfterError('(--help shows an example)')
    .configureOutput({
      writeOut: (text) => context.print(text),
      writeErr: warn,
      outputError: (text) => {
        const lines = text.split('\n').map(printable).join('\n');
        warn(lines.replace(/^error:/, () => styled(errors, 'red', 'error:')));
      },
      getOutHelpWidth: () => getHelpWidth(output.columns),
      getErrHelpWidth: () => getHelpWidth(errors.columns),
      getOutHasColors: () => output.colour,
      getErrHasColors: () => errors.colour,
    })
    .configureHelp({
      minWidthToWrap: MIN_WIDTH,
      showGlobalOptions: true,
      visibleGlobalOptions: (shown) => globalOptions(shown),
      styleTitle: styleAs('bold'),
      styleOptionTerm: styleAs('cyan'),
      styleSubcommandTerm: styleAs('cyan'),
      styleArgumentTerm: styleAs('cyan'),
    });
}

/** Options of every command; the version is the program's own. */
function globalOptions(command: Command): Option[] {
  const parents: Option[] = [];
  for (let parent = command.parent; parent !== null; parent = parent.parent) parents.push(...parent.options);
  return parents.filter(({ long }) => long !== '--version');
}

/** commander strips colours where needed. */
function styleAs(style: Style): (text: string) => string {
  return (text) => styled({ colour: true }, style, text);
}
