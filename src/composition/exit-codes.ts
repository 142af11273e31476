/** How the programs of this service end. */
export const EXIT_CODES = {
  /** Success. */
  done: 0,
  /** An unexpected error; standard error has the stack. */
  crashed: 1,
  /** Refused: options, settings, files or machine are wrong; standard error says which. */
  refused: 2,
  /** Of a check: nothing is wrong with what was checked, but not everything could be. */
  incomplete: 3,
} as const;
