import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { isEthereumAlgorithm } from '../domain/model/algorithm.ts';
import { DERIVATION_PATH_MESSAGE, isDerivationPath } from '../domain/model/key-source.ts';
import { HelperProblem } from './helper-program.ts';
import type { KeyToDecode } from './key-formats.ts';

const WORD_COUNTS: readonly number[] = [12, 15, 18, 21, 24];
/** First account of wallets (BIP-44, SLIP-0044). */
const ETHEREUM_PATH = "m/44'/60'/0'/0/0";
const COSMOS_PATH = "m/44'/118'/0'/0/0";

/**
 * The secp256k1 private key of a path (BIP-32) from an English mnemonic (BIP-39) without
 * passphrase: lower-case words, each separated by one space or line break.
 * @throws HelperProblem by the position of a word; nothing of the phrase or path is quoted
 */
export function decodeMnemonic(text: string, key: KeyToDecode): Uint8Array {
  const given = 'file' in key ? key.derivationPath : undefined;
  const path = given ?? (isEthereumAlgorithm(key.algorithm) ? ETHEREUM_PATH : COSMOS_PATH);
  // The path may be a misplaced mnemonic.
  if (!isDerivationPath(path)) throw new HelperProblem(`its derivation path ${DERIVATION_PATH_MESSAGE}`);
  const words = text.split(/[ \n]/);
  for (const [index, word] of words.entries()) checkWord(word, index + 1);
  if (!WORD_COUNTS.includes(words.length)) {
    throw new HelperProblem(`it has ${words.length} words; a mnemonic has 12, 15, 18, 21 or 24`);
  }
  const phrase = words.join(' ');
  if (!validateMnemonic(phrase, wordlist)) {
    throw new HelperProblem('the checksum of its mnemonic does not match; check its words and their order');
  }
  const { privateKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(phrase)).derive(path.replaceAll('h', "'"));
  if (privateKey !== null) return privateKey;
  throw new HelperProblem('its mnemonic has no valid key at this derivation path; use another path');
}

function checkWord(word: string, position: number): void {
  if (wordlist.includes(word)) return;
  if (word === '' || /[\t\u00a0]/.test(word)) {
    throw new HelperProblem(
      `its word ${position} is empty or has white space in it; separate the words by one space or line break`,
    );
  }
  const reason = /^[\x21-\x7e]+$/.test(word)
    ? 'words are written in full, in lower case, without numbers'
    : 'phrases of other languages are not supported; import the private key itself';
  throw new HelperProblem(`its word ${position} is not in the English list of BIP-39; ${reason}`);
}
