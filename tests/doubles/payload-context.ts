import { NodeHasher } from '../../src/adapters/node/node-hasher.ts';
import { ScureStarknetHasher } from '../../src/adapters/signing/scure-starknet-hasher.ts';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { FixedValues } from '../../src/domain/model/payload.ts';
import type { PayloadContext } from '../../src/domain/payload/payload-outcome.ts';

/** A context from the real adapters, with these fixed values and this signing algorithm. */
export function payloadContext(values: FixedValues = {}, algorithm: Algorithm = 'ed25519'): PayloadContext {
  return {
    hasher: new NodeHasher(),
    starknet: new ScureStarknetHasher(),
    values,
    algorithm,
  };
}
