import type { Command, Option } from 'commander';
import type { CliContext } from './cli-context.ts';
import { explainSettings, helpWidth } from './command-manual.ts';
import { type Style, styled } from './look.ts';

/** In narrower columns text is hard to read, and overflows instead. */
const LEAST_WIDTH = 20;

/** Lets a command throw where it would end the process, write where the context says, and show its help in the program's style. */
export function settleHelp(command: Command, context: CliContext): void {
  const { output, errors, wantsJson, settingHelp } = context;
  if (settingHelp !== undefined) explainSettings(command, settingHelp);
  const warn = (text: string): void => {
    if (!wantsJson) context.warn(text);
  };
  command
    .exitOverride()
    .showHelpAfterError('(--help shows an example)')
    .configureOutput({
      writeOut: (text) => context.print(text),
      writeErr: warn,
      outputError: (text) => warn(text.replace(/^error:/, () => styled(errors, 'red', 'error:'))),
      getOutHelpWidth: () => helpWidth(output.columns),
      getErrHelpWidth: () => helpWidth(errors.columns),
      getOutHasColors: () => output.colour,
      getErrHasColors: () => errors.colour,
    })
    .configureHelp({
      minWidthToWrap: LEAST_WIDTH,
      showGlobalOptions: true,
      visibleGlobalOptions: (shown) => globalOptions(shown),
      styleTitle: shownAs('bold'),
      styleOptionTerm: shownAs('cyan'),
      styleSubcommandTerm: shownAs('cyan'),
      styleArgumentTerm: shownAs('cyan'),
    });
}

/** Those that every command takes; the version is the program's own. */
function globalOptions(command: Command): Option[] {
  const parents: Option[] = [];
  for (let parent = command.parent; parent !== null; parent = parent.parent) parents.push(...parent.options);
  return parents.filter(({ long }) => long !== '--version');
}

/** commander takes the colours out where none are shown. */
function shownAs(style: Style): (text: string) => string {
  return (text) => styled({ colour: true }, style, text);
}
