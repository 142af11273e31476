import { withLockedBytes } from '../../../src/secure-memory/locked-buffer.ts';

/** Runs a decoder from locked memory to locked memory and returns a copy of what it wrote; for known test keys only. */
export function decodedText(
  decode: (text: Buffer, output: Buffer) => number,
  text: string | Uint8Array,
  capacity = 64,
): Buffer {
  const input = Buffer.from(text);
  return withLockedBytes(input.length + 1, (lockedInput) => {
    input.copy(lockedInput);
    return withLockedBytes(capacity, (output) => {
      const written = decode(lockedInput.subarray(0, input.length), output);
      return Buffer.from(output.subarray(0, written));
    });
  });
}
