import { expect } from 'chai';
import fc from 'fast-check';
import { ENVIRONMENT_PATTERN, IDENTIFIER_PATTERN } from '../../../../src/domain/model/account.ts';
import { REQUEST_ID_PATTERN } from '../../../../src/domain/model/sign-request.ts';
import { anyText } from '../../../property/any-text.ts';

const NEVER_SAFE = ['', 'a b', 'a\n', '\na', 'a\0', 'é', 'a\u202eb', '\u{1f600}', 'a'.repeat(129)];

const nearlyId = fc.string({ unit: fc.constantFrom(...'aZ09._:@+-/\\ \n"%'), maxLength: 140 });

describe('IDENTIFIER_PATTERN', () => {
  it('accepts 1 to 128 letters, digits and . _ : @ + -, starting with a letter or digit', () => {
    for (const id of ['a', '7', 'main', 'Alpha-1', 'desk@firm.example', 'a.b_c:d+e-f', '0x1', 'a'.repeat(128)]) {
      expect(IDENTIFIER_PATTERN.test(id), id).to.equal(true);
    }
  });

  it('rejects empty, oversized and non-ASCII values, whitespace and control characters', () => {
    for (const id of NEVER_SAFE) expect(IDENTIFIER_PATTERN.test(id), JSON.stringify(id)).to.equal(false);
  });

  it('rejects paths, and anything with a special meaning in another syntax', () => {
    for (const id of ['.', '..', '../x', 'a/b', '/a', 'a\\b', '-a', '.a', '_a', '__proto__', ':a', ...'?#%"\';&=,*$']) {
      expect(IDENTIFIER_PATTERN.test(id), id).to.equal(false);
    }
  });

  it('accepts only values that need no escaping in JSON, a line of text or a URL segment', () => {
    let taken = 0;
    fc.assert(
      fc.property(fc.oneof(anyText(140), nearlyId, fc.stringMatching(IDENTIFIER_PATTERN)), (id) => {
        if (!IDENTIFIER_PATTERN.test(id)) return;
        taken += 1;
        expect(JSON.stringify(id)).to.equal(`"${id}"`);
        expect(id).to.match(/^[\x21-\x7e]+$/);
        expect(new URL(`http://localhost/accounts/${id}/end`).pathname).to.equal(`/accounts/${id}/end`);
      }),
      { numRuns: 500 },
    );
    expect(taken).to.be.greaterThan(50);
  });
});

describe('REQUEST_ID_PATTERN', () => {
  it('accepts 1 to 128 visible ASCII characters', () => {
    const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('');
    for (const id of ['1', '#', visible, '~'.repeat(128)]) expect(REQUEST_ID_PATTERN.test(id), id).to.equal(true);
  });

  it('rejects empty, oversized and non-ASCII values, whitespace and control characters', () => {
    for (const id of [...NEVER_SAFE, '\x7f']) expect(REQUEST_ID_PATTERN.test(id), JSON.stringify(id)).to.equal(false);
  });
});

describe('ENVIRONMENT_PATTERN', () => {
  it('accepts slugs of 1 to 32 characters', () => {
    for (const slug of ['production', 'a', 'eu-west-1', 'staging2', 'a-', 'a'.repeat(32)]) {
      expect(ENVIRONMENT_PATTERN.test(slug), slug).to.equal(true);
    }
  });

  it('rejects everything else', () => {
    for (const slug of [...NEVER_SAFE, 'Production', '1a', '-a', 'a_b', 'a.b', 'a/b', 'a'.repeat(33)]) {
      expect(ENVIRONMENT_PATTERN.test(slug), JSON.stringify(slug)).to.equal(false);
    }
  });
});
