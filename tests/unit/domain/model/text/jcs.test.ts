import { expect } from 'chai';
import { canonicalJson } from '../../../../../src/domain/model/text/jcs.ts';

describe('canonicalJson', () => {
  it('writes only own members, including an own __proto__', () => {
    expect(canonicalJson(Object.create({ inherited: 1 }))).to.equal('{}');
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":2,"a":3}'))).to.equal('{"__proto__":2,"a":3,"b":1}');
  });

  it('writes each UTF-16 unit as JSON.stringify does', () => {
    const texts = Array.from({ length: 0x10000 }, (_, unit) => `a${String.fromCharCode(unit)}z`);
    expect(texts.filter((text) => canonicalJson(text) !== JSON.stringify(text))).to.deep.equal([]);
  });
});
