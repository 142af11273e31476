/** With less than this the next hours are at risk: an audit record takes less than 1 KiB. Bytes. */
export const LOW_DISK_BYTES = 1024 ** 3;

/** With less than this the next minutes are. Bytes. */
export const CRITICAL_DISK_BYTES = 16 * 1024 ** 2;

/** How much room a disk has left: `low` is worth a warning, `critical` an alarm. */
export function diskStateOf(freeBytes: number): 'ok' | 'low' | 'critical' {
  if (freeBytes < CRITICAL_DISK_BYTES) return 'critical';
  return freeBytes < LOW_DISK_BYTES ? 'low' : 'ok';
}
