import { NodeHasher } from '../../src/adapters/driven/hasher/node-hasher.ts';
import { EthersTypedDataEncoder } from '../../src/adapters/driven/typed-data-encoder/ethers-typed-data-encoder.ts';
import type { FixedValues } from '../../src/domain/model/fixed-values.ts';
import type { PayloadContext } from '../../src/domain/payload/payload-context.ts';

/** What payload rules are lent, from the real adapters, for an account with these fixed values. */
export function payloadContext(values: FixedValues = {}): PayloadContext {
  return { hasher: new NodeHasher(), typedData: new EthersTypedDataEncoder(), values };
}
