import { expect } from 'chai';
import { getKeyKind } from '../../../../src/client/signature-check.ts';
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
  it('lists each kind in the order of all', () => {
    expect(SECP256K1_ALGORITHMS).to.deep.equal(['eip191', 'eip712', 'hyperliquid-l1']);
    expect(TYPED_DATA_ALGORITHMS).to.deep.equal(['eip712', 'hyperliquid-l1']);
    expect(MAC_ALGORITHMS).to.deep.equal(['hmac-sha256', 'hmac-sha512']);
    expect(ALGORITHMS.filter((name) => !isSecp256k1Algorithm(name) && !isMacAlgorithm(name))) //
      .to.deep.equal(['ed25519']);
  });

  it('has no algorithm that the client does not know', () => {
    // A type error here names what src/client/types.ts lacks.
    const known: readonly ClientAlgorithm[] = ALGORITHMS;
    for (const algorithm of known) expect(getKeyKind(algorithm), algorithm).to.not.equal('unknown');
  });
});
