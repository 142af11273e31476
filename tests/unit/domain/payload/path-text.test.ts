import { expect } from 'chai';
import { pathText } from '../../../../src/domain/payload/path-text.ts';

describe('pathText', () => {
  it('takes a path as sent, with its query', () => {
    for (const path of ['/', '/api/v5/trade/order', "/a-b._~!$&'()*+,;=:@%20[0]", '/a?b=c&d=%7B%7D', '//x']) {
      expect(pathText({ path })).to.deep.equal({ ok: true, value: { text: path, isMade: false } });
    }
  });

  it('takes exactly the visible ASCII that HTTP clients send as it is', () => {
    for (let code = 0; code < 300; code += 1) {
      const sign = String.fromCharCode(code);
      const isRight = code > 0x20 && code < 0x7f && !'"#<>\\^`{|}'.includes(sign);
      expect(pathText({ path: `/a${sign}b` }).ok, `U+${code.toString(16)}`).to.equal(isRight);
    }
  });

  it('leaves every path that it takes to a URL parser unchanged', () => {
    const all = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 0x20 + index));
    const taken = [...all].filter((sign) => pathText({ path: `/${sign}` }).ok && sign !== '?' && sign !== '.').join('');
    expect(new URL(`https://host.example/x${taken}`).pathname).to.equal(`/x${taken}`);
  });

  it('refuses segments that a URL parser removes, and no others with dots', () => {
    for (const path of ['/a/../b', '/./a', '/a/..', '/a/.', '/%2e%2E/a', '/a/.%2e?b=c', '/..?x']) {
      expect(
        new URL(`https://host.example${path}`).pathname + new URL(`https://host.example${path}`).search,
      ).not.to.equal(path);
      expect(pathText({ path }))
        .to.have.nested.property('refusal.message')
        .that.matches(/^must have no segment/);
    }
    for (const path of ['/a.b', '/...', '/.a', '/a..', '/a?x=/../', '/a%2eb']) {
      expect(pathText({ path }).ok, path).to.equal(true);
    }
  });

  it('leaves every query that it takes to a URL parser unchanged, and so refuses an apostrophe there', () => {
    for (let code = 0x21; code < 0x7f; code += 1) {
      const path = `/a'b?x=${String.fromCharCode(code)}`;
      const { pathname, search, hash } = new URL(`https://host.example${path}`);
      const isUnchanged = pathname + search + hash === path && hash === '' && code !== 0x23;
      if (pathText({ path }).ok) expect(isUnchanged, path).to.equal(true);
    }
    expect(pathText({ path: "/a?x='b'" }))
      .to.have.nested.property('refusal.message')
      .that.matches(/write %27$/);
    expect(pathText({ path: "/a'b" }).ok).to.equal(true);
  });

  it('refuses what does not begin with a slash, a line break at the end, and what is no text', () => {
    for (const path of ['', 'api', '?a=b', 'https://host.example/a', '/a\n', null, 5, ['/a']]) {
      const outcome = pathText({ path });
      expect(outcome).to.have.nested.property('refusal.path', 'data.path');
      expect(outcome)
        .to.have.nested.property('refusal.message')
        .that.matches(/^must be a path that begins with \//);
    }
    expect(pathText({}))
      .to.have.nested.property('refusal.message')
      .that.matches(/^is missing; it must be a path/);
  });
});
