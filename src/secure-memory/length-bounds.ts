/** How many bytes a secret may have. */
export interface LengthBounds {
  readonly min: number;
  readonly max: number;
}

/** `32`, or `1 to 1024`, for messages. */
export function boundsText({ min, max }: LengthBounds): string {
  return min === max ? String(min) : `${min} to ${max}`;
}
