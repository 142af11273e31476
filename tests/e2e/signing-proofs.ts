import { computeAddress, hashMessage, keccak256, TypedDataEncoder, verifyTypedData, ZeroAddress } from 'ethers';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { PayloadRuleName } from '../../src/domain/model/payload-rule.ts';
import { hmacOf, isEd25519Signature, isPersonalSignature } from '../contracts/independent-verification.ts';
import { signatureBytes } from '../contracts/signature-bytes.ts';

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
  /** Request data for 1 to 31 ASCII characters. */
  readonly dataOf: (text: string) => object;
  /** 0x-hex of the 32-byte ECDSA digest; secp256k1 only. */
  readonly digestOf?: (text: string) => string;
  readonly isSignature: (made: ProvenSignature) => boolean;
}

/** Platforms of format `any` for all algorithms. */
export const PROOF_PLATFORMS: readonly { readonly platformId: string; readonly rule: PayloadRuleName }[] = [
  { platformId: 'messages', rule: 'raw' },
  { platformId: 'typed-data', rule: 'typed-data' },
  { platformId: 'hyperliquid', rule: 'hyperliquid-l1' },
];

const TYPED_DATA = {
  domain: { name: 'Proof', version: '1', chainId: 1 },
  types: { Proof: [{ name: 'text', type: 'string' }] },
};

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

/** See {@link SigningProof}. */
export const SIGNING_PROOFS: { readonly [Name in Algorithm]: SigningProof } = {
  ed25519: {
    platformId: 'messages',
    dataOf: (text) => ({ text }),
    isSignature: ({ text, publicKey, signature }) =>
      isEd25519Signature(publicKey, Buffer.from(text), signatureBytes(signature, 'base58')),
  },
  eip191: {
    platformId: 'messages',
    dataOf: (text) => ({ text }),
    digestOf: (text) => hashMessage(text),
    isSignature: ({ text, publicKey, signature }) =>
      isPersonalSignature(publicKey, Buffer.from(text), signatureBytes(signature, 'hex')),
  },
  eip712: {
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
  'hmac-sha256': hmacProof('sha256'),
  'hmac-sha384': hmacProof('sha384'),
  'hmac-sha512': hmacProof('sha512'),
};

function hmacProof(hash: 'sha256' | 'sha384' | 'sha512'): SigningProof {
  return {
    platformId: 'messages',
    dataOf: (text) => ({ text }),
    isSignature: ({ text, signature, key }) =>
      key !== undefined && hmacOf(hash, key, Buffer.from(text)).toString('hex') === signature,
  };
}

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
