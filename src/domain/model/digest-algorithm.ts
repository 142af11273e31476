/** Hash functions that payload rules ask for: SHA-256, SHA-512 (FIPS 180-4), and Keccak-256 as Ethereum uses it (not SHA3-256). */
export type DigestAlgorithm = 'sha256' | 'sha512' | 'keccak256';
