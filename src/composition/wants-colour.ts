import type { Environment } from './settings.ts';

/** What is asked of a standard stream: of a terminal or of anything else. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(count: number, environment: object): boolean;
}

/** Values of FORCE_COLOR that want colour. */
const FORCING = ['', '1', 'true', '2', '3'];

/** Whether a stream is to get colour: as Node decides it for a terminal (FORCE_COLOR, NO_COLOR, TERM=dumb); anything else only when that is forced. */
export function wantsColour(environment: Environment, stream: Output): boolean {
  if (stream.isTTY) return stream.hasColors?.(16, environment) ?? false;
  return FORCING.includes(environment['FORCE_COLOR'] ?? 'no');
}
