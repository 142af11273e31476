import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from '../../../../../src/domain/model/text/jcs.ts';

describe('canonicalJson', () => {
  it('writes no whitespace and sorts members at every level', () => {
    expect(canonicalJson({ b: { d: 1, c: [] }, a: {} })).to.equal('{"a":{},"b":{"c":[],"d":1}}');
  });

  it('keeps the order of arrays', () => {
    expect(canonicalJson([3, 1, { b: 1, a: 2 }, 2])).to.equal('[3,1,{"a":2,"b":1},2]');
  });

  it('sorts by UTF-16 code units, not by code points or locale', () => {
    // U+1F600 is D83D DE00 in UTF-16 and so comes before U+FB33.
    expect(canonicalJson({ '\ufb33': 1, '😀': 2, é: 3, z: 4, Z: 5 })).to.equal('{"Z":5,"z":4,"é":3,"😀":2,"\ufb33":1}');
  });

  it('sorts any names by UTF-16 code units, few or many', () => {
    const members = fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), fc.constant(1), {
      maxKeys: 80,
      size: 'max',
    });
    const utf16 = (name: string) => Buffer.from(name, 'utf16le').swap16();
    fc.assert(
      fc.property(members, (object) => {
        const names = Object.keys(object).sort((left, right) => Buffer.compare(utf16(left), utf16(right)));
        expect(canonicalJson(object)).to.equal(`{${names.map((name) => `${JSON.stringify(name)}:1`).join(',')}}`);
      }),
    );
  });

  it('writes only own members, including an own __proto__', () => {
    expect(canonicalJson(Object.create({ inherited: 1 }))).to.equal('{}');
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2,"a":3}'))).to.equal('{"__proto__":2,"a":3,"b":1}');
  });

  it('sorts integer-like names as strings', () => {
    expect(canonicalJson({ 2: 'b', 10: 'a', '': 'first' })).to.equal('{"":"first","10":"a","2":"b"}');
  });

  it('writes numbers as ECMAScript does, and minus zero as 0', () => {
    expect(canonicalJson([219.0, -0, 1e-7, 1e30, 0.1, 4.5])).to.equal('[219,0,1e-7,1e+30,0.1,4.5]');
  });

  it('escapes only what RFC 8785 section 3.2.2.2 escapes', () => {
    expect(canonicalJson('\b\t\n\f\r"\\\u0001\u007f\u2028/é')).to.equal(
      '"\\b\\t\\n\\f\\r\\"\\\\\\u0001\u007f\u2028/é"',
    );
  });

  it('writes each UTF-16 unit as JSON.stringify does', () => {
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      const text = `a${String.fromCharCode(unit)}z`;
      expect(canonicalJson(text), unit.toString(16)).to.equal(JSON.stringify(text));
    }
  });

  it('writes literals', () => {
    expect(canonicalJson([null, true, false])).to.equal('[null,true,false]');
  });

  it('does not modify its input', () => {
    const value = { b: 1, a: [2, 1] };
    canonicalJson(value);
    expect(JSON.stringify(value)).to.equal('{"b":1,"a":[2,1]}');
  });
});
