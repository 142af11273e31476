import { createPublicKey, verify } from 'node:crypto';
import bs58 from 'bs58';
import { computeAddress, verifyMessage } from 'ethers';
import type { SignedResult } from '../../../../src/domain/model/signed-result.ts';

/** What is needed of a signature to check it. */
type CheckedSignature = Pick<SignedResult, 'signature' | 'algorithm' | 'encoding' | 'publicKey'>;

/** Whether node:crypto (ed25519) or ethers (eip191) finds the signature to be its public key's over `message`. */
export function isValidSignature(result: CheckedSignature, message: Uint8Array): boolean {
  const signature = signatureBytes(result);
  if (result.algorithm === 'eip191') {
    return verifyMessage(message, `0x${signature.toString('hex')}`) === computeAddress(result.publicKey);
  }
  const x = Buffer.from(bs58.decode(result.publicKey)).toString('base64url');
  return verify(null, message, createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }), signature);
}

function signatureBytes({ signature, encoding, algorithm }: CheckedSignature): Buffer {
  if (encoding === 'base58') return Buffer.from(bs58.decode(signature));
  const text = encoding === 'hex' && algorithm === 'eip191' ? signature.replace(/^0x/, '') : signature;
  return Buffer.from(text, encoding);
}
