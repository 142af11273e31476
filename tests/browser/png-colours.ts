import { inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;
/** Length, type and checksum of a chunk. */
const CHUNK_FRAME = 12;

/**
 * Counts the pixels by colour of a browser screenshot (PNG, 8 bits a channel, not interlaced: W3C
 * PNG §9, §11).
 */
export function pngColours(png: Buffer): ReadonlyMap<string, number> {
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const channels = png[25] === 6 ? 4 : 3;
  const data = inflateSync(Buffer.concat(chunksOf(png)));
  const stride = width * channels;
  const colours = new Map<string, number>();
  let above = Buffer.alloc(stride);
  for (let row = 0; row < height; row += 1) {
    const at = row * (stride + 1);
    const line = unfilter(data[at] ?? 0, data.subarray(at + 1, at + 1 + stride), above, channels);
    for (let x = 0; x < stride; x += channels) {
      const colour = line.toString('hex', x, x + 3);
      colours.set(colour, (colours.get(colour) ?? 0) + 1);
    }
    above = line;
  }
  return colours;
}

/** Image data chunks. */
function chunksOf(png: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length; at += png.readUInt32BE(at) + CHUNK_FRAME) {
    const isData = png.toString('latin1', at + 4, at + 8) === 'IDAT';
    if (isData) parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  return parts;
}

function unfilter(type: number, filtered: Buffer, above: Buffer, channels: number): Buffer<ArrayBuffer> {
  const line = Buffer.alloc(filtered.length);
  for (let x = 0; x < filtered.length; x += 1) {
    const left = x < channels ? 0 : (line[x - channels] ?? 0);
    const up = above[x] ?? 0;
    const corner = x < channels ? 0 : (above[x - channels] ?? 0);
    line[x] = ((filtered[x] ?? 0) + predicted(type, left, up, corner)) & 0xff;
  }
  return line;
}

function predicted(type: number, left: number, up: number, corner: number): number {
  if (type === 1) return left;
  if (type === 2) return up;
  if (type === 3) return (left + up) >> 1;
  if (type !== 4) return 0;
  const estimate = left + up - corner;
  const [toLeft, toUp, toCorner] = [left, up, corner].map((value) => Math.abs(estimate - value)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
