import { isUtf8 } from 'node:buffer';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_LINE_BYTES } from '../../../../../src/adapters/audit/record/record-fields.ts';
import type { LineBlock } from '../../../../../src/adapters/audit/segments/lines.ts';
import { CompressionError, SegmentReader } from '../../../../../src/adapters/audit/segments/segment-reader.ts';

/** Lines of a file, and where each begins. */
interface ReadLines {
  readonly lines: readonly (string | null)[];
  readonly offsets: readonly number[];
  /** Just after the last newline, bytes. */
  readonly end: number;
}

describe('SegmentReader', () => {
  let folder: string;
  let file: string;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'segment-reader-'));
    file = join(folder, 'audit.000000000001.jsonl');
  });
  after(() => rmSync(folder, { recursive: true }));

  async function read<Result>(bytes: Uint8Array | string, use: (reader: SegmentReader) => Promise<Result>) {
    writeFileSync(file, bytes);
    const reader = await SegmentReader.open(file);
    try {
      return await use(reader);
    } finally {
      await reader.close();
    }
  }

  const toLines = (blocks: readonly LineBlock[]): ReadLines => {
    return {
      lines: blocks.flatMap(({ lines }) => lines.map(({ text }) => text)),
      offsets: blocks.flatMap(({ lines }) => lines.map(({ offset }) => offset)),
      end: blocks.at(-1)?.end ?? 0,
    };
  };
  const forwards = async (reader: SegmentReader, from = 0) => {
    const blocks: LineBlock[] = [];
    for await (const block of reader.lines(from)) blocks.push(block);
    return blocks;
  };
  const backwards = async (reader: SegmentReader) => {
    const blocks: LineBlock[] = [];
    for await (const block of reader.linesBackwards(await reader.size())) blocks.unshift(block);
    return blocks;
  };

  /** A line, repeated: most are shorter than a chunk, some longer than a line may be. */
  const line = fc.record({
    bytes: fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 20 }),
      fc.constantFrom(Buffer.from('€'), Buffer.from('a'), Buffer.from('{"v":2}\r')),
    ),
    repeated: fc.oneof(fc.nat(3), fc.constantFrom(21_845, 21_846, 30_000, MAX_LINE_BYTES - 1, MAX_LINE_BYTES)),
    times: fc.oneof(fc.constant(1), fc.nat(30)),
  });

  it('gives the same lines plain, compressed and backwards', async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 4 }), fc.string({ maxLength: 9 }), async (parts, rest) => {
        const expected: (string | null)[] = [];
        const offsets: number[] = [];
        const chunks: Buffer[] = [];
        let length = 0;
        for (const { bytes, repeated, times } of parts) {
          const whole = Buffer.concat(Array<Uint8Array>(repeated).fill(bytes.filter((byte) => byte !== 0x0a)));
          const isReadable = whole.length < MAX_LINE_BYTES && isUtf8(whole);
          for (let time = 0; time < times; time += 1) {
            chunks.push(whole, Buffer.from('\n'));
            expected.push(isReadable ? whole.toString() : null);
            offsets.push(length);
            length += whole.length + 1;
          }
        }
        const content = Buffer.concat([...chunks, Buffer.from(rest.replaceAll('\n', ''))]);
        fc.pre(content.length < 4_000_000);
        const plain = await read(content, async (reader) => {
          const found = toLines(await forwards(reader));
          expect(reader.contentEnd).to.equal(content.length);
          expect(toLines(await backwards(reader))).to.deep.equal(found);
          expect((await reader.firstLine())?.text).to.deep.equal(expected.length === 0 ? undefined : expected[0]);
          return found;
        });
        const compressed = await read(gzipSync(content, { level: 1 }), async (reader) => {
          const found = toLines(await forwards(reader));
          expect(reader.contentEnd).to.equal(content.length);
          return found;
        });
        expect(plain).to.deep.equal({ lines: expected, offsets, end: content.lastIndexOf('\n') + 1 });
        expect(compressed).to.deep.equal(plain);
      }),
      { numRuns: 60 },
    );
  });

  it('leaves no descriptor open if the first read fails', async () => {
    const count = () => readdirSync('/proc/self/fd').length;
    const before = count();
    // A regular file whose first byte cannot be read.
    const error = await SegmentReader.open('/proc/self/mem').catch((reason: unknown) => reason);
    expect(error).to.have.property('code', 'EIO');
    expect(count()).to.equal(before);
  });

  it('continues where a file that grew ended', async () => {
    const texts = await read('one\ntwo', async (reader) => {
      const before = await forwards(reader);
      appendFileSync(file, ' and\nthree\n');
      return [...before, ...(await forwards(reader, 4))];
    });
    expect(texts).to.deep.equal([
      { lines: [{ text: 'one', offset: 0 }], end: 4 },
      {
        lines: [
          { text: 'two and', offset: 4 },
          { text: 'three', offset: 12 },
        ],
        end: 18,
      },
    ]);
  });

  it('reads little of a line that is too long, however far a gzip file expands', async () => {
    const bomb = Buffer.alloc(64 * 1024 * 1024, 'x');
    for (const bytes of [gzipSync(bomb), bomb])
      await read(bytes, async (reader) => {
        expect(await reader.firstLine()).to.deep.equal({ text: null, offset: 0 });
        expect(reader.contentEnd).to.be.at.most(1024 * 1024);
      });
  });

  it('says how a gzip file is damaged, after the lines before', async () => {
    const bytes = gzipSync('one\ntwo\n');
    const flipped = Buffer.from(bytes);
    flipped.writeUInt8(bytes.readUInt8(bytes.length - 6) ^ 1, bytes.length - 6);
    for (const [damaged, message] of [
      [bytes.subarray(0, -3), /^is a truncated gzip file: its last records are missing$/],
      [bytes.subarray(0, 12), /^is a truncated gzip file/],
      [flipped, /^is a damaged gzip file \(Z_DATA_ERROR\)$/],
      [Buffer.concat([bytes.subarray(0, 10), Buffer.alloc(90, 0xff)]), /^is a damaged gzip file/],
      [Buffer.concat([bytes, Buffer.from('{"v":2}')]), /^is a damaged gzip file/],
      [Buffer.concat([bytes, Buffer.alloc(1), bytes]), /^is a damaged gzip file: other bytes follow/],
      [Buffer.concat([bytes, Buffer.alloc(3_000_000)]), /^is a damaged gzip file: other bytes follow/],
    ] as const) {
      const error = await read(damaged, forwards).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(CompressionError);
      expect((error as Error).message).to.match(message);
    }
    expect(await read(Buffer.concat([bytes, bytes]), forwards)).to.have.lengthOf(1);
  });
});
