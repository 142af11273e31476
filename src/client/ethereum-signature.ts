/** Bytes of r‖s‖v. */
export const ETHEREUM_SIGNATURE_BYTES = 65;

/** Algorithms whose payload is typed data, hashed as it is. */
const TYPED_DATA = ['eip712', 'hyperliquid-l1'];

/** How a payload of typed data begins (EIP-712): `0x19 0x01`, then two hashes. */
const TYPED_DATA_BYTES = 66;

/**
 * Whether a signature of secp256k1 is this public key's (0x-hex of the 65-byte point) over a payload. ethers does the arithmetic; it is loaded when it is first needed, and rejects where it is not installed.
 */
export async function isEthereumSignature(
  algorithm: string,
  publicKey: string,
  payload: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const [{ keccak256 }, { computeAddress, recoverAddress }] = await Promise.all([
    import('ethers/crypto'),
    import('ethers/transaction'),
  ]);
  const message = TYPED_DATA.includes(algorithm) ? typedData(payload) : personalMessage(payload);
  if (message === null) return false;
  try {
    const hex = `0x${Buffer.from(signature).toString('hex')}`;
    return recoverAddress(keccak256(message), hex) === computeAddress(publicKey);
  } catch {
    // ethers throws for what is no signature or no key.
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
