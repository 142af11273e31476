/**
 * Bytes of a private key, seen only inside a synchronous callback of the port that lends them and wiped when it
 * returns. Never keep a reference, never copy, never turn them into text or a BigInt.
 */
export type SecretBytes = Uint8Array;
