/** SEC 2 §2.4.1: the order of the group, 64 hex digits. */
export const GROUP_ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

/** What is no private key of secp256k1: zero, the order and what is above it. */
export const INVALID_KEYS = [
  Buffer.alloc(32),
  Buffer.from(GROUP_ORDER, 'hex'),
  Buffer.from(GROUP_ORDER.replace(/41$/, '42'), 'hex'),
  Buffer.alloc(32, 0xff),
];
