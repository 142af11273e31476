import type { Look } from '../adapters/driving/cli/look.ts';
import type { Environment } from './settings.ts';
import { type Output, wantsColour } from './wants-colour.ts';

/** Width of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80;

/**
 * How text may look on a stream, its width as it is when it is asked for.
 * @param wish `--color` or `--no-color`, which win over everything else; undefined: neither was given
 */
export function lookOf(stream: Output, environment: Environment, wish?: boolean): Look {
  return {
    get columns() {
      // Some terminals, such as those that programs make for other programs, say 0.
      return stream.isTTY ? stream.columns || USUAL_COLUMNS : null;
    },
    colour: wish ?? wantsColour(environment, stream),
  };
}
