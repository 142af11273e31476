import { AssertionError } from 'chai';
import { withLockedBytes } from '../../../../src/adapters/vault/locked-buffer.ts';

/** Decodes in locked memory and returns a copy; for test keys only. */
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

/** The error that `action` throws. */
export function thrownBy(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    if (error instanceof Error) return error;
    throw new AssertionError('what was thrown is no Error');
  }
  throw new AssertionError('nothing was thrown');
}

/** Whether `action` returns. */
export function succeeds(action: () => unknown): boolean {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}
