/** How the programs of this service end. */
export const EXIT_CODES = {
  /** As asked. */
  done: 0,
  /** By an error that nobody expected; standard error has the stack. */
  crashed: 1,
  /** Refused: the options, settings, files or machine are not as they have to be; standard error says which. */
  refused: 2,
  /** Of a check: nothing is wrong with what was checked, but not everything could be. */
  incomplete: 3,
} as const;
