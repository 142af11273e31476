const DIGITS = Buffer.from('0123456789abcdef');

/**
 * Writes `bytes` as ASCII hex, two lower-case digits for each byte, to the start of `output`. Nothing leaves the two buffers, as it would by
 * `toString('hex')`.
 * @throws RangeError when `output` is too small
 */
export function encodeHex(bytes: Buffer, output: Buffer): void {
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes.readUInt8(index);
    output.writeUInt8(DIGITS.readUInt8(byte >> 4), 2 * index);
    output.writeUInt8(DIGITS.readUInt8(byte & 0x0f), 2 * index + 1);
  }
}
