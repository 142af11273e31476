import { LockedBuffer } from '../../../secure-memory/locked-buffer.ts';

/**
 * Locked memory in which many keys are opened one after the other, one buffer for each length: what is freed is unlocked at once but unmapped only in a later
 * turn of the event loop, so that a buffer for each key would reach the limit on mappings (vm.max_map_count, some 16,000 buffers).
 */
export class LockedScratch {
  readonly #buffers = new Map<number, LockedBuffer>();

  /** The buffer of so many bytes; it belongs to this. @throws MemoryLockError when it can't be locked */
  ofLength(length: number): LockedBuffer {
    const buffer = this.#buffers.get(length) ?? new LockedBuffer(length);
    this.#buffers.set(length, buffer);
    return buffer;
  }

  /** Wipes and frees all of it. Safe to call twice. */
  free(): void {
    for (const buffer of this.#buffers.values()) buffer.free();
    this.#buffers.clear();
  }
}
