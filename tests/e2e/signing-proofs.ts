import { createHash } from 'node:crypto';
import { keccak, poseidonHashMany } from '@scure/starknet';
import { ZeroAddress } from 'ethers/constants';
import { keccak256 } from 'ethers/crypto';
import { hashMessage, TypedDataEncoder, verifyTypedData } from 'ethers/hash';
import { computeAddress } from 'ethers/transaction';
import { ALGORITHM_ROWS, ALGORITHMS, type Algorithm, type SignatureScheme } from '../../src/domain/model/algorithm.ts';
import type { FixedValues } from '../../src/domain/model/payload.ts';
import type { PayloadRuleName } from '../../src/domain/payload/payload-rules.ts';
import { makeSignDoc } from '../contracts/cosmos-sign-doc.ts';
import { isCosmosSignature, isValidSignature } from '../contracts/independent-verification.ts';
import { signatureBytes } from '../contracts/signature-bytes.ts';
import { isStarkSignatureOfHash } from '../contracts/stark-verification.ts';

/** A signature in the default encoding, and the inputs of its verification. */
export interface ProvenSignature {
  /** The signed text. */
  readonly text: string;
  readonly publicKey: string;
  readonly signature: string;
  /** The private key, for HMAC only. */
  readonly key?: Uint8Array | undefined;
}

/** How to sign a text with an algorithm and verify it with OpenSSL and ethers. */
export interface SigningProof {
  /** A platform for the algorithm. */
  readonly platformId: string;
  /** Fixed values of the account; absent: none. */
  readonly values?: FixedValues;
  /** Request data for 1 to 31 ASCII characters. */
  readonly dataOf: (text: string) => object;
  /** 0x-hex of the 32-byte ECDSA digest; secp256k1, P-256 and starknet only. */
  readonly digestOf?: (text: string) => string;
  readonly isSignature: (made: ProvenSignature) => boolean;
}

/** Platforms of format `any` for all algorithms. */
export const PROOF_PLATFORMS: readonly { readonly platformId: string; readonly rule: PayloadRuleName }[] = [
  { platformId: 'messages', rule: 'raw' },
  { platformId: 'typed-data', rule: 'typed-data' },
  { platformId: 'hyperliquid', rule: 'hyperliquid-l1' },
  { platformId: 'starknet', rule: 'starknet-typed-data' },
  { platformId: 'cosmos', rule: 'cosmos-sign-doc' },
];

const TYPED_DATA = {
  domain: { name: 'Proof', version: '1', chainId: 1 },
  types: { Proof: [{ name: 'text', type: 'string' }] },
};

const STARKNET_ADDRESS = '0x5';
const STARKNET_DOMAIN_TYPE =
  '"StarknetDomain"("name":"shortstring","version":"shortstring","chainId":"shortstring","revision":"shortstring")';

const STARKNET_DATA = {
  domain: { name: 'Proof', version: 1, chainId: 'SN_MAIN', revision: 1 },
  types: {
    StarknetDomain: ['name', 'version', 'chainId', 'revision'].map((name) => ({ name, type: 'shortstring' })),
    Proof: [{ name: 'text', type: 'shortstring' }],
  },
};

/** SNIP-12, revision 1. The text is not a number. */
function starknetHash(text: string): bigint {
  const ascii = (value: string) => BigInt(`0x${Buffer.from(value).toString('hex')}`);
  const domain = [keccak(Buffer.from(STARKNET_DOMAIN_TYPE)), ascii('Proof'), 1n, ascii('SN_MAIN'), 1n];
  const message = [keccak(Buffer.from('"Proof"("text":"shortstring")')), ascii(text)];
  return poseidonHashMany([
    ascii('StarkNet Message'),
    poseidonHashMany(domain),
    BigInt(STARKNET_ADDRESS),
    poseidonHashMany(message),
  ]);
}

/**
 * https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/signing; `a`: main network.
 */
const AGENT = {
  domain: { name: 'Exchange', version: '1', chainId: 1337, verifyingContract: ZeroAddress },
  types: {
    Agent: [
      { name: 'source', type: 'string' },
      { name: 'connectionId', type: 'bytes32' },
    ],
  },
  source: 'a',
};

/** Of algorithms that sign only what a rule made for them. */
const PROOFS_OF_RULES: { readonly [Scheme in SignatureScheme]?: SigningProof } = {
  'typed-data': {
    platformId: 'typed-data',
    dataOf: (text) => ({ ...TYPED_DATA, primaryType: 'Proof', message: { text } }),
    digestOf: (text) => TypedDataEncoder.hash(TYPED_DATA.domain, TYPED_DATA.types, { text }),
    isSignature: ({ text, publicKey, signature }) =>
      verifyTypedData(TYPED_DATA.domain, TYPED_DATA.types, { text }, signature) === computeAddress(publicKey),
  },
  'hyperliquid-l1': {
    platformId: 'hyperliquid',
    dataOf: (text) => ({ action: { type: text }, nonce: 1 }),
    digestOf: (text) => TypedDataEncoder.hash(AGENT.domain, AGENT.types, agentOf(text)),
    isSignature: ({ text, publicKey, signature }) =>
      verifyTypedData(AGENT.domain, AGENT.types, agentOf(text), signature) === computeAddress(publicKey),
  },
  starknet: {
    platformId: 'starknet',
    values: { address: STARKNET_ADDRESS },
    dataOf: (text) => ({ ...STARKNET_DATA, primaryType: 'Proof', message: { text } }),
    digestOf: (text) => `0x${starknetHash(text).toString(16).padStart(64, '0')}`,
    isSignature: ({ text, publicKey, signature }) =>
      isStarkSignatureOfHash(publicKey, starknetHash(text), signatureBytes(signature, '0x-hex')),
  },
  'sign-doc': {
    platformId: 'cosmos',
    dataOf: (text) => ({ signDoc: makeSignDoc({ memo: text }).toString('base64') }),
    isSignature: ({ text, publicKey, signature }) =>
      isCosmosSignature(publicKey, makeSignDoc({ memo: text }), signatureBytes(signature, 'base64')),
  },
};

/** 0x-hex of what ECDSA signs of a message. */
const DIGESTS: { readonly [Scheme in SignatureScheme]?: (text: string) => string } = {
  'personal-message': (text) => hashMessage(text),
  es256: (text) => `0x${createHash('sha256').update(text).digest('hex')}`,
};

function proofOf(algorithm: Algorithm): SigningProof {
  const { scheme, encoding } = ALGORITHM_ROWS[algorithm];
  const digestOf = DIGESTS[scheme];
  const proof: SigningProof = {
    platformId: 'messages',
    dataOf: (text) => ({ text }),
    ...(digestOf && { digestOf }),
    isSignature: ({ text, key, ...made }) => isValidSignature({ ...made, algorithm, encoding }, Buffer.from(text), key),
  };
  return PROOFS_OF_RULES[scheme] ?? proof;
}

/** See {@link SigningProof}. */
export const SIGNING_PROOFS = Object.fromEntries(ALGORITHMS.map((name) => [name, proofOf(name)])) as {
  readonly [Name in Algorithm]: SigningProof;
};

function agentOf(text: string): { readonly source: string; readonly connectionId: string } {
  return { source: AGENT.source, connectionId: keccak256(packedAction(text)) };
}

/** MessagePack of `{"type": text}` (up to 31 bytes), nonce 1, no vault. */
function packedAction(text: string): Buffer {
  const short = (value: string) => Buffer.from([0xa0 | value.length, ...Buffer.from(value)]);
  const nonce = Buffer.alloc(8);
  nonce.writeBigUInt64BE(1n);
  return Buffer.concat([Buffer.of(0x81), short('type'), short(text), nonce, Buffer.of(0)]);
}

/** Options of `account add` for the fixed values of an algorithm's platform. */
export function valueOptions(algorithm: Algorithm): readonly string[] {
  return Object.entries(SIGNING_PROOFS[algorithm].values ?? {}).flatMap(([name, value]) => [
    '--value',
    `${name}=${value}`,
  ]);
}
