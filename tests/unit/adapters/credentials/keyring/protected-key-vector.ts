/**
 * A protected master key by other implementations: argon2-cffi, hashlib.blake2b and PyNaCl
 * (Python). `derivedKey` is Argon2id of the passphrase, salt 00…0f, 2 passes over 64 MiB; nonce
 * 64…7b.
 */
export const PROTECTED = {
  key: Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff', 'hex'),
  id: '5585bb72d90715a0',
  passphrase: 'correct horse Ωmega',
  derivedKey: Buffer.from('8362f936ab17227f40e462309e3bf5d5b3bc6ba5dd2e9f7046ed0f74fc6bab5d', 'hex'),
  text: 'argon2id.v1.5585bb72d90715a0.2.67108864.AAECAwQFBgcICQoLDA0ODw.ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7.-5YHsoaWvZB9d_TT3i11FtTWa-UJ_jItalMlmqj8y0qlXqskOyq5OWtcNIN7gd7r',
} as const;
