import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from '../../../../../src/domain/model/text/jcs.ts';
import { anyText } from '../../../../property/any-text.ts';

describe('canonicalJson', () => {
  it('sorts any names by UTF-16 code units, few or many', () => {
    const members = fc.dictionary(anyText(3), fc.constant(1), {
      maxKeys: 80,
      size: 'max',
    });
    const utf16 = (name: string) => Buffer.from(name, 'utf16le').swap16();
    fc.assert(
      fc.property(members, (object) => {
        const names = Object.keys(object).sort((left, right) => Buffer.compare(utf16(left), utf16(right)));
        expect(canonicalJson(object)).to.equal(`{${names.map((name) => `${JSON.stringify(name)}:1`).join(',')}}`);
      }),
      { numRuns: 30 },
    );
  });

  it('writes only own members, including an own __proto__', () => {
    expect(canonicalJson(Object.create({ inherited: 1 }))).to.equal('{}');
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2,"a":3}'))).to.equal('{"__proto__":2,"a":3,"b":1}');
  });

  it('sorts integer-like names as strings', () => {
    expect(canonicalJson({ 2: 'b', 10: 'a', '': 'first' })).to.equal('{"":"first","10":"a","2":"b"}');
  });

  it('writes each UTF-16 unit as JSON.stringify does', () => {
    const texts = Array.from({ length: 0x10000 }, (_, unit) => `a${String.fromCharCode(unit)}z`);
    expect(texts.filter((text) => canonicalJson(text) !== JSON.stringify(text))).to.deep.equal([]);
  });
});
