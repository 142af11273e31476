import { expect } from 'chai';
import fc from 'fast-check';
import { decodeSolana } from '../../../../src/adapters/key-files/solana.ts';
import { decodedText, succeeds, thrownBy } from './decoder-outcomes.ts';

const CAPACITY = 64;
const decode = (text: string | Uint8Array, capacity?: number): Buffer => decodedText(decodeSolana, text, capacity);

describe('decodeSolana', () => {
  it('decodes the output of JSON.stringify, with any JSON whitespace in or around it', () => {
    const blanks = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: CAPACITY }),
        fc.oneof(fc.nat({ max: 10 }), blanks),
        blanks,
        blanks,
        (bytes, indent, before, after) => {
          const text = `${before}${JSON.stringify([...bytes], null, indent)}${after}`;
          expect(decode(text).equals(Buffer.from(bytes))).to.equal(true);
        },
      ),
    );
  });

  it('accepts modified text only if JSON.parse yields a byte array in its shortest form', () => {
    const change = fc.record({
      place: fc.nat({ max: 300 }),
      removed: fc.nat({ max: 2 }),
      added: fc.string({ unit: fc.constantFrom(...'0123456789,,  []\n\t-+.eE"{}n\0\v\u00a0\ufeff'), maxLength: 2 }),
    });
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 5 }),
      fc.uint8Array({ minLength: CAPACITY - 1, maxLength: CAPACITY }),
    );
    let accepted = 0;
    fc.assert(
      fc.property(bytes, fc.array(change, { minLength: 1, maxLength: 2 }), (original, changes) => {
        const text = changes.reduce(changed, JSON.stringify([...original]));
        expectAsReference(text);
        if (referenceBytes(text) !== undefined) accepted += 1;
      }),
      { numRuns: 300 },
    );
    expect(accepted, 'changes that leave an array of bytes').to.be.greaterThan(30);
  });

  it('rejects what JSON.parse accepts in other ways, or editors add', () => {
    for (const text of ['', '[]', '[256]', '[-0]', '[1.0]', '[1e1]', '["1"]', '[[1]]', '[null]', '{"0":1}', '[1]\0']) {
      expect(thrownBy(() => decode(text)).name, text).to.equal('MalformedSecretError');
    }
    for (const text of [
      `[${'9'.repeat(400)}]`,
      '\ufeff[1]',
      '[1,\u00a02]',
      '[\uff11]',
      Buffer.from([0x5b, 0xb1, 0x5d]),
    ]) {
      expect(thrownBy(() => decode(text)).name).to.equal('MalformedSecretError');
    }
  });

  it('rejects more bytes than fit, and names the algorithm that a key pair is for', () => {
    const numbers = (count: number): string => JSON.stringify(Array.from({ length: count }, () => 7));
    expect(decode(numbers(32), 32)).to.have.length(32);
    expect(decode(numbers(64), 64)).to.have.length(64);
    expect(thrownBy(() => decode(numbers(33), 32)).message).to.equal(
      'it has more than 32 bytes; a Solana key pair has 64 bytes and is only for ed25519',
    );
    expect(thrownBy(() => decode(numbers(65), 64)).message).to.equal('it has more than 64 bytes');
  });
});

/** Reference by JSON.parse; undefined unless an array of bytes in shortest form. */
function referenceBytes(text: string): readonly number[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parsed) || parsed.length === 0 || parsed.length > CAPACITY) return undefined;
  if (!parsed.every((item) => Number.isInteger(item) && item >= 0 && item <= 255)) return undefined;
  return JSON.stringify(parsed) === text.replaceAll(/[ \t\n\r]/g, '') ? parsed : undefined;
}

function expectAsReference(text: string): void {
  const expected = referenceBytes(text);
  expect(
    succeeds(() => decode(text)),
    JSON.stringify(text),
  ).to.equal(expected !== undefined);
  if (expected !== undefined) expect([...decode(text)]).to.deep.equal(expected);
}

function changed(
  text: string,
  { place, removed, added }: { readonly place: number; readonly removed: number; readonly added: string },
): string {
  const start = place % (text.length + 1);
  return `${text.slice(0, start)}${added}${text.slice(start + removed)}`;
}
