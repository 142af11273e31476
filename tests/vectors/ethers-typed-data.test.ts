import { expect } from 'chai';
import { computeAddress, keccak256, verifyTypedData } from 'ethers';
import { Secp256k1Signer } from '../../src/adapters/signing/secp256k1-signer.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import type { TypedDataTypes } from '../../src/domain/model/payload.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { readProjectFile } from '../project-root.ts';

/** A test case of ethers: typed data and digest, in one case key and signature. */
interface TypedDataVector {
  readonly name: string;
  readonly domain: JsonObject;
  readonly types: TypedDataTypes;
  readonly primaryType: string;
  readonly data: JsonObject;
  /** 0x-hex of the signed 32 bytes. */
  readonly digest: string;
  readonly privateKey?: string;
  readonly signature?: string;
}

const SELECTION: readonly TypedDataVector[] = JSON.parse(
  readProjectFile('tests/vectors/ethers-typed-data.json'),
).vectors;

describe("ethers' typed-data vectors", () => {
  for (const vector of SELECTION) {
    it(`${vector.name}: rule typed-data gives the message of the published digest`, () => {
      expect(keccak256(messageOf(vector))).to.equal(vector.digest);
    });
  }

  for (const vector of SELECTION.filter(({ privateKey }) => privateKey !== undefined)) {
    it(`${vector.name}: the eip712 signer gives the published signature, which ethers accepts`, () => {
      const signer = new Secp256k1Signer('eip712');
      const key = Buffer.from(vector.privateKey?.slice(2) ?? '', 'hex');
      const signature = signer.sign(key, messageOf(vector), '0x-hex');
      expect(signature).to.equal(vector.signature);
      const { domain, types, data } = vector;
      const mutableTypes = Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, [...fields]]));
      expect(verifyTypedData(domain, mutableTypes, data, signature)).to.equal(computeAddress(signer.publicKey(key)));
    });
  }

  it('include every kind of type and each member of a domain', () => {
    const published = JSON.stringify(SELECTION);
    for (const type of ['address', 'bool', 'bytes', 'string']) expect(published).to.include(`"type":"${type}`);
    for (const type of [/"uint\d+"/, /"int\d+"/, /"bytes\d+"/, /"Struct\d+\[/, /\]\[/])
      expect(published).to.match(type);
    for (const member of ['name', 'version', 'chainId', 'verifyingContract', 'salt']) {
      expect(SELECTION.some(({ domain }) => Object.hasOwn(domain, member))).to.equal(true);
    }
  });
});

function messageOf({ domain, types, primaryType, data }: TypedDataVector): Uint8Array {
  const typedData = { domain, types: types as unknown as JsonObject, primaryType, message: data };
  const outcome = buildPayload(typedData, { rule: 'typed-data' }, payloadContext());
  if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
  return outcome.value.bytes;
}
