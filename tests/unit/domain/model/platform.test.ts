import { expect } from 'chai';
import { ALGORITHMS, BOUND_ALGORITHMS } from '../../../../src/domain/model/algorithm.ts';
import {
  DATA_FORMATS,
  findRule,
  listRules,
  type Platform,
  RULE_NAME_PATTERN,
  signatureEncoding,
} from '../../../../src/domain/model/platform.ts';
import {
  completePlatform,
  DEFAULT_RULE_OF_FORMAT,
  defaultAlgorithms,
  defaultRule,
} from '../../../../src/domain/payload/complete-platform.ts';
import { requiredAlgorithm } from '../../../../src/domain/payload/payload-rules.ts';

describe('platform defaults', () => {
  it('let accounts of a format sign with every algorithm that needs no rule', () => {
    const others = ALGORITHMS.filter((name) => !BOUND_ALGORITHMS.some((bound) => bound === name));
    expect(defaultAlgorithms('any', DEFAULT_RULE_OF_FORMAT.any)).to.have.members(others);
  });

  it('let every algorithm of JSON Web Tokens sign tokens', () => {
    const tokens = ['ed25519', 'hmac-sha256', 'hmac-sha512', 'es256'];
    expect(defaultAlgorithms('any', defaultRule('jwt'))).to.include.members(tokens);
  });

  it('let only their algorithms sign typed data and Cosmos transactions', () => {
    const typedData = { domain: { name: 'x' }, primaryType: 'Message', member: 'msg' };
    const rules = [
      [defaultRule('typed-data'), 'eip712'],
      [{ rule: 'query', field: 'params', typedData }, 'eip712'],
      [defaultRule('hyperliquid-l1'), 'hyperliquid-l1'],
      [defaultRule('starknet-typed-data'), 'starknet'],
      [defaultRule('hyperliquid-multi-sig'), 'eip712'],
      [defaultRule('cosmos-sign-doc'), 'cosmos'],
    ] as const;
    for (const [rule, algorithm] of rules) {
      expect(requiredAlgorithm(rule)).to.equal(algorithm);
      expect(defaultAlgorithms('any', rule)).to.deep.equal([algorithm]);
    }
    for (const format of DATA_FORMATS) expect(requiredAlgorithm(DEFAULT_RULE_OF_FORMAT[format])).to.equal(undefined);
  });
});

describe('named rules', () => {
  const payload = { rule: 'jcs' } as const;
  const configured = {
    login: { rule: 'prehash', encoding: 'hex' },
    user: { rule: 'query', algorithm: 'eip191', encoding: undefined },
  } as const;
  const platform = completePlatform({ platformId: 'alpha', format: 'any', payload, rules: configured });
  const { rules = {} } = platform;

  it('get the default options of their rule, and keep algorithm and encoding', () => {
    expect(rules).to.deep.equal({
      login: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}', encoding: 'hex' },
      user: { rule: 'query', field: 'params', algorithm: 'eip191' },
    });
  });

  it('are found by their own names alone, and payload without one', () => {
    expect(findRule(platform, undefined)).to.equal(platform.payload);
    expect(findRule(platform, 'login')).to.equal(rules['login']);
    const { rules: _, ...plain } = platform;
    for (const name of ['constructor', '__proto__', 'default', '']) {
      expect(findRule(platform, name), name).to.equal(undefined);
      expect(findRule(plain, name), name).to.equal(undefined);
    }
  });

  it('are listed behind payload', () => {
    expect(listRules(platform)).to.deep.equal([payload, rules['login'], rules['user']]);
    expect(listRules({ payload })).to.deep.equal([payload]);
  });

  it('have names of 1 to 32 lowercase letters, digits and -, a letter first', () => {
    for (const name of ['a', 'fix-4', 'x'.repeat(32)]) expect(name).to.match(RULE_NAME_PATTERN);
    for (const name of ['', '4', '-a', 'Login', 'a_b', 'a.b', 'x'.repeat(33), 'a\n']) {
      expect(name).to.not.match(RULE_NAME_PATTERN);
    }
  });
});

describe('signatureEncoding', () => {
  const platform: Platform = { platformId: 'alpha', format: 'any', algorithms: ALGORITHMS, payload: { rule: 'jcs' } };

  it('is that of a named rule before that of its platform', () => {
    const rule = { rule: 'raw', encoding: 'base64url' } as const;
    expect(signatureEncoding({ ...platform, encoding: 'hex' }, 'ed25519', rule)).to.equal('base64url');
    expect(signatureEncoding({ ...platform, encoding: 'hex' }, 'ed25519', { rule: 'raw' })).to.equal('hex');
  });
});
