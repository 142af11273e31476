import { expect } from 'chai';
import type { Algorithm as ClientAlgorithm } from '../../../../src/client/types.ts';
import { ALGORITHMS } from '../../../../src/domain/model/algorithm.ts';

describe('algorithms', () => {
  it('has the algorithms of the client', () => {
    // The compiler requires every algorithm of src/client/types.ts here.
    const ofClient: { readonly [Name in ClientAlgorithm]: true } = {
      ed25519: true,
      eip191: true,
      eip712: true,
      'hyperliquid-l1': true,
      'hmac-sha256': true,
      'hmac-sha384': true,
      'hmac-sha512': true,
      starknet: true,
      'rsa-sha256': true,
      cosmos: true,
      es256: true,
    };
    const known: readonly ClientAlgorithm[] = ALGORITHMS;
    expect(known).to.have.members(Object.keys(ofClient));
  });
});
