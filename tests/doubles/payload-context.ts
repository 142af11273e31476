import { NodeHasher } from '../../src/adapters/node/node-hasher.ts';
import { EthersTypedDataEncoder } from '../../src/adapters/signing/ethers-typed-data-encoder.ts';
import { ScureStarknetTypedDataEncoder } from '../../src/adapters/signing/starknet-typed-data-encoder.ts';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { FixedValues } from '../../src/domain/model/payload-rule.ts';
import type { PayloadContext } from '../../src/domain/payload/payload-outcome.ts';

/** A context from the real adapters, with these fixed values and this signing algorithm. */
export function payloadContext(values: FixedValues = {}, algorithm: Algorithm = 'ed25519'): PayloadContext {
  return {
    hasher: new NodeHasher(),
    typedData: new EthersTypedDataEncoder(),
    starknet: new ScureStarknetTypedDataEncoder(),
    values,
    algorithm,
  };
}
