const DIGITS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const PADDING = 0x3d;

/**
 * Writes `bytes` as ASCII base64 (RFC 4648 §4, padded) to the start of `output`. Nothing leaves the two buffers, as it would by `toString('base64')`.
 * @returns number of bytes written to `output`: four for each three begun
 * @throws RangeError when `output` is too small
 */
export function encodeBase64(bytes: Buffer, output: Buffer): number {
  let written = 0;
  for (let index = 0; index < bytes.length; index += 3) {
    const left = bytes.length - index;
    const first = bytes.readUInt8(index);
    const second = left > 1 ? bytes.readUInt8(index + 1) : 0;
    const third = left > 2 ? bytes.readUInt8(index + 2) : 0;
    output.writeUInt8(DIGITS.readUInt8(first >> 2), written);
    output.writeUInt8(DIGITS.readUInt8(((first & 0x03) << 4) | (second >> 4)), written + 1);
    output.writeUInt8(left > 1 ? DIGITS.readUInt8(((second & 0x0f) << 2) | (third >> 6)) : PADDING, written + 2);
    output.writeUInt8(left > 2 ? DIGITS.readUInt8(third & 0x3f) : PADDING, written + 3);
    written += 4;
  }
  return written;
}
