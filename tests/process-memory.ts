import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import bs58 from 'bs58';

/** Something that must not be in a process's memory: each of its forms is looked for. */
export interface SoughtSecret {
  readonly name: string;
  /** At most 4096 bytes each. */
  readonly secrets: readonly Buffer[];
}

const CHUNK_BYTES = 8 * 1024 * 1024;
const OVERLAP_BYTES = 4096;
/** A Node process has far more; less means that nothing was searched. */
const LEAST_BYTES = 10_000_000;

/**
 * Searches all of a child process's readable memory (Linux). Returns the names of what was found, once for each trace.
 * @throws Error when so little could be read that the search says nothing
 */
export function searchProcessMemory(pid: number, sought: readonly SoughtSecret[]): readonly string[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const found: string[] = [];
  let searched = 0;
  try {
    for (const [start, end] of readableRanges(pid)) {
      for (let at = start; at < end; at += BigInt(CHUNK_BYTES - OVERLAP_BYTES)) {
        const length = Number(end - at < BigInt(CHUNK_BYTES) ? end - at : BigInt(CHUNK_BYTES));
        const count = readMemory(memory, chunk, length, at);
        searched += count;
        for (const { name, secrets } of sought) {
          for (const secret of secrets) if (chunk.subarray(0, count).includes(secret)) found.push(name);
        }
      }
    }
  } finally {
    closeSync(memory);
  }
  if (searched < LEAST_BYTES) throw new Error(`Only ${searched} bytes of process ${pid} could be searched.`);
  return found;
}

/** Address ranges that the process can read, but for the kernel's own. */
function readableRanges(pid: number): readonly (readonly [bigint, bigint])[] {
  return readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .filter((line) => /^\S+ r/.test(line) && !/\[(?:vvar|vsyscall)/.test(line))
    .map((line) => {
      const [start = '0', end = '0'] = (line.split(' ')[0] ?? '').split('-');
      return [BigInt(`0x${start}`), BigInt(`0x${end}`)] as const;
    });
}

function readMemory(memory: number, target: Buffer, length: number, position: bigint): number {
  try {
    return readSync(memory, target, 0, length, position);
  } catch {
    // A range that is mapped and can't be read holds nothing, or a device.
    return 0;
  }
}

/** Ways in which a key could stand in memory: bytes in either order, and texts of one and of two bytes a character. */
export function formsOf(key: Buffer): readonly Buffer[] {
  const hex = key.toString('hex');
  const texts = [hex, hex.toUpperCase(), key.toString('base64'), bs58.encode(key), BigInt(`0x${hex}`).toString()];
  return [
    key,
    Buffer.from(key).reverse(),
    ...texts.flatMap((text) => [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')]),
  ];
}
