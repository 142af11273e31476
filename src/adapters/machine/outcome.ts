/** What a check found. Never holds a secret. A text is the message of a check that passed. */
export type Outcome = string | Issue;

/** What an operator should look at. */
export interface Issue {
  /** `fail`: the service would not start or not be safe; `warning`: worth a look. */
  readonly state: 'warning' | 'fail';
  /** May have several lines. */
  readonly message: string;
  /** What to do. */
  readonly remedy: string;
}

export function warning(message: string, remedy: string): Issue {
  return { state: 'warning', message, remedy };
}

export function fail(message: string, remedy: string): Issue {
  return { state: 'fail', message, remedy };
}
