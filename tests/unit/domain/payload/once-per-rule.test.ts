import { expect } from 'chai';
import { oncePerRule } from '../../../../src/domain/payload/once-per-rule.ts';

describe('oncePerRule', () => {
  it('prepares each rule object once, also where two say the same', () => {
    const seen: string[] = [];
    const prepared = oncePerRule(({ name }: { readonly name: string }) => {
      seen.push(name);
      return { name };
    });
    const one = { name: 'one' };
    const first = prepared(one);
    expect(first).to.deep.equal({ name: 'one' });
    expect(prepared({ name: 'two' })).to.deep.equal({ name: 'two' });
    expect(prepared(one)).to.equal(first);
    expect(prepared({ name: 'one' })).not.to.equal(first);
    expect(seen).to.deep.equal(['one', 'two', 'one']);
  });

  it('remembers nothing of a rule that can not be prepared', () => {
    let calls = 0;
    const prepared = oncePerRule((): object => {
      calls += 1;
      throw new Error('malformed');
    });
    const rule = {};
    expect(() => prepared(rule)).to.throw('malformed');
    expect(() => prepared(rule)).to.throw('malformed');
    expect(calls).to.equal(2);
  });
});
