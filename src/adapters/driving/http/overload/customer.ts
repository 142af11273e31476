import type { PlaceInLine } from './wait-line.ts';

/** Someone whose interest in the work may end before it begins. */
export interface Customer {
  /** True once `close` was emitted. */
  readonly destroyed?: boolean;
  once(event: 'close', listener: () => void): unknown;
  off(event: 'close', listener: () => void): unknown;
}

/** Waits in the place, and gives it up when the customer goes away; false then, when it took too long, and where there is no place. */
export async function isServed(place: PlaceInLine | null, customer: Customer): Promise<boolean> {
  if (place === null) return false;
  customer.once('close', place.leave);
  const served = await place.served;
  customer.off('close', place.leave);
  return served;
}
