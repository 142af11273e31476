/**
 * Keys of tools that drop leading zeros; the right values were computed by eth-account and OpenSSL.
 */

/** The IV has 15 bytes (eth-keyfile issue 60); password `ones`, key 32 times 0x11. */
export const KEYSTORE_OF_WEB3PY = JSON.stringify({
  address: '19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '744dd56f354d39234c85b6edc6ad20' },
    ciphertext: 'a569cb703c8eaf4d008de747dedc38a56fc2151d22bd16e719250075b845fec9',
    kdf: 'pbkdf2',
    kdfparams: { c: 1000, dklen: 32, prf: 'hmac-sha256', salt: '00c20b2f678a9bbb40da3161a4cb3ee2' },
    mac: '417deae9f13dd50f19d52bfe6b8bbcee05d3dae91e69a55f17b94b5a825183ac',
  },
  id: 'f635ad4a-48f9-43ce-b0b3-ca865acc3067',
  version: 3,
});

/**
 * The ciphertext has 31 bytes (parity-ethereum issue 2263); password `ones`, key 0x00 and 31 times
 * 0x22.
 */
export const KEYSTORE_OF_GETH = JSON.stringify({
  version: 3,
  id: '8259c483-eafa-48d9-95bb-e28af35db03d',
  address: '681248d5c48008ce14e5aebab76ce15476ad2509',
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '456b478f4037d745783013b84cbf11c5' },
    ciphertext: '7e21695fff920c4cf345c9c6da6eadae548ac9718ce973ba6b3f63374f958b',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 1000,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: '0c7209f100a6c738f29a0a433368502cd83a2ceff579fede0db0f9a03ade26bf',
    },
    mac: '455546faf159a30fee7c599158c770b8ed68d8b1e3fdf83ba7fe9bea210f59a2',
  },
});

/** The scalar has 31 bytes (openssl issue 7461): 31 times 0x33. */
export const SEC1_OF_31_BYTES = `
-----BEGIN EC PRIVATE KEY-----
MHMCAQEEHzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzOgBwYFK4EEAAqh
RANCAAS8a27Fw+yrcuGRmzvx0CX/WODzEpLCYNsMB0fQpRa0Y+tOmI4wbbfpPU5S
0Si8sMwnHWu4L4ajye3rgkyYdFbb
-----END EC PRIVATE KEY-----
`;
