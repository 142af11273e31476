import type { WriteStream } from 'node:tty';
import type { Environment } from './settings.ts';

/** What a standard stream is: of a terminal or of anything else. */
export type Output = NodeJS.WriteStream & Partial<Pick<WriteStream, 'hasColors'>>;

/** Whether a stream is to get colour: as Node decides it for a terminal (FORCE_COLOR, NO_COLOR, TERM=dumb); anything else only when that is forced. */
export function wantsColour(environment: Environment, stream: Output): boolean {
  if (stream.isTTY) return stream.hasColors(16, environment);
  return ['', '1', 'true', '2', '3'].includes(environment['FORCE_COLOR'] ?? 'no');
}
