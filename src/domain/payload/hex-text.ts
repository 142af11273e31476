/** Lower-case hexadecimal digits of bytes, two a byte, without `0x`. */
export function hexText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
