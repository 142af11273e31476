import { expect } from 'chai';
import fc from 'fast-check';
import { namesInOrder } from '../../../../src/domain/payload/names-in-order.ts';

describe('namesInOrder', () => {
  it('gives the names of an object, few or many, by their UTF-16 code units', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), fc.constant(1), { maxKeys: 80, size: 'max' }),
        (object) => {
          const utf16 = (name: string) => Buffer.from(name, 'utf16le').swap16();
          const wanted = Object.keys(object).sort((left, right) => Buffer.compare(utf16(left), utf16(right)));
          expect(namesInOrder(object)).to.deep.equal(wanted);
        },
      ),
    );
  });

  it('gives own members alone, and __proto__ where it is one', () => {
    expect(namesInOrder(Object.create({ inherited: 1 }) as object)).to.deep.equal([]);
    expect(namesInOrder(JSON.parse('{"b":1,"__proto__":2,"a":3}') as object)).to.deep.equal(['__proto__', 'a', 'b']);
  });
});
