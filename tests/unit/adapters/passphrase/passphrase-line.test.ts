import { expect } from 'chai';
import fc from 'fast-check';
import { EMPTY_LINE, type PassphraseLine, typeByte } from '../../../../src/adapters/passphrase/passphrase-line.ts';

const LONGEST = 40;

function typed(keys: string | Uint8Array): { readonly line: PassphraseLine; readonly bytes: Buffer } {
  const bytes = Buffer.alloc(LONGEST + 1);
  let line = EMPTY_LINE;
  for (const key of Buffer.from(keys)) {
    if (line.end !== undefined) break;
    bytes[line.length] = key;
    line = typeByte(line, bytes);
  }
  return { line, bytes };
}

function textOf({ line, bytes }: ReturnType<typeof typed>): string {
  return bytes.subarray(0, line.length).toString();
}

describe('typeByte', () => {
  const character = fc.constantFrom(...'aZ 0~ßé水한🔑\u{10ffff}\u00a0');

  it('keeps typed bytes, and deletes whole characters on Backspace', () => {
    const key = fc.oneof({ arbitrary: character, weight: 3 }, { arbitrary: fc.constantFrom('\x7f', '\b'), weight: 1 });
    fc.assert(
      fc.property(fc.array(key, { maxLength: 10 }), (keys) => {
        const expected: string[] = [];
        for (const each of keys) {
          if (each === '\x7f' || each === '\b') expected.pop();
          else expected.push(each);
        }
        const result = typed(`${keys.join('')}\r`);
        expect(textOf(result)).to.equal(expected.join(''));
        expect(result.bytes.subarray(result.line.length).every((byte) => byte === 0)).to.equal(true);
        expect(result.line).to.deep.equal({ length: Buffer.byteLength(expected.join('')), end: 'entered' });
      }),
    );
  });

  it('zeroes the bytes after the line for any input', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (keys) => {
        const { line, bytes } = typed(keys);
        expect(bytes.subarray(line.length).every((byte) => byte === 0)).to.equal(true);
        expect(line.length).to.be.within(0, LONGEST);
      }),
    );
  });

  it('ends the line on Return and line feed, and on no other text', () => {
    for (const enter of ['\r', '\n']) expect(typed(`ab${enter}cd`).line).to.deep.equal({ length: 2, end: 'entered' });
    expect(typed('ab\u0085\u2028c').line.end).to.equal(undefined);
  });

  it('cancels the line on Ctrl-C anywhere, and on Ctrl-D while it is empty', () => {
    for (const keys of ['\x03', 'ab\x03', '\x1b\x03', `${'x'.repeat(60)}\x03`, '\x04', 'a\x7f\x04', 'ab\x15\x04']) {
      expect(typed(keys).line.end, JSON.stringify(keys)).to.equal('cancelled');
    }
    expect(typed('a\x04').line).to.deep.equal({ length: 1, issue: 'control character' });
    expect(typed('\x1b\x04').line).to.deep.equal({ length: 0, issue: 'control character' });
  });

  it('makes the line invalid on any other control character, until Ctrl-U or its end', () => {
    const others = Array.from({ length: 32 }, (_, code) => code).filter(
      (code) => ![0x03, 0x04, 0x08, 0x0a, 0x0d, 0x15].includes(code),
    );
    expect(others).to.have.length(26);
    for (const code of others) {
      const control = String.fromCharCode(code);
      const spoiled = typed(`ab${control}[Acd\x7f`);
      expect(spoiled.line, `control ${code}`).to.deep.equal({ length: 2, issue: 'control character' });
      expect(textOf(spoiled)).to.equal('ab');
      expect(typed(`ab${control}[Acd\r`).line.end).to.equal('entered');
      expect(textOf(typed(`ab${control}[Acd\x15right\r`))).to.equal('right');
      expect(typed(`ab${control}[Acd\x15right\r`).line).to.deep.equal({ length: 5, end: 'entered' });
    }
  });

  it('accepts as many bytes as fit; one more makes the line too long until Ctrl-U or its end', () => {
    expect(typed(`${'x'.repeat(LONGEST)}\x7fy`).line).to.deep.equal({ length: LONGEST });
    const tooLong = { length: LONGEST, issue: 'too long' };
    for (const more of ['y', 'yyyy', 'y\x7f', 'y\x7f\x7f\x7f', 'y\x1b[A']) {
      expect(typed(`${'x'.repeat(LONGEST)}${more}`).line, JSON.stringify(more)).to.deep.equal(tooLong);
    }
    expect(typed(`${'x'.repeat(LONGEST)}y\r`).line).to.deep.equal({ ...tooLong, end: 'entered' });
    expect(typed(`${'x'.repeat(LONGEST)}y\x15z\r`).line).to.deep.equal({ length: 1, end: 'entered' });
  });

  it('deletes invalid UTF-8 bytes without going past the start', () => {
    expect(typed(Buffer.from([0x80, 0x81, 0x82, 0x7f])).line).to.deep.equal({ length: 0 });
    expect(textOf(typed(Buffer.from([0x61, 0x80, 0x7f])))).to.equal('');
    expect(textOf(typed(Buffer.from([0x61, 0xe6, 0x7f])))).to.equal('a');
  });
});
