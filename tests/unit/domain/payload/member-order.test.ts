import { expect } from 'chai';
import { findReorderedMember, losesItsPlace } from '../../../../src/domain/payload/member-order.ts';

describe('losesItsPlace', () => {
  for (const name of ['0', '7', '10', '4294967294']) {
    it(`is true of ${name}, which comes before a member sent earlier`, () => {
      expect(Object.keys(JSON.parse(`{"a":1,"${name}":2}`))).to.deep.equal([name, 'a']);
      expect(losesItsPlace(name)).to.equal(true);
    });
  }

  for (const name of ['', 'a', '010', '-1', '1.0', '1e3', '+1', ' 1', '4294967295', '99999999999', '１']) {
    it(`is false of "${name}", which keeps its place`, () => {
      expect(Object.keys(JSON.parse(`{"a":1,"${name}":2}`))).to.include.ordered.members(
        name === 'a' ? ['a'] : ['a', name],
      );
      expect(losesItsPlace(name)).to.equal(false);
    });
  }
});

describe('findReorderedMember', () => {
  it('finds a reordered member at any depth and says what to do', () => {
    const issue = findReorderedMember('data.body', { a: [{ b: { 10: 'x' } }] });
    expect(issue?.path).to.equal('data.body.a[0].b["10"]');
    expect(issue?.message).to.match(/integer.*order.*string/);
  });

  it('does not take the index of an array for a name', () => {
    expect(findReorderedMember('data.body', { a: [1, 2, 3] })).to.equal(undefined);
  });
});
