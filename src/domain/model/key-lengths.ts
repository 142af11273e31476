/** How many bytes a private key of some algorithm may have. */
export interface KeyLengths {
  readonly min: number;
  readonly max: number;
}

/** The one length that keys of some algorithms have; undefined where lengths vary, so that no key of them can be generated. */
export function fixedLength({ min, max }: KeyLengths): number | undefined {
  return min === max ? min : undefined;
}
