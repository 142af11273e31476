/** Whose tokens are believed. An adapter MUST give another list, never the same one altered, when they change. */
export interface AccessAuthorities {
  /** Ed25519 public keys, 32 bytes each. */
  readonly current: readonly Uint8Array[];
}
