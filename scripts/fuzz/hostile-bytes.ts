import fc from 'fast-check';

type Change = (bytes: Buffer, place: number) => Buffer;

const NO_UTF8 = [[0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf5, 0x80, 0x80, 0x80], [0xc0, 0x80]];
const PIECES = ['\r\n', '\n', '\r', '\0', ' ', '\t', ':', '"', '{', '}', '%', '\x80', '\x1b', '\r\n\r\n', 'HTTP/1.1'];

function insert(piece: Buffer): Change {
  return (bytes, place) => Buffer.concat([bytes.subarray(0, place), piece, bytes.subarray(place)]);
}

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...PIECES).map((piece) => insert(Buffer.from(piece, 'latin1'))),
  fc.constantFrom(...NO_UTF8).map((piece) => insert(Buffer.from(piece))),
  fc.integer({ min: 0, max: 7 }).map(
    (bit): Change =>
      (bytes, place) => {
        const flipped = Buffer.from(bytes);
        flipped[place] = (bytes[place] ?? 0) ^ (1 << bit);
        return flipped;
      },
  ),
  fc.integer({ min: 1, max: 40 }).map(
    (count): Change =>
      (bytes, place) =>
        Buffer.concat([bytes.subarray(0, place), bytes.subarray(place + count)]),
  ),
  fc.integer({ min: 1, max: 40 }).map(
    (count): Change =>
      (bytes, place) =>
        insert(bytes.subarray(place, place + count))(bytes, place),
  ),
  fc.constant<Change>((bytes, place) => bytes.subarray(0, place)),
);

/** The bytes after one to four changes: bits turned, pieces put in, doubled, dropped, the end cut off. */
export function hostileBytes(bytes: Buffer): fc.Arbitrary<Buffer> {
  return fc
    .array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 4 })
    .map((changes) => changes.reduce((all, [place, one]) => one(all, place % (all.length + 1)), bytes));
}
