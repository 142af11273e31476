/** `fail`: the service would not start, or not be safe; `warning`: worth a look. */
export type FindingState = 'ok' | 'warning' | 'fail';

/** What one check of the machine or the process found. It never holds a secret. */
export interface Finding {
  /** Name of the check, in lower case with hyphens. */
  readonly check: string;
  readonly state: FindingState;
  /** What was found; it may have several lines. */
  readonly message: string;
  /** What to do; null when all is well. */
  readonly remedy: string | null;
}

/** All is well. */
export function ok(check: string, message: string): Finding {
  return { check, state: 'ok', message, remedy: null };
}

/** Something to look at that the service can live with. */
export function warning(check: string, message: string, remedy: string): Finding {
  return { check, state: 'warning', message, remedy };
}

/** Something that has to be mended. */
export function fail(check: string, message: string, remedy: string): Finding {
  return { check, state: 'fail', message, remedy };
}
