import { expect } from 'chai';
import {
  ALGORITHMS,
  MAC_ALGORITHMS,
  SECP256K1_ALGORITHMS,
  SIGNATURE_ENCODINGS,
} from '../../../../src/domain/model/algorithm.ts';
import { PAYLOAD_RULES } from '../../../../src/domain/model/payload-rule.ts';
import {
  DATA_FORMATS,
  DEFAULT_RULE_OF_FORMAT,
  DEFAULT_RULE_OPTIONS,
  defaultAlgorithms,
  type Platform,
  requiredAlgorithm,
  signatureEncoding,
} from '../../../../src/domain/model/platform.ts';

describe('platform defaults', () => {
  it('sign formats A and any as a whole, B by its message, C by its parameters, D by its request', () => {
    expect(DEFAULT_RULE_OF_FORMAT).to.deep.equal({
      A: { rule: 'jcs' },
      B: { rule: 'jcs', field: 'message' },
      C: { rule: 'query', field: 'params' },
      D: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' },
      any: { rule: 'jcs' },
    });
  });

  it('let format A accounts sign with ed25519 and format B accounts with eip191', () => {
    expect(defaultAlgorithms('A', DEFAULT_RULE_OF_FORMAT.A)).to.deep.equal(['ed25519']);
    expect(defaultAlgorithms('B', DEFAULT_RULE_OF_FORMAT.B)).to.deep.equal(['eip191']);
  });

  it('let accounts of the other formats sign with every algorithm except those for typed data', () => {
    const others = ALGORITHMS.filter((name) => name !== 'eip712' && name !== 'hyperliquid-l1');
    for (const format of ['C', 'D', 'any'] as const) {
      expect(defaultAlgorithms(format, DEFAULT_RULE_OF_FORMAT[format]), format).to.have.members(others);
    }
  });

  it('let only typed-data algorithms sign typed data', () => {
    const typedData = { domain: { name: 'x' }, primaryType: 'Message', member: 'msg' };
    const rules = [
      [DEFAULT_RULE_OPTIONS['typed-data'], 'eip712'],
      [{ rule: 'query', field: 'params', typedData }, 'eip712'],
      [DEFAULT_RULE_OPTIONS['hyperliquid-l1'], 'hyperliquid-l1'],
    ] as const;
    for (const [rule, algorithm] of rules) {
      expect(requiredAlgorithm(rule)).to.equal(algorithm);
      expect(defaultAlgorithms('any', rule)).to.deep.equal([algorithm]);
    }
    for (const format of DATA_FORMATS) expect(requiredAlgorithm(DEFAULT_RULE_OF_FORMAT[format])).to.equal(undefined);
  });

  it('define a rule for every format, and options for every rule', () => {
    expect(DEFAULT_RULE_OF_FORMAT).to.have.all.keys(...DATA_FORMATS);
    expect(DEFAULT_RULE_OPTIONS).to.have.all.keys(...PAYLOAD_RULES);
    for (const rule of PAYLOAD_RULES) expect(DEFAULT_RULE_OPTIONS[rule].rule).to.equal(rule);
  });
});

describe('signatureEncoding', () => {
  const platform: Platform = { platformId: 'alpha', format: 'any', algorithms: ALGORITHMS, payload: { rule: 'jcs' } };

  it('defaults to base58 for ed25519, 0x-hex for Ethereum and hex for HMAC', () => {
    expect(signatureEncoding(platform, 'ed25519')).to.equal('base58');
    for (const algorithm of SECP256K1_ALGORITHMS) expect(signatureEncoding(platform, algorithm)).to.equal('0x-hex');
    for (const algorithm of MAC_ALGORITHMS) expect(signatureEncoding(platform, algorithm)).to.equal('hex');
  });

  it('is the encoding configured for the platform, for any algorithm', () => {
    for (const encoding of SIGNATURE_ENCODINGS) {
      for (const algorithm of ALGORITHMS) {
        expect(signatureEncoding({ ...platform, encoding }, algorithm)).to.equal(encoding);
      }
    }
  });
});
