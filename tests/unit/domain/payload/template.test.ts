import { expect } from 'chai';
import { referencedValues, requiredValues } from '../../../../src/domain/payload/payload-rules.ts';
import { findAffixIssue, findTemplateIssue } from '../../../../src/domain/payload/template.ts';

const EVERY_PLACEHOLDER = '{timestamp}{METHOD}{method}{path}{query}{?query}{body}{data.nonce}{account.apiKey}';

const UNKNOWN = [
  '{Method}',
  '{timestamp}{nonce}',
  '{}',
  '{__proto__}',
  '{?body}',
  '{data.}',
  '{data.a.b}',
  `{data.${'a'.repeat(33)}}`,
  '{account.api-key}',
];

const UNPAIRED = ['{timestamp', 'timestamp}', '{{path}}', '{path}{', '}{', '{timestamp{path}'];

describe('findTemplateIssue', () => {
  for (const template of [EVERY_PLACEHOLDER, '{body}', '{METHOD}\n{path}\n{timestamp}', 'v1:{path}?', '{data.a_1}']) {
    it(`accepts ${JSON.stringify(template)}`, () => {
      expect(findTemplateIssue(template)).to.equal(undefined);
    });
  }

  for (const template of UNKNOWN) {
    it(`rejects the unknown placeholder in ${template}`, () => {
      const issue = findTemplateIssue(template);
      expect(issue?.path).to.equal('');
      expect(issue?.message).to.equal(
        'has an unknown placeholder; the placeholders are {timestamp}, {METHOD}, {method}, {path}, {query}, {?query}, {body}, ' +
          '{data.NAME}, {account.NAME}',
      );
    });
  }

  for (const template of UNPAIRED) {
    it(`rejects the lone brace in ${template}`, () => {
      expect(findTemplateIssue(template)?.message).to.match(/unmatched brace.*\{account\.NAME\}$/);
    });
  }

  for (const template of ['', 'constant', '{account.apiKey}', 'a{account.b}c']) {
    it(`rejects "${template}", which would sign the same bytes for every request`, () => {
      expect(findTemplateIssue(template)?.message).to.match(
        /^must contain at least one of the placeholders .*\{data\.NAME\}$/,
      );
    });
  }

  it('rejects a template without a UTF-8 form', () => {
    expect(findTemplateIssue('{path}\ud800')?.message).to.match(/lone surrogate/);
  });
});

describe('findAffixIssue', () => {
  it('rejects what no template may have', () => {
    for (const affix of UNKNOWN) expect(findAffixIssue(affix)?.message, affix).to.match(/unknown placeholder/);
    for (const affix of UNPAIRED) expect(findAffixIssue(affix)?.message, affix).to.match(/unmatched brace/);
    expect(findAffixIssue('\ud800')?.message).to.match(/lone surrogate/);
  });
});

describe('requiredValues', () => {
  it('returns what the prehash template requires and the rule does not provide', () => {
    const template = '{timestamp}{account.apiKey}{account.recvWindow}{body}';
    expect(requiredValues({ rule: 'prehash', template, values: { recvWindow: '5000' } })).to.deep.equal(['apiKey']);
  });
});

describe('referencedValues', () => {
  it('includes the passphrase that a rule returns, which no account must have', () => {
    const rule = { rule: 'prehash', template: '{path}{account.apiKey}', passphrase: 'mac' } as const;
    expect(referencedValues(rule)).to.deep.equal(['apiKey', 'passphrase']);
    expect(requiredValues(rule)).to.deep.equal(['apiKey']);
  });

  it('returns all values that the templates use, including those of the rule, once and in order', () => {
    const template = '{account.b}{path}{account.recvWindow}{account.b}';
    expect(referencedValues({ rule: 'prehash', template, values: { recvWindow: '5000', x: 'y' } })).to.deep.equal([
      'b',
      'recvWindow',
    ]);
    expect(referencedValues({ rule: 'query', field: 'p', prefix: '{account.b}', suffix: '{account.a}' })).to.deep.equal(
      ['b', 'a'],
    );
    expect(referencedValues({ rule: 'jcs', field: '{account.a}' })).to.deep.equal([]);
  });
});
