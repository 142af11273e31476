/** Structured data of a line. */
export interface Facts {
  readonly [name: string]: unknown;
}

/**
 * Throttles a line that may repeat: the first is logged at once, then one a minute with `count`,
 * the number since the last line, and the latest message and facts.
 */
export interface Throttling {
  /** What the lines are about, a constant. {@link ServiceLog.recovered} ends it. */
  readonly topic: string;
  /** Each of the topic's causes has its lines; those beyond 16 at a time share theirs. */
  readonly cause?: string;
  /** A second name of `count`. */
  readonly countAs?: string | undefined;
  /** One for each occurrence (default: one occurrence): counted in the line, up to three named. */
  readonly accounts?: readonly string[];
}

/** The operators' log, without key material and callers' data. */
export interface ServiceLog {
  info(message: string, facts?: Facts, throttling?: Throttling): void;
  warn(message: string, facts?: Facts, throttling?: Throttling): void;
  /** Logs message and stack of an Error in `facts.cause`. */
  error(message: string, facts?: Facts, throttling?: Throttling): void;
  /**
   * Ends the condition of a topic: logs it if the condition was logged, with the `count` of
   * occurrences that were not. Returns whether it logged now; it may follow a line that is due.
   * The first return of the condition in a minute is logged at once.
   */
  recovered(message: string, facts: Facts, throttling: Throttling): boolean;
  /** Logs at once what is due within a minute: for a stop. */
  flush(): void;
}
