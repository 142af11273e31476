import { expect } from 'chai';
import { EthersTypedDataEncoder } from '../../../../src/adapters/signing/ethers-typed-data-encoder.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import type { TypedDataTypes } from '../../../../src/domain/model/payload.ts';
import { describeTypedDataEncoderContract } from '../../../contracts/typed-data-encoder-contract.ts';

describeTypedDataEncoderContract('EthersTypedDataEncoder', () => new EthersTypedDataEncoder());

describe('The bounds of EthersTypedDataEncoder', () => {
  const encoder = new EthersTypedDataEncoder();
  const domain = { name: 'Test' };

  const isTaken = (types: TypedDataTypes, message: JsonObject) =>
    encoder.encode({ domain, types, primaryType: 'M', message }).ok;

  it('are 256 values, including objects and arrays themselves', () => {
    const types = { M: [{ name: 'a', type: 'bool[]' }] };
    const booleans = (count: number) => ({ a: Array.from({ length: count }, () => true) });
    // The array counts.
    expect(isTaken(types, booleans(255))).to.equal(true);
    expect(isTaken(types, booleans(256))).to.equal(false);
  });

  it('are 65,536 characters of texts and bytes', () => {
    const types = {
      M: [
        { name: 'a', type: 'string' },
        { name: 'b', type: 'bytes' },
      ],
    };
    const message = (characters: number) => ({ a: 'x'.repeat(characters - 40_000), b: `0x${'0'.repeat(39_998)}` });
    expect(isTaken(types, message(65_536))).to.equal(true);
    expect(isTaken(types, message(65_537))).to.equal(false);
  });

  it('are 64 nested structs', () => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, index) => [
          index === 0 ? 'M' : `S${index}`,
          index === length - 1 ? [] : [{ name: 'a', type: `S${index + 1}` }],
        ]),
      );
    const nested = (depth: number): JsonObject => (depth === 1 ? {} : { a: nested(depth - 1) });
    expect(isTaken(chain(64), nested(64))).to.equal(true);
    expect(isTaken(chain(65), nested(65))).to.equal(false);
  });

  it('are 8192 characters of names and types', () => {
    const types = (length: number) => ({
      M: [{ name: 'a'.repeat(length - 'M'.length - 'bool'.length), type: 'bool' }],
    });
    const message = (length: number) => ({ ['a'.repeat(length - 'M'.length - 'bool'.length)]: true });
    expect(isTaken(types(8192), message(8192))).to.equal(true);
    expect(isTaken(types(8193), message(8193))).to.equal(false);
  });
});
