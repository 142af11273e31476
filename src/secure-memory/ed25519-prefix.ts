const PREFIX = Buffer.from('ed25519:');

/** Whether a text says of itself that it is an Ed25519 key in base58, as NEAR's tools write it, and Orderly, which took the form over. */
export function hasEd25519Prefix(text: Buffer): boolean {
  return text.subarray(0, PREFIX.length).equals(PREFIX);
}

/** A view of `text` without `ed25519:` in front. */
export function withoutEd25519Prefix(text: Buffer): Buffer {
  return hasEd25519Prefix(text) ? text.subarray(PREFIX.length) : text;
}
