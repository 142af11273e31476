/** What a command line asks for whatever its command is. */
export interface CommandWishes {
  /** `--color` or `--no-color`, the last of them; undefined: neither. */
  readonly colour: boolean | undefined;
  /** `--json`: then errors are JSON, too. */
  readonly json: boolean;
}

/**
 * Looks for these options before the command line is read in full: they count for its errors as well.
 * @param args what stands behind the program's name
 */
export function findWishes(args: readonly string[]): CommandWishes {
  const end = args.indexOf('--');
  const options = end === -1 ? args : args.slice(0, end);
  const colour = options.findLast((option) => option === '--color' || option === '--no-color');
  return { colour: colour === undefined ? undefined : colour === '--color', json: options.includes('--json') };
}
