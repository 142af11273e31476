import fc from 'fast-check';

/** JSON texts with white space, escapes and duplicate keys everywhere. */
export const jsonText: fc.Arbitrary<string> = fc.letrec((tie) => {
  const space = fc.constantFrom('', ' ', '\n\t', '\r\n  ');
  const character = fc.constantFrom('a', '"', '\\', ':', ',', '{', '}', '/', '\n', '\u0000', 'é', '😀');
  const string = fc.array(character, { maxLength: 5 }).map((characters) => JSON.stringify(characters.join('')));
  const spaced = (text: fc.Arbitrary<string>) =>
    fc.tuple(space, text, space).map(([before, inner, after]) => `${before}${inner}${after}`);
  const value = tie('value') as fc.Arbitrary<string>;
  const member = fc.tuple(spaced(string), value).map(([name, held]) => `${name}:${held}`);
  return {
    value: spaced(
      fc.oneof(
        { maxDepth: 4 },
        string,
        fc.constantFrom('1', '-0.5e3', 'true', 'null', '"\\u0022:"', '"\\\\\\u005c"'),
        fc.array(value, { maxLength: 4 }).map((values) => `[${values.join(',')}]`),
        fc.array(member, { maxLength: 4 }).map((members) => `{${members.join(',')}}`),
      ),
    ),
  };
}).value as fc.Arbitrary<string>;
