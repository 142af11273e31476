import { createHash, hash, pbkdf2Sync } from 'node:crypto';
import { LangEn } from 'ethers/wordlists';
import sodium from 'sodium-native';
import { withLockedBytes } from '../vault/locked-buffer.ts';
import { copySecret } from '../vault/secret-bytes.ts';
import { deriveBip32Key } from './bip32.ts';
import { MalformedSecretError, withoutFinalNewline } from './secret-text.ts';

const WORD_COUNTS: readonly number[] = [12, 15, 18, 21, 24];
const MAX_WORDS = 24;
const LIST_WORDS = 2048;
const BITS_PER_WORD = 11;
const MAX_WORD_BYTES = 8;
/** 24 words of 8 letters, with spaces. */
const MAX_PHRASE_BYTES = MAX_WORDS * (MAX_WORD_BYTES + 1);
/** 256 bits of entropy and 8 of checksum. */
const MAX_ENTROPY_BYTES = 33;
const SEED_BYTES = 64;
const ROUNDS = 2048;
/** Salt of a mnemonic without passphrase. */
const SALT = Buffer.from('mnemonic');
const SPACE = 0x20;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Derives a secp256k1 private key from an English mnemonic (BIP-39) without passphrase: 12, 15, 18,
 * 21 or 24 lower-case words, each separated by one space, LF or CRLF; optional final newline. The
 * words are compared as bytes, and neither they nor their positions in the list are collected
 * outside locked memory. PBKDF2's result is an ordinary Buffer, copied and wiped at once.
 * @param path BIP-32 indices, see `parseDerivationPath`
 * @returns bytes written to `output`: 32
 * @throws MalformedSecretError on other input, by the position of a word, or if `output` is too
 * small
 */
export function decodeMnemonic(text: Buffer, path: readonly number[], output: Buffer): number {
  return withLockedBytes(MAX_PHRASE_BYTES, (memory) => {
    const phrase = memory.subarray(0, readPhrase(withoutFinalNewline(text), memory));
    return withLockedBytes(SEED_BYTES, (seed) => {
      const derived = pbkdf2Sync(phrase, SALT, ROUNDS, SEED_BYTES, 'sha512');
      copySecret(derived, seed);
      sodium.sodium_memzero(derived);
      return deriveBip32Key(seed, path, output);
    });
  });
}

/** Writes the words to `phrase`, separated by spaces, and checks them; returns the length. */
function readPhrase(text: Buffer, phrase: Buffer): number {
  const words = countWords(text);
  if (!WORD_COUNTS.includes(words)) {
    throw new MalformedSecretError(`it has ${words} words; a mnemonic has 12, 15, 18, 21 or 24`);
  }
  return withLockedBytes(MAX_ENTROPY_BYTES, (entropy) =>
    withLockedBytes(MAX_WORD_BYTES, (word) => {
      let [start, length] = [0, 0];
      for (let position = 0; position < words; position += 1) {
        const end = endOfWord(text, start);
        appendIndex(entropy, position, findWord(text.subarray(start, end), word, position));
        if (position > 0) length = phrase.writeUInt8(SPACE, length);
        length += copySecret(text.subarray(start, end), phrase.subarray(length));
        start = afterSeparator(text, end);
      }
      if (!hasChecksum(entropy, words)) {
        throw new MalformedSecretError('the checksum of its mnemonic does not match; check its words and their order');
      }
      return length;
    }),
  );
}

function countWords(text: Buffer): number {
  if (text.length === 0) return 0;
  let count = 1;
  for (let end = endOfWord(text, 0); end < text.length; end = endOfWord(text, afterSeparator(text, end))) count += 1;
  return count;
}

function endOfWord(text: Buffer, start: number): number {
  let end = start;
  while (end < text.length && text[end] !== SPACE && text[end] !== LINE_FEED && !isLineEnd(text, end)) end += 1;
  return end;
}

function afterSeparator(text: Buffer, end: number): number {
  return isLineEnd(text, end) ? end + 2 : end + 1;
}

/** Whether CRLF is at that place. */
function isLineEnd(text: Buffer, place: number): boolean {
  return text[place] === CARRIAGE_RETURN && text[place + 1] === LINE_FEED;
}

let sortedWords: Buffer | undefined;

/** The English list, which is sorted: 8 bytes each, filled with zeros. */
function getWordList(): Buffer {
  if (sortedWords !== undefined) return sortedWords;
  const list = LangEn.wordlist();
  const bytes = Buffer.alloc(LIST_WORDS * MAX_WORD_BYTES);
  for (let index = 0; index < LIST_WORDS; index += 1) bytes.write(list.getWord(index), index * MAX_WORD_BYTES);
  sortedWords = bytes;
  return bytes;
}

/**
 * Index of a word in the list, by binary search.
 * @param padded 8 bytes of locked memory
 */
function findWord(word: Buffer, padded: Buffer, position: number): number {
  if (word.length === 0) {
    throw new MalformedSecretError(
      `its word ${position + 1} is empty; separate the words by one space or line break, without others around them`,
    );
  }
  padded.fill(0);
  copySecret(word.subarray(0, MAX_WORD_BYTES), padded);
  const list = getWordList();
  let [low, high] = [0, LIST_WORDS - 1];
  // A zero byte at the end would look like the list's filling.
  while (low <= high && word.length <= MAX_WORD_BYTES && !word.includes(0)) {
    const middle = (low + high) >> 1;
    const order = list.compare(padded, 0, MAX_WORD_BYTES, middle * MAX_WORD_BYTES, (middle + 1) * MAX_WORD_BYTES);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  throw new MalformedSecretError(
    `its word ${position + 1} is not in the English list of BIP-39; words are written in full, in lower case`,
  );
}

/** Writes the 11 bits of a word. */
function appendIndex(entropy: Buffer, position: number, index: number): void {
  for (let bit = 0; bit < BITS_PER_WORD; bit += 1) {
    const place = position * BITS_PER_WORD + bit;
    const value = (index >> (BITS_PER_WORD - 1 - bit)) & 1;
    const byte = place >> 3;
    entropy[byte] = entropy.readUInt8(byte) | (value << (7 - (place & 7)));
  }
}

/** Whether the bits after the entropy, one for three words, are the first of its SHA-256. */
function hasChecksum(entropy: Buffer, words: number): boolean {
  const bits = words / 3;
  const length = 4 * bits;
  const digest = createHash('sha256').update(entropy.subarray(0, length)).digest();
  const difference = (entropy.readUInt8(length) ^ digest.readUInt8(0)) >> (8 - bits);
  sodium.sodium_memzero(digest);
  hash('sha256', SALT);
  return difference === 0;
}
