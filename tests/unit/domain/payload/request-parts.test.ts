import { expect } from 'chai';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import type { QueryStyle } from '../../../../src/domain/model/payload-rule.ts';
import {
  findMisplacedQuery,
  renderPath,
  renderQuery,
  renderRequestQuery,
} from '../../../../src/domain/payload/request-parts.ts';

function rendered(members: JsonObject, style: QueryStyle = {}): string {
  const outcome = renderQuery(['body', 0], members, style);
  if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
  expect(outcome.value.isSerialized).to.equal(true);
  return outcome.value.text;
}

function issueOf(members: JsonObject, style: QueryStyle = {}): string {
  const outcome = renderQuery(['body', 0], members, style);
  if (outcome.ok) throw new Error(`accepted: ${outcome.value.text}`);
  return `${outcome.refusal.path} ${outcome.refusal.message}`;
}

describe('renderQuery', () => {
  it('percent-encodes in the order sent by default', () => {
    expect(rendered({ b: 'x y', a: 1 })).to.equal('b=x%20y&a=1');
    expect(rendered({ b: 'x y', a: 1 }, { sort: false, encode: 'percent' })).to.equal('b=x%20y&a=1');
    expect(rendered({})).to.equal('');
  });

  it('sorts by UTF-16 code units, integer names included', () => {
    const members = JSON.parse('{"b":1,"a":2,"B":3,"10":4,"9":5,"_":6,"\\ufb33":7,"\\ud83d\\ude00":8,"aa":9,"":0}');
    expect(rendered(members, { sort: true, encode: 'none' })).to.equal(
      '=0&10=4&9=5&B=3&_=6&a=2&aa=9&b=1&😀=8&\ufb33=7',
    );
  });

  it('sorts by the raw names, not the encoded ones', () => {
    expect(rendered({ '~': 1, é: 2, 'a b': 3, 'a-': 4 }, { sort: true })).to.equal('a%20b=3&a-=4&~=1&%C3%A9=2');
  });

  it('writes names and values unchanged if encoding is off', () => {
    expect(rendered({ é: 'a b', 'c%': '=?#/+%20', d: 1e-6, e: true }, { encode: 'none' })).to.equal(
      'é=a b&c%==?#/+%20&d=0.000001&e=true',
    );
  });

  it('rejects anything that would read as another parameter if encoding is off', () => {
    expect(issueOf({ a: 'b&c' }, { encode: 'none' })).to.match(/^data\.body\[0\]\.a must not have &/);
    expect(issueOf({ 'a&b': 1 }, { encode: 'none' })).to.match(
      /^data\.body\[0\]\["a&b"\] must not have & or = in its name/,
    );
    expect(issueOf({ 'a=b': 1 }, { encode: 'none', sort: true })).to.match(/must not have & or = in its name/);
    expect(rendered({ 'a&=b': '&' })).to.equal('a%26%3Db=%26');
  });

  it('rejects null, arrays, objects and reordered integer names', () => {
    for (const style of [{}, { sort: true }, { encode: 'none' as const }]) {
      expect(issueOf({ x: null }, style)).to.equal('data.body[0].x must be a string, a number or a boolean');
      for (const value of [[], {}]) {
        expect(issueOf({ x: value }, style)).to.equal(
          'data.body[0].x must be a string, a number or a boolean: of an object or a list, give its JSON text',
        );
      }
    }
    expect(issueOf(JSON.parse('{"a":1,"5":2}'))).to.match(/^data\.body\[0\]\["5"\] has an integer as its name/);
    expect(issueOf(JSON.parse('{"a":1,"5":2}'), { encode: 'none' })).to.match(/has an integer as its name/);
  });
});

describe('renderRequestQuery', () => {
  it('is empty when absent, a string verbatim, an object in the requested style', () => {
    expect(renderRequestQuery({}, {})).to.deep.equal({ ok: true, value: { text: '', isSerialized: false } });
    expect(renderRequestQuery({ query: 'b=x+y&a=%C3%A9?' }, {})).to.deep.equal({
      ok: true,
      value: { text: 'b=x+y&a=%C3%A9?', isSerialized: false },
    });
    expect(renderRequestQuery({ query: { b: 'x y', a: 1 } }, {})).to.deep.equal({
      ok: true,
      value: { text: 'b=x%20y&a=1', isSerialized: true },
    });
    expect(renderRequestQuery({ query: { b: 'x y', a: 1 } }, { sort: true, encode: 'none' })).to.deep.equal({
      ok: true,
      value: { text: 'a=1&b=x y', isSerialized: true },
    });
  });

  it('rejects a string with its ?, control characters in any form, and other types', () => {
    const issue = (query: unknown) => renderRequestQuery({ query } as never, { encode: 'none' });
    expect(issue('?a=b')).to.deep.include({
      refusal: { path: 'data.query', message: 'must not start with ?: send the text after it' },
    });
    for (const query of ['a\nb', 'a=\u0000', { a: 'x\ny' }, { 'a\r': 1 }, { a: '\u0085' }]) {
      expect(issue(query))
        .to.have.nested.property('refusal.message')
        .that.matches(/^must not contain control characters/);
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

  it('accepts it in the path if the text to sign takes it from there', () => {
    expect(findMisplacedQuery({ ...inPath, query: 'd=e' }, 'path')).to.equal(undefined);
  });

  it('rejects it in the path if the text to sign takes it from data.query', () => {
    for (const path of ['/a?b=c', '/a?']) {
      expect(findMisplacedQuery({ path }, 'apart')).to.have.property('path', 'data.path');
    }
    expect(findMisplacedQuery({ path: '/a', query: 'b=c' }, 'apart')).to.equal(undefined);
    expect(findMisplacedQuery({ query: 'b=c' }, 'apart')).to.equal(undefined);
  });

  it('names the member that holds the parameters instead', () => {
    expect(findMisplacedQuery(inPath, 'apart')?.message).to.equal(
      'must not have a query (?…): this platform signs the parameters in data.query',
    );
    expect(findMisplacedQuery(inPath, 'apart', 'data.body')?.message).to.match(/ in data\.body$/);
  });

  it('rejects it in two places if either is allowed', () => {
    for (const query of ['d=e', { d: 'e' }, null, 5]) {
      expect(findMisplacedQuery({ ...inPath, query }, 'joined')).to.have.property('path', 'data.query');
      expect(findMisplacedQuery({ path: '/a', query }, 'joined')).to.equal(undefined);
    }
    for (const query of ['', {}]) expect(findMisplacedQuery({ ...inPath, query }, 'joined')).to.equal(undefined);
    expect(findMisplacedQuery(inPath, 'joined')).to.equal(undefined);
  });
});

describe('renderPath', () => {
  it('accepts a path as sent, with its query', () => {
    for (const path of ['/', '/api/v5/trade/order', "/a-b._~!$&'()*+,;=:@%20[0]", '/a?b=c&d=%7B%7D', '//x']) {
      expect(renderPath({ path })).to.deep.equal({ ok: true, value: { text: path, isSerialized: false } });
    }
  });

  it('accepts exactly the visible ASCII that HTTP clients send unchanged', () => {
    for (let code = 0; code < 300; code += 1) {
      const sign = String.fromCharCode(code);
      const isRight = code > 0x20 && code < 0x7f && !'"#<>\\^`{|}'.includes(sign);
      expect(renderPath({ path: `/a${sign}b` }).ok, `U+${code.toString(16)}`).to.equal(isRight);
    }
  });

  it('accepts only paths that a URL parser leaves unchanged', () => {
    const all = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 0x20 + index));
    const taken = [...all]
      .filter((sign) => renderPath({ path: `/${sign}` }).ok && sign !== '?' && sign !== '.')
      .join('');
    expect(new URL(`https://host.example/x${taken}`).pathname).to.equal(`/x${taken}`);
  });

  it('rejects segments that a URL parser removes, and no others with dots', () => {
    for (const path of ['/a/../b', '/./a', '/a/..', '/a/.', '/%2e%2E/a', '/a/.%2e?b=c', '/..?x']) {
      expect(
        new URL(`https://host.example${path}`).pathname + new URL(`https://host.example${path}`).search,
      ).not.to.equal(path);
      expect(renderPath({ path }))
        .to.have.nested.property('refusal.message')
        .that.matches(/^must not have a segment/);
    }
    for (const path of ['/a.b', '/...', '/.a', '/a..', '/a?x=/../', '/a%2eb']) {
      expect(renderPath({ path }).ok, path).to.equal(true);
    }
  });

  it('accepts only queries that a URL parser leaves unchanged, and so rejects apostrophes', () => {
    for (let code = 0x21; code < 0x7f; code += 1) {
      const path = `/a'b?x=${String.fromCharCode(code)}`;
      const { pathname, search, hash } = new URL(`https://host.example${path}`);
      const isUnchanged = pathname + search + hash === path && hash === '' && code !== 0x23;
      if (renderPath({ path }).ok) expect(isUnchanged, path).to.equal(true);
    }
    expect(renderPath({ path: "/a?x='b'" }))
      .to.have.nested.property('refusal.message')
      .that.matches(/send %27$/);
    expect(renderPath({ path: "/a'b" }).ok).to.equal(true);
  });

  it('rejects a missing leading slash, a trailing line break, and non-strings', () => {
    for (const path of ['', 'api', '?a=b', 'https://host.example/a', '/a\n', null, 5, ['/a']]) {
      const outcome = renderPath({ path });
      expect(outcome).to.have.nested.property('refusal.path', 'data.path');
      expect(outcome)
        .to.have.nested.property('refusal.message')
        .that.matches(/^must be a path that starts with \//);
    }
    expect(renderPath({}))
      .to.have.nested.property('refusal.message')
      .that.matches(/^is missing; it must be a path/);
  });
});
