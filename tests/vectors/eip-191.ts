/** EIP-191 ("personal_sign") signatures published by ethers.js, eth-account and viem. */
export interface Eip191Vector {
  readonly name: string;
  /** Repository and file. */
  readonly source: string;
  /** 0x-hex, 32 bytes. */
  readonly privateKey: string;
  readonly address: string;
  /** `data` under the `raw` rule: a text, or hex. */
  readonly data: { readonly text: string } | { readonly hex: string };
  /** The message's bytes. */
  readonly message: Buffer;
  /** 0x-hex of r‖s‖v. */
  readonly signature: string;
}

/** See {@link Eip191Vector}. */
export const EIP_191_VECTORS: readonly Eip191Vector[] = [
  {
    name: 'ethers-hello-world',
    source: 'ethers-io/ethers.js packages/tests/src.ts/test-wallet.ts',
    privateKey: '0x0123456789012345678901234567890123456789012345678901234567890123',
    address: '0x14791697260E4c9A71f18484C9f997B308e59325',
    data: { text: 'hello world' },
    message: Buffer.from('hello world'),
    signature:
      '0xddd0a7290af9526056b4e35a077b9a11b513aa0028ec6c9880948544508f3c63265e99e47ad31bb2cab9646c504576b3abc6939a1710afc08cbf3034d73214b81c',
  },
  {
    name: 'ethers-bytes',
    source: 'ethers-io/ethers.js packages/tests/src.ts/test-wallet.ts',
    privateKey: '0x51d1d6047622bca92272d36b297799ecc152dc2ef91b229debf84fc41e8c73ee',
    address: '0xD351c7c627ad5531Edb9587f4150CaF393c33E87',
    data: { hex: '0x47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad' },
    message: Buffer.from('47173285a8d7341e5e972fc677286384f802f8ef42a5ec5f03bbfa254cb01fad', 'hex'),
    signature:
      '0x546f0c996fa4cfbf2b68fd413bfb477f05e44e66545d7782d87d52305831cd055fc9943e513297d0f6755ad1590a5476bf7d1761d4f9dc07dfe473824bbdec751b',
  },
  {
    name: 'ethers-zero-prefixed',
    source: 'ethers-io/ethers.js packages/tests/src.ts/test-wallet.ts',
    privateKey: '0x09a11afa58d6014843fd2c5fd4e21e7fadf96ca2d8ce9934af6b8e204314f25c',
    address: '0xe7deA7e64B62d1Ca52f1716f29cd27d4FE28e3e1',
    data: { hex: '0x69aff0e8e6bad68d84a1edb4175a4396d5a78d4d8b9d17e08034e2785bc8d2d7' },
    message: Buffer.from('69aff0e8e6bad68d84a1edb4175a4396d5a78d4d8b9d17e08034e2785bc8d2d7', 'hex'),
    signature:
      '0x7222038446034a0425b6e3f0cc3594f0d979c656206408f937c37a8180bb1bea047d061e4ded4aeac77fa86eb02d42ba7250964ac3eb9da1337090258ce798491c',
  },
  {
    name: 'eth-account-some-data (web3.js docs example)',
    source: 'ethereum/eth-account tests/core/test_accounts.py',
    privateKey: '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318',
    address: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
    data: { text: 'Some data' },
    message: Buffer.from('Some data'),
    signature:
      '0xb91467e570a6466aa9e9876cbcd013baba02900b8979d43fe208a4a4f339f5fd6007e74cd82e037b800186422fc2da167c747ef045e5d18a5f5d4300f8e1a0291c',
  },
  {
    name: 'eth-account-31byte-r-and-s',
    source: 'ethereum/eth-account tests/core/test_accounts.py',
    privateKey: '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318',
    address: '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
    data: { text: '10284' },
    message: Buffer.from('10284'),
    signature:
      '0x00515bc8fd32264e21ec0820e8c5123ed58c1195c9ea17cb018b1ad4073cc5a60080f5dcec397a5a8c523082bfa41771568903aa554ec06ba8475ca9050fb7d51b',
  },
  {
    name: 'eth-account-I-heart-SF (utf-8)',
    source: 'ethereum/eth-account eth_account/account.py',
    privateKey: '0xb25c7db31feed9122727bf0939dc769a96564b2de4c4726d035b36ecf1e5b364',
    address: '0x5ce9454909639D2D17A3F753ce7d93fa0b9aB12E',
    data: { text: 'I♥SF' },
    message: Buffer.from('I♥SF'),
    signature:
      '0xe6ca9bba58c88611fad66a6ce8f996908195593807c4b38bd528d2cff09d4eb33e5bfbbf4d3e39b1a2fd816a7680c19ebebaf3a141b239934ad43cb33fcec8ce1c',
  },
  {
    name: 'viem-hello-world-anvil0',
    source: 'wevm/viem',
    privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
    address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    data: { text: 'hello world' },
    message: Buffer.from('hello world'),
    signature:
      '0xa461f509887bd19e312c0c58467ce8ff8e300d3c1a90b608a760c5b80318eaf15fe57c96f9175d6cd4daad4663763baa7e78836e067d0163e9a2ccf2ff753f5b1b',
  },
];
