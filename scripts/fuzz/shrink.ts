const MOST_TRIES = 150;

/** The least bytes that were found that still fail, by leaving out ever smaller parts (Zeller's ddmin), in a bounded number of tries. */
export async function shrink(bytes: Buffer, stillFails: (bytes: Buffer) => Promise<boolean>): Promise<Buffer> {
  let least = bytes;
  let tries = 0;
  for (let size = Math.ceil(least.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < least.length; ) {
      if (tries >= MOST_TRIES) return least;
      tries += 1;
      const shorter = Buffer.concat([least.subarray(0, at), least.subarray(at + size)]);
      if (shorter.length > 0 && (await stillFails(shorter))) least = shorter;
      else at += size;
    }
  }
  return least;
}
