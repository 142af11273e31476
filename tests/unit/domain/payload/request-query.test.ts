import { expect } from 'chai';
import { findMisplacedQuery, requestQuery } from '../../../../src/domain/payload/request-query.ts';

describe('requestQuery', () => {
  it('is nothing when absent, a text verbatim, an object in the style asked for', () => {
    expect(requestQuery({}, {})).to.deep.equal({ ok: true, value: { text: '', isMade: false } });
    expect(requestQuery({ query: 'b=x+y&a=%C3%A9?' }, {})).to.deep.equal({
      ok: true,
      value: { text: 'b=x+y&a=%C3%A9?', isMade: false },
    });
    expect(requestQuery({ query: { b: 'x y', a: 1 } }, {})).to.deep.equal({
      ok: true,
      value: { text: 'b=x%20y&a=1', isMade: true },
    });
    expect(requestQuery({ query: { b: 'x y', a: 1 } }, { sort: true, encode: 'none' })).to.deep.equal({
      ok: true,
      value: { text: 'a=1&b=x y', isMade: true },
    });
  });

  it('refuses a text with its ?, control characters in any form, and what is neither text nor object', () => {
    const issue = (query: unknown) => requestQuery({ query } as never, { encode: 'none' });
    expect(issue('?a=b')).to.deep.include({
      refusal: { path: 'data.query', message: 'must not begin with ?: it is the text after it' },
    });
    for (const query of ['a\nb', 'a=\u0000', { a: 'x\ny' }, { 'a\r': 1 }, { a: '\u0085' }]) {
      expect(issue(query))
        .to.have.nested.property('refusal.message')
        .that.matches(/^must not have a control character/);
    }
    for (const query of [null, 5, true, ['a']]) {
      expect(issue(query))
        .to.have.nested.property('refusal.message')
        .that.matches(/^must be an object, a string/);
    }
    expect(issue({ a: null })).to.have.nested.property('refusal.path', 'data.query.a');
  });
});

describe('findMisplacedQuery', () => {
  const inPath = { path: '/a?b=c' };

  it('lets the path have it where the text to sign takes it from there', () => {
    expect(findMisplacedQuery({ ...inPath, query: 'd=e' }, 'path')).to.equal(undefined);
  });

  it('refuses it in the path where the text to sign takes it from data.query', () => {
    for (const path of ['/a?b=c', '/a?']) {
      expect(findMisplacedQuery({ path }, 'apart')).to.have.property('path', 'data.path');
    }
    expect(findMisplacedQuery({ path: '/a', query: 'b=c' }, 'apart')).to.equal(undefined);
    expect(findMisplacedQuery({ query: 'b=c' }, 'apart')).to.equal(undefined);
  });

  it('names the member that holds the parameters instead', () => {
    expect(findMisplacedQuery(inPath, 'apart')?.message).to.equal(
      'must have no query (?…): this platform signs the parameters of data.query',
    );
    expect(findMisplacedQuery(inPath, 'apart', 'data.body')?.message).to.match(/ of data\.body$/);
  });

  it('refuses it in two places where either may have it', () => {
    for (const query of ['d=e', { d: 'e' }, null, 5]) {
      expect(findMisplacedQuery({ ...inPath, query }, 'joined')).to.have.property('path', 'data.query');
      expect(findMisplacedQuery({ path: '/a', query }, 'joined')).to.equal(undefined);
    }
    for (const query of ['', {}]) expect(findMisplacedQuery({ ...inPath, query }, 'joined')).to.equal(undefined);
    expect(findMisplacedQuery(inPath, 'joined')).to.equal(undefined);
  });
});
