import { expect } from 'chai';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { toOutcome } from '../../../../src/domain/payload/payload-outcome.ts';
import { renderPath, renderQuery, renderRequestQuery } from '../../../../src/domain/payload/request-parts.ts';
import type { QueryStyle } from '../../../../src/domain/payload/rule-options.ts';

function rendered(members: JsonObject, style: QueryStyle = {}): string {
  const outcome = toOutcome(() => renderQuery(['body', 0], members, style));
  if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
  return outcome.value;
}

function issueOf(members: JsonObject, style: QueryStyle = {}): string {
  const outcome = toOutcome(() => renderQuery(['body', 0], members, style));
  if (outcome.ok) throw new Error(`accepted: ${outcome.value}`);
  return `${outcome.refusal.path} ${outcome.refusal.message}`;
}

describe('renderQuery', () => {
  it('rejects anything that would read as another parameter if encoding is off', () => {
    expect(issueOf({ a: 'b&c' }, { encode: 'none' })).to.match(/^data\.body\[0\]\.a must not have &/);
    expect(issueOf({ 'a&b': 1 }, { encode: 'none' })).to.match(
      /^data\.body\[0\]\["a&b"\] must not have & or = in its name/,
    );
    expect(issueOf({ 'a=b': 1 }, { encode: 'none', sort: true })).to.match(/must not have & or = in its name/);
    expect(rendered({ 'a&=b': '&' })).to.equal('a%26%3Db=%26');
  });
});

describe('renderRequestQuery', () => {
  it('rejects a string with its ?, control characters in any form, and other types', () => {
    const issue = (query: unknown) => toOutcome(() => renderRequestQuery({ query } as never, { encode: 'none' }));
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

describe('renderPath', () => {
  it('accepts exactly the visible ASCII that HTTP clients send unchanged', () => {
    for (let code = 0; code < 300; code += 1) {
      const sign = String.fromCharCode(code);
      const isRight = code > 0x20 && code < 0x7f && !'"#<>\\^`{|}'.includes(sign);
      expect(toOutcome(() => renderPath({ path: `/a${sign}b` })).ok, `U+${code.toString(16)}`).to.equal(isRight);
    }
  });

  it('rejects segments that a URL parser removes, and no others with dots', () => {
    for (const path of ['/a/../b', '/./a', '/a/..', '/a/.', '/%2e%2E/a', '/a/.%2e?b=c', '/..?x']) {
      expect(
        new URL(`https://host.example${path}`).pathname + new URL(`https://host.example${path}`).search,
      ).not.to.equal(path);
      expect(toOutcome(() => renderPath({ path })))
        .to.have.nested.property('refusal.message')
        .that.matches(/^must not have a segment/);
    }
    for (const path of ['/a.b', '/...', '/.a', '/a..', '/a?x=/../', '/a%2eb']) {
      expect(toOutcome(() => renderPath({ path })).ok, path).to.equal(true);
    }
  });

  it('accepts only queries that a URL parser leaves unchanged, and so rejects apostrophes', () => {
    for (let code = 0x21; code < 0x7f; code += 1) {
      const path = `/a'b?x=${String.fromCharCode(code)}`;
      const { pathname, search, hash } = new URL(`https://host.example${path}`);
      const isUnchanged = pathname + search + hash === path && hash === '' && code !== 0x23;
      if (toOutcome(() => renderPath({ path })).ok) expect(isUnchanged, path).to.equal(true);
    }
    expect(toOutcome(() => renderPath({ path: "/a?x='b'" })))
      .to.have.nested.property('refusal.message')
      .that.matches(/send %27$/);
    expect(toOutcome(() => renderPath({ path: "/a'b" })).ok).to.equal(true);
  });

  it('rejects a missing leading slash, a trailing line break, and non-strings', () => {
    for (const path of ['', 'api', '?a=b', 'https://host.example/a', '/a\n', null, 5, ['/a']]) {
      const outcome = toOutcome(() => renderPath({ path }));
      expect(outcome).to.have.nested.property('refusal.path', 'data.path');
      expect(outcome)
        .to.have.nested.property('refusal.message')
        .that.matches(/^must be a path that starts with \//);
    }
    expect(toOutcome(() => renderPath({})))
      .to.have.nested.property('refusal.message')
      .that.matches(/^is missing; it must be a path/);
  });
});
