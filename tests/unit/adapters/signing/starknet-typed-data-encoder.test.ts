import { readFileSync } from 'node:fs';
import { computeHashOnElements, poseidonHashMany } from '@scure/starknet';
import { expect } from 'chai';
import { ScureStarknetTypedDataEncoder } from '../../../../src/adapters/signing/starknet-typed-data-encoder.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { starknetTypedDataPayload } from '../../../../src/domain/payload/rules/starknet-typed-data.ts';
import { describeStarknetTypedDataEncoderContract } from '../../../contracts/starknet-typed-data-encoder-contract.ts';
import { payloadContext } from '../../../doubles/payload-context.ts';

interface Vector {
  readonly id: string;
  readonly address: string;
  readonly data: JsonObject;
  readonly hash: string;
}

const VECTORS: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../../../vectors/starknet-typed-data.json', import.meta.url), 'utf8'),
).vectors;

describeStarknetTypedDataEncoderContract('ScureStarknetTypedDataEncoder', () => new ScureStarknetTypedDataEncoder());

describe('ScureStarknetTypedDataEncoder', () => {
  for (const { id, address, data, hash } of VECTORS) {
    it(`gives the message hash of ${id}, from the tests of starknet.js`, () => {
      const outcome = starknetTypedDataPayload(data, { rule: 'starknet-typed-data' }, payloadContext({ address }));
      if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
      const bytes = Buffer.from(outcome.value.bytes);
      const felts = [1, 33, 65, 97].map((at) => BigInt(`0x${bytes.subarray(at, at + 32).toString('hex')}`));
      const number = bytes[0] === 0 ? BigInt(String(computeHashOnElements(felts))) : poseidonHashMany(felts);
      expect(`0x${number.toString(16)}`).to.equal(hash);
    });
  }

  it('names the member of an invalid felt, its range and its forms', () => {
    // The prime, from the StarkNet documentation ("Field elements").
    const prime = '0x800000000000011000000000000000000000000000000000000000000000001';
    const data = {
      domain: { name: 'Test', version: '1', chainId: 'SN_MAIN' },
      types: {
        StarkNetDomain: ['name', 'version', 'chainId'].map((name) => ({ name, type: 'felt' })),
        Order: [{ name: 'size', type: 'felt' }],
      },
      primaryType: 'Order',
    };
    for (const size of [prime, -1, '007', '+5', ' 5', '0xzz', 'z'.repeat(32), 'é', null]) {
      const outcome = starknetTypedDataPayload(
        { ...data, message: { size } },
        { rule: 'starknet-typed-data' },
        payloadContext({ address: '0x1' }),
      );
      if (outcome.ok) throw new Error(`accepted: ${size}`);
      expect(outcome.refusal.path).to.equal('data.message.size');
      for (const part of [
        /^must be an integer from 0 to 2\^251 \+ 17\*2\^192, as a number, or as a string/,
        /decimal digits without leading zeros or of 0x and 1 to 64 hex digits/,
        /or a short string: at most 31 printable ASCII characters that do not look like a number/,
      ]) {
        expect(outcome.refusal.message).to.match(part);
      }
    }
  });
});
