import { InvalidArgumentError } from 'commander';
import { FIXED_VALUE_NAME_PATTERN, FIXED_VALUE_PATTERN, type FixedValues } from '../../../domain/model/fixed-values.ts';

/** Adds one `NAME=VALUE` to those given before. @throws InvalidArgumentError when it is none, or its name was given before */
export function collectValue(text: string, collected: FixedValues = {}): FixedValues {
  const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  if (!FIXED_VALUE_NAME_PATTERN.test(name)) {
    throw new InvalidArgumentError(
      'It has to be NAME=VALUE, the name 1 to 32 letters, digits or _ with a letter first.',
    );
  }
  if (!FIXED_VALUE_PATTERN.test(value)) {
    throw new InvalidArgumentError(`The value of ${name} has to be 1 to 256 visible ASCII characters, no blank.`);
  }
  if (Object.hasOwn(collected, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...collected, [name]: value };
}
