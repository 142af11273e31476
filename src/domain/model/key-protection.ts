/** How keys are held, for those who watch over it. */
export interface KeyProtection {
  /** How often all of them were given a new protection, the first one counted: it rises with each refresh. */
  readonly generation: number;
  /** Keys that are held. */
  readonly keys: number;
}
