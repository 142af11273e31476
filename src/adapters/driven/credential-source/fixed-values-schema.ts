import { z } from 'zod';
import { FIXED_VALUE_NAME_PATTERN, FIXED_VALUE_PATTERN } from '../../../domain/model/fixed-values.ts';

const NAME_MESSAGE = 'has a name that is not 1 to 32 letters, digits or _ with a letter first';

/** Values that templates take from the configuration, see `domain/model/fixed-values.ts`. */
export const fixedValuesSchema = z.preprocess(
  // A record passes over this one name, whatever its pattern says.
  (values, context) => {
    if (typeof values === 'object' && values !== null && Object.hasOwn(values, '__proto__')) {
      context.addIssue({ code: 'custom', message: NAME_MESSAGE });
    }
    return values;
  },
  z.record(
    z.string().regex(FIXED_VALUE_NAME_PATTERN, NAME_MESSAGE),
    z.string().regex(FIXED_VALUE_PATTERN, 'must be 1 to 256 visible ASCII characters, no blank'),
  ),
);
