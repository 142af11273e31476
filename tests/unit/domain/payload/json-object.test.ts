import { expect } from 'chai';
import { isJsonObject, ownMember } from '../../../../src/domain/payload/json-object.ts';

describe('isJsonObject', () => {
  it('takes objects alone', () => {
    expect(isJsonObject({})).to.equal(true);
    expect(isJsonObject(Object.create(null))).to.equal(true);
    for (const other of [null, undefined, [], 'text', 1, true]) expect(isJsonObject(other)).to.equal(false);
  });
});

describe('ownMember', () => {
  it('gives a member, null included', () => {
    expect(ownMember({ a: 1, b: null }, 'a')).to.equal(1);
    expect(ownMember({ a: 1, b: null }, 'b')).to.equal(null);
  });

  it('gives nothing for what is absent or inherited', () => {
    for (const name of ['a', 'constructor', 'toString', '__proto__']) expect(ownMember({}, name)).to.equal(undefined);
  });
});
