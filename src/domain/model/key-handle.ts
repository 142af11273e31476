/** Names a key that a KeyStore holds. It reveals nothing and opens nothing without that same KeyStore. */
export interface KeyHandle {
  readonly id: string;
}
