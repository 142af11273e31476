import { expect } from 'chai';
import { HDNodeWallet, Mnemonic } from 'ethers';
import fc from 'fast-check';
import { parseDerivationPath } from '../../../../src/adapters/key-files/derivation-path.ts';
import { decodeMnemonic } from '../../../../src/adapters/key-files/mnemonic.ts';
import { COSMJS_KEY } from '../../../vectors/cosmos/cosmjs.ts';
import { decodedText, thrownBy } from './decoder-outcomes.ts';

/** The account 0 of Hardhat: https://hardhat.org/hardhat-network/docs/reference#accounts */
const HARDHAT = {
  mnemonic: 'test test test test test test test test test test test junk',
  path: "m/44'/60'/0'/0/0",
  privateKey: 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
};
const ZERO_12 = `${'abandon '.repeat(11)}about`;

const decode = (text: string | Uint8Array, path = HARDHAT.path, capacity = 32): string =>
  decodedText(
    (bytes, output) => decodeMnemonic(bytes, parseDerivationPath(path) ?? [], output),
    text,
    capacity,
  ).toString('hex');
const refusal = (text: string | Uint8Array): string => {
  const error = thrownBy(() => decode(text));
  expect(error.name).to.equal('MalformedSecretError');
  return error.message;
};

describe('decodeMnemonic', () => {
  it('derives published keys', () => {
    expect(decode(HARDHAT.mnemonic)).to.equal(HARDHAT.privateKey);
    expect(decode(COSMJS_KEY.mnemonic, COSMJS_KEY.path)).to.equal(COSMJS_KEY.privateKey.toString('hex'));
  });

  it('derives the keys that ethers derives, for any entropy and path', () => {
    const entropy = fc.constantFrom(16, 20, 24, 28, 32).chain((length) => {
      return fc.uint8Array({ minLength: length, maxLength: length });
    });
    const index = fc.oneof(fc.nat({ max: 200 }), fc.nat({ max: 2 ** 31 - 1 }));
    const step = fc.tuple(index, fc.constantFrom('', "'")).map(([number, mark]) => `/${number}${mark}`);
    const path = fc.array(step, { maxLength: 10 }).map((steps) => `m${steps.join('')}`);
    fc.assert(
      fc.property(
        entropy,
        path,
        fc.constantFrom(' ', '\n', '\r\n'),
        fc.constantFrom('', '\n'),
        (bytes, at, gap, end) => {
          const { phrase } = Mnemonic.fromEntropy(bytes);
          const expected = HDNodeWallet.fromPhrase(phrase, '', at).privateKey.slice(2);
          expect(decode(`${phrase.replaceAll(' ', gap)}${end}`, at)).to.equal(expected);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('verifies every bit of the checksum, for each length', () => {
    for (const length of [16, 20, 24, 28, 32]) {
      const { phrase } = Mnemonic.fromEntropy(new Uint8Array(length).fill(length));
      const words = phrase.split(' ');
      const list = Mnemonic.fromEntropy(new Uint8Array(length)).wordlist;
      const last = list.getWordIndex(words.at(-1) ?? '');
      for (let bit = 0; bit < length / 4; bit += 1) {
        const changed = [...words.slice(0, -1), list.getWord(last ^ (1 << bit))].join(' ');
        expect(refusal(changed), `${length} bytes, bit ${bit}`).to.include('checksum');
      }
    }
  });

  it('names the position of an unknown word, and not the word', () => {
    for (const wrong of ['junkyard', 'tes', 'absolutely', 'Test', 'zzzzzzzz', 'tést', 'test\0', '\ttest']) {
      const phrase = ['test', 'test', wrong, ...HARDHAT.mnemonic.split(' ').slice(3)].join(' ');
      expect(refusal(phrase)).to.equal(
        'its word 3 is not in the English list of BIP-39; words are written in full, in lower case',
      );
    }
  });

  it('rejects other white space, by position', () => {
    expect(refusal(HARDHAT.mnemonic.replace('test ', 'test  ').replace(' junk', ''))).to.match(/^its word 2 is empty/);
    expect(refusal(`${HARDHAT.mnemonic.slice(5)} `)).to.match(/^its word 12 is empty/);
    expect(refusal(` ${HARDHAT.mnemonic.slice(5)}`)).to.match(/^its word 1 is empty/);
    expect(refusal(HARDHAT.mnemonic.replace(' junk', '\rjunk'))).to.match(/^it has 11 words/);
    expect(refusal(`\ufeff${ZERO_12}`)).to.match(/^its word 1 is not/);
  });

  it('rejects another number of words', () => {
    for (const count of [1, 11, 13, 25, 2000]) {
      expect(refusal(Array.from({ length: count }, () => 'test').join(' '))).to.equal(
        `it has ${count} words; a mnemonic has 12, 15, 18, 21 or 24`,
      );
    }
    expect(refusal('')).to.match(/^it has 0 words/);
  });
});
