import { expect } from 'chai';
import type { Algorithm as ClientAlgorithm } from '../../../../src/client/types.ts';
import {
  ALGORITHMS,
  isMacAlgorithm,
  isSecp256k1Algorithm,
  MAC_ALGORITHMS,
  SECP256K1_ALGORITHMS,
  TYPED_DATA_ALGORITHMS,
} from '../../../../src/domain/model/algorithm.ts';

describe('algorithms', () => {
  it('lists each kind in the order of ALGORITHMS', () => {
    expect(SECP256K1_ALGORITHMS).to.deep.equal(['eip191', 'eip712', 'hyperliquid-l1']);
    expect(TYPED_DATA_ALGORITHMS).to.deep.equal(['eip712', 'hyperliquid-l1', 'starknet']);
    expect(MAC_ALGORITHMS).to.deep.equal(['hmac-sha256', 'hmac-sha384', 'hmac-sha512']);
    expect(ALGORITHMS.filter((name) => !isSecp256k1Algorithm(name) && !isMacAlgorithm(name))) //
      .to.deep.equal(['ed25519', 'starknet', 'rsa-sha256', 'cosmos', 'es256']);
  });

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
