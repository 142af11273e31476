import { Argument, InvalidArgumentError, Option } from 'commander';

declare const VALUE: unique symbol;

/** An option or argument of a command, with the type that `run` gets its value as. */
export type Input<Value> = (Option | Argument) & { readonly [VALUE]?: Value };

/** The inputs of a command by the names under which `run` gets them. */
export interface Inputs {
  readonly [name: string]: Input<unknown>;
}

/** Their values. */
export type Values<Named extends Inputs> = {
  readonly [Name in keyof Named]: Named[Name] extends Input<infer Value> ? Value : never;
};

/** An option with a text. */
export function text(flags: string, description: string): Input<string | undefined> {
  return new Option(flags, description);
}

/** An option without a value. */
export function flag(flags: string, description: string): Input<true | undefined> {
  return new Option(flags, description);
}

/** `--no-…`: false if given, else true. */
export function negation(flags: string, description: string): Input<boolean> {
  return new Option(flags, description);
}

/**
 * An option or argument whose text is parsed.
 * @param parse throws InvalidArgumentError; gets the value of an earlier occurrence
 */
export function parsed<Value>(
  input: Input<string | undefined>,
  parse: (text: string, earlier: Value | undefined) => Value,
): Input<Value | undefined> {
  return input.argParser((given: string, earlier: Value | undefined) => parse(given, earlier)) as Input<
    Value | undefined
  >;
}

/** An option that may be given several times, with any text or with these words. */
export function repeatable<Word extends string>(
  flags: string,
  description: string,
  words?: readonly Word[],
): Input<readonly Word[] | undefined> {
  const option = new Option(flags, `${description}; repeatable`);
  const { parseArg } = words === undefined ? option : option.choices(words);
  return parsed<readonly Word[]>(option, (given, earlier = []) => {
    const word = given as Word;
    return [...earlier, parseArg?.(given, word) ?? word];
  });
}

/** One of these words. */
export function choice<Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
): Input<Word | undefined> {
  return new Option(flags, description).choices(words) as Input<Word | undefined>;
}

/** Several of these words: `--flag <name...>`. */
export function choices<Word extends string>(
  flags: string,
  description: string,
  words: readonly Word[],
): Input<readonly Word[] | undefined> {
  return new Option(flags, description).choices(words) as Input<readonly Word[] | undefined>;
}

/** An option that must be given. */
export function needed<Value>(input: Input<Value | undefined>): Input<Value> {
  return (input as Option).makeOptionMandatory() as Input<Value>;
}

/** An option that is this unless it is given. */
export function byDefault<Value>(input: Input<Value | undefined>, value: Value): Input<Value> {
  return (input as Option).default(value) as Input<Value>;
}

/** An option that cannot be combined with these, by their names in camel case. */
export function excludes<Value>(input: Input<Value>, ...names: readonly string[]): Input<Value> {
  return (input as Option).conflicts([...names]) as Input<Value>;
}

/** `<name>`, `[name]` or `[name...]`. */
export function argument<Name extends `<${string}>` | `[${string}]`>(
  name: Name,
  description: string,
): Input<Name extends `<${string}>` ? string : Name extends `${string}...]` ? readonly string[] : string | undefined> {
  return new Argument(name, description);
}

/** An integer within bounds. */
export function integer(flags: string, description: string, min: number, max: number): Input<number | undefined> {
  return parsed<number>(text(flags, description), (given) => {
    const number = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new InvalidArgumentError(`It must be an integer from ${min} to ${max}.`);
  });
}

/** `--platform`. */
export const PLATFORM = needed(text('--platform <id>', 'platform ID'));

/** `--platform` and `--account`. */
export const ACCOUNT = {
  platformId: needed(text('--platform <id>', 'platform ID of the account')),
  accountId: needed(text('--account <id>', 'account ID')),
};

/** `--wide` of tables. */
export const WIDE = flag('--wide', 'do not truncate values');
