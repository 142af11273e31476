import { type Argument, Command, Option } from 'commander';
import type { CliContext, Installation } from './cli-context.ts';
import { addManual, type CommandManual } from './command-manual.ts';
import { printJson, RELOAD_HINT } from './command-options.ts';
import type { Inputs, Values } from './inputs.ts';
import { Page } from './terminal/page.ts';
import { formatWarnings } from './warnings.ts';

/** What a command works with. */
export interface Session extends CliContext {
  /** The installation that the settings name; opened once, closed when the command ends. */
  installation(): Promise<Installation>;
  /** One of its parts, which is loaded on first use. */
  use<Name extends InstallationPart>(name: Name): Promise<Awaited<ReturnType<Installation[Name]>>>;
}

type InstallationPart = 'accounts' | 'configuration' | 'policies' | 'masterKeys' | 'tokens' | 'backups';

/** A command: what it takes, its help, what it does, and how its result reads. */
export interface CommandDefinition<Named extends Inputs, Result> {
  /** A clause in lower case. */
  readonly description: string;
  readonly inputs?: Named;
  readonly manual: CommandManual;
  /**
   * Undefined: it has written its result itself.
   * @throws OperatorError; a usage that commander cannot detect is one, too
   */
  run(values: Values<Named>, session: Session): Promise<Result | undefined>;
  /**
   * The result as text; `--json` prints it as it is. Both print `cautions` of the result. Absent:
   * `run` writes by itself, and there is no `--json`.
   */
  readonly text?: (result: Result, page: Page, values: Values<Named>) => string;
  /** Default: the result. */
  readonly document?: (result: Result, values: Values<Named>) => object;
  /** Whether a running service has to reload, which the text ends with. */
  readonly reload?: (result: Result, values: Values<Named>) => boolean;
  /** After the output: throws what the command fails with although it has a result. */
  readonly conclude?: (result: Result) => void;
}

/** Makes the command of this name. */
export type MakeCommand = (name: string, context: CliContext) => Command;

/** Commands with a common first word. */
export interface CommandGroup {
  readonly description: string;
  readonly examples: readonly string[];
  /** In the order of the help. */
  readonly commands: { readonly [name: string]: MakeCommand };
}

/** A command that prints its result as text or JSON. */
export function defineCommand<const Named extends Inputs, Result>(
  definition: CommandDefinition<Named, Result>,
): MakeCommand {
  const { description, manual, inputs, text } = definition;
  return (name, context) => {
    const command = new Command(name).description(description);
    for (const input of Object.values(inputs ?? {})) {
      if (input instanceof Option) command.addOption(input);
      else command.addArgument(input as Argument);
    }
    if (text !== undefined) command.option('--json', 'print JSON');
    command.action(() => perform(definition, command, context));
    return addManual(command, manual);
  };
}

async function perform<Named extends Inputs, Result>(
  { inputs, run, text, document, reload, conclude }: CommandDefinition<Named, Result>,
  command: Command,
  context: CliContext,
): Promise<void> {
  const values = readValues(inputs ?? {}, command) as Values<Named>;
  let opened: Promise<Installation> | undefined;
  const installation = () => (opened ??= context.open(context.environment));
  const use: Session['use'] = async (name) => (await installation())[name]() as Promise<never>;
  try {
    const result = await run(values, { ...context, installation, use });
    if (text === undefined || result === undefined) return;
    if (command.opts()['json']) printJson(context, document?.(result, values) ?? (result as object));
    else {
      const page = new Page(context.output);
      context.print(text(result, page, values) + formatWarnings(listCautions(result), context.output));
      if (reload?.(result, values)) context.print(page.prose(RELOAD_HINT));
    }
    conclude?.(result);
  } finally {
    (await opened)?.close();
  }
}

function readValues(inputs: Inputs, command: Command): { readonly [name: string]: unknown } {
  const rest = [...command.processedArgs];
  const options = command.opts();
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [
      name,
      input instanceof Option ? options[input.attributeName()] : rest.shift(),
    ]),
  );
}

function listCautions(result: unknown): readonly string[] {
  return (result as { readonly cautions?: readonly string[] }).cautions ?? [];
}
