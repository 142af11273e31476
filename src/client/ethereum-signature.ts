/** Bytes of r‖s‖v. */
export const ETHEREUM_SIGNATURE_BYTES = 65;

/** `personal-message`: EIP-191 version 0x45; `typed-data`: hashed without a prefix. */
export type EthereumMessage = 'personal-message' | 'typed-data';

/** `0x19 0x01` and two hashes (EIP-712). */
const TYPED_DATA_BYTES = 66;

/**
 * Verifies a secp256k1 signature with a public key (0x-hex of the 65-byte point). Loads ethers on
 * first use; rejects if it is not installed.
 */
export async function isEthereumSignature(
  kind: EthereumMessage,
  publicKey: string,
  payload: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const [{ keccak256 }, { computeAddress, recoverAddress }] = await Promise.all([
    import('ethers/crypto'),
    import('ethers/transaction'),
  ]);
  const message = kind === 'typed-data' ? typedData(payload) : personalMessage(payload);
  if (message === null) return false;
  try {
    const hex = `0x${Buffer.from(signature).toString('hex')}`;
    return recoverAddress(keccak256(message), hex) === computeAddress(publicKey);
  } catch {
    // ethers throws for a malformed signature or key.
    return false;
  }
}

/** EIP-191 version 0x45. */
function personalMessage(payload: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${payload.length}`), payload]);
}

function typedData(payload: Uint8Array): Uint8Array | null {
  return payload.length === TYPED_DATA_BYTES && payload[0] === 0x19 && payload[1] === 0x01 ? payload : null;
}
