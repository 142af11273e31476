import { readSync } from 'node:fs';

/**
 * Examined program: reads a key from standard input, holds it as told, reports and waits for end of
 * input.
 */
const [manner = '', ...numbers] = process.argv.slice(2);
const [copies = 0, distance = 0] = numbers.map(Number);
const kept: unknown[] = [];

const MANNERS: { readonly [manner: string]: (key: Buffer) => unknown } = {
  'not at all': () => undefined,
  'again and again': (key) => {
    // Filled by one call: a loop that V8 optimizes and deoptimizes leaves what is in vector
    // registers on the heap. The key is in the middle, because registers keep the ends of what is
    // copied.
    const pattern = Buffer.alloc(distance);
    key.copy(pattern, distance >> 1);
    const bytes = Buffer.alloc(copies * distance, pattern);
    pattern.fill(0);
    return bytes;
  },
  'as a text of two-byte characters': (key) => Buffer.from(key.toString('hex'), 'utf16le').toString('utf16le'),
  'as a text that grew': (key) => [...key].reduce((text, byte) => text + byte.toString(16).padStart(2, '0'), ''),
};

const key = Buffer.alloc(32);
readSync(0, key);
kept.push(MANNERS[manner]?.(key));
key.fill(0);
process.stdout.write('held');
process.stdin.resume().on('end', () => process.exit(kept.length > 0 ? 0 : 1));
