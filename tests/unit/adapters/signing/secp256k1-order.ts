/** Group order (SEC 2 §2.4.1), hex. */
export const GROUP_ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';

/** Zero, the order and above. */
export const INVALID_KEYS = [
  Buffer.alloc(32),
  Buffer.from(GROUP_ORDER, 'hex'),
  Buffer.from(GROUP_ORDER.replace(/41$/, '42'), 'hex'),
  Buffer.alloc(32, 0xff),
];
