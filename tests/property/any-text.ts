import fc from 'fast-check';

const CODE_POINT = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
);

/** Text of any characters. The unit `binary` of fast-check takes a second or more to set up. */
export function anyText(maxLength = 10): fc.Arbitrary<string> {
  return fc.array(CODE_POINT, { maxLength }).map((points) => String.fromCodePoint(...points));
}
