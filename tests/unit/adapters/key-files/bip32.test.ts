import { expect } from 'chai';
import { HDNodeWallet } from 'ethers';
import { deriveBip32Key } from '../../../../src/adapters/key-files/bip32.ts';
import { parseDerivationPath } from '../../../../src/adapters/key-files/derivation-path.ts';
import { decodedText } from './decoder-outcomes.ts';

/** Test vectors 1 to 3: https://github.com/bitcoin/bips/blob/master/bip-0032.mediawiki */
const VECTORS = [
  {
    seed: '000102030405060708090a0b0c0d0e0f',
    chains: {
      m: 'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi',
      "m/0'":
        'xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7',
      'm/0h/1':
        'xprv9wTYmMFdV23N2TdNG573QoEsfRrWKQgWeibmLntzniatZvR9BmLnvSxqu53Kw1UmYPxLgboyZQaXwTCg8MSY3H2EU4pWcQDnRnrVA1xe8fs',
      "m/0'/1/2'":
        'xprv9z4pot5VBttmtdRTWfWQmoH1taj2axGVzFqSb8C9xaxKymcFzXBDptWmT7FwuEzG3ryjH4ktypQSAewRiNMjANTtpgP4mLTj34bhnZX7UiM',
      "m/0'/1/2'/2":
        'xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2WwLsEd4Hsb2Tyh8RfQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in334',
      "m/0'/1/2'/2/1000000000":
        'xprvA41z7zogVVwxVSgdKUHDy1SKmdb533PjDz7J6N6mV6uS3ze1ai8FHa8kmHScGpWmj4WggLyQjgPie1rFSruoUihUZREPSL39UNdE3BBDu76',
    },
  },
  {
    seed: 'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542',
    chains: {
      'm/0':
        'xprv9vHkqa6EV4sPZHYqZznhT2NPtPCjKuDKGY38FBWLvgaDx45zo9WQRUT3dKYnjwih2yJD9mkrocEZXo1ex8G81dwSM1fwqWpWkeS3v86pgKt',
      "m/0/2147483647'":
        'xprv9wSp6B7kry3Vj9m1zSnLvN3xH8RdsPP1Mh7fAaR7aRLcQMKTR2vidYEeEg2mUCTAwCd6vnxVrcjfy2kRgVsFawNzmjuHc2YmYRmagcEPdU9',
      "m/0/2147483647'/1":
        'xprv9zFnWC6h2cLgpmSA46vutJzBcfJ8yaJGg8cX1e5StJh45BBciYTRXSd25UEPVuesF9yog62tGAQtHjXajPPdbRCHuWS6T8XA2ECKADdw4Ef',
      "m/0/2147483647'/1/2147483646'":
        'xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc',
      "m/0/2147483647'/1/2147483646'/2":
        'xprvA2nrNbFZABcdryreWet9Ea4LvTJcGsqrMzxHx98MMrotbir7yrKCEXw7nadnHM8Dq38EGfSh6dqA9QWTyefMLEcBYJUuekgW4BYPJcr9E7j',
    },
  },
  {
    seed: '4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4acba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be',
    chains: {
      m: 'xprv9s21ZrQH143K25QhxbucbDDuQ4naNntJRi4KUfWT7xo4EKsHt2QJDu7KXp1A3u7Bi1j8ph3EGsZ9Xvz9dGuVrtHHs7pXeTzjuxBrCmmhgC6',
      "m/0'":
        'xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L',
    },
  },
] as const;

describe('deriveBip32Key', () => {
  for (const [number, { seed, chains }] of VECTORS.entries()) {
    for (const [path, extendedKey] of Object.entries(chains)) {
      it(`derives ${path} of test vector ${number + 1}`, () => {
        const key = decodedText(
          (text, output) => deriveBip32Key(text, parseDerivationPath(path) ?? [], output),
          Buffer.from(seed, 'hex'),
          32,
        );
        const expected = HDNodeWallet.fromExtendedKey(extendedKey);
        expect(`0x${key.toString('hex')}`).to.equal(expected instanceof HDNodeWallet && expected.privateKey);
      });
    }
  }
});

describe('parseDerivationPath', () => {
  it('reads normal and hardened indices', () => {
    expect(parseDerivationPath('m')).to.deep.equal([]);
    expect(parseDerivationPath("m/44'/60h/0/2147483647'")).to.deep.equal([2 ** 31 + 44, 2 ** 31 + 60, 0, 2 ** 32 - 1]);
    expect(parseDerivationPath(`m${'/1'.repeat(10)}`)).to.have.length(10);
  });

  it('rejects other texts', () => {
    for (const path of [
      ...['', 'm/', '/0', 'M/0', 'm//0', 'm/0/', 'm/-1', 'm/1.0', 'm/0x1', 'm/01', "m/'", "m/0''", "m/0'h", 'm/0H'],
      ...['m/2147483648', 'm/99999999999', `m${'/1'.repeat(11)}`, ' m/0', 'm/0\n', 'm/\u0661', 'm/0\u2019'],
    ]) {
      expect(parseDerivationPath(path), JSON.stringify(path)).to.equal(undefined);
    }
  });
});
