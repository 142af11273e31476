import { expect } from 'chai';
import { namedValues, neededValues } from '../../../../src/domain/payload/needed-values.ts';

describe('neededValues', () => {
  it('names what the prehash template takes and the rule does not give', () => {
    const template = '{timestamp}{account.apiKey}{account.recvWindow}{body}';
    expect(neededValues({ rule: 'prehash', template })).to.deep.equal(['apiKey', 'recvWindow']);
    expect(neededValues({ rule: 'prehash', template, values: { recvWindow: '5000' } })).to.deep.equal(['apiKey']);
    expect(neededValues({ rule: 'prehash', template, values: { recvWindow: '5000', apiKey: 'k', x: 'y' } })).to.be
      .empty;
  });

  it('names each once, in the order of the template', () => {
    const template = '{account.b}{path}{account.a}{account.b}';
    expect(neededValues({ rule: 'prehash', template })).to.deep.equal(['b', 'a']);
  });

  it('does not take what every object inherits for a value of the rule', () => {
    const template = '{path}{account.constructor}';
    expect(neededValues({ rule: 'prehash', template, values: {} })).to.deep.equal(['constructor']);
  });

  it('reads prefix and suffix of the query rule', () => {
    const rule = {
      rule: 'query',
      field: 'params',
      prefix: '{account.host}',
      suffix: '&k={account.apiKey}{account.host}',
    } as const;
    expect(neededValues(rule)).to.deep.equal(['host', 'apiKey']);
    expect(neededValues({ rule: 'query', field: '{account.a}' })).to.be.empty;
  });

  it('finds nothing for rules without templates', () => {
    for (const rule of ['jcs', 'json', 'raw', 'kraken', 'backpack', 'typed-data'] as const) {
      expect(neededValues({ rule })).to.deep.equal([]);
    }
    expect(neededValues({ rule: 'hyperliquid-l1', network: 'testnet' })).to.deep.equal([]);
  });
});

describe('namedValues', () => {
  it('names what the templates take, also what the rule gives, each once and in their order', () => {
    const template = '{account.b}{path}{account.recvWindow}{account.b}';
    expect(namedValues({ rule: 'prehash', template, values: { recvWindow: '5000', x: 'y' } })).to.deep.equal([
      'b',
      'recvWindow',
    ]);
    expect(namedValues({ rule: 'query', field: 'p', prefix: '{account.b}', suffix: '{account.a}' })).to.deep.equal([
      'b',
      'a',
    ]);
    expect(namedValues({ rule: 'jcs', field: '{account.a}' })).to.deep.equal([]);
  });
});
