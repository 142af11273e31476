/** `fail`: the service would not start or not be safe; `warning`: worth a look. */
export type FindingState = 'ok' | 'warning' | 'fail';

/** Result of one check. Never holds a secret. */
export interface Finding {
  /** Lower case with hyphens. */
  readonly check: string;
  readonly state: FindingState;
  /** May have several lines. */
  readonly message: string;
  /** What to do; null when ok. */
  readonly remedy: string | null;
}

export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message, remedy: null };
}

export function warning(check: string, message: string, remedy: string): Finding {
  return { check, state: 'warning', message, remedy };
}

export function fail(check: string, message: string, remedy: string): Finding {
  return { check, state: 'fail', message, remedy };
}
