import { isUtf8 } from 'node:buffer';
import { readdirSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_LINE_BYTES } from '../../../../../src/adapters/audit/record/signed-record.ts';
import type { Line, LineBlock } from '../../../../../src/adapters/audit/segments/lines.ts';
import { SegmentReader } from '../../../../../src/adapters/audit/segments/segment-reader.ts';
import { useTemporaryFolder } from '../../secret-files/temporary-folder.ts';

const NAME = 'audit.000000000001.jsonl';

describe('SegmentReader', () => {
  const folder = useTemporaryFolder();

  async function read<Result>(bytes: Uint8Array | string, use: (reader: SegmentReader) => Promise<Result>) {
    const reader = await SegmentReader.open(folder.file(NAME, bytes));
    return use(reader).finally(() => reader.close());
  }

  async function collect(blocks: AsyncIterable<LineBlock>): Promise<readonly LineBlock[]> {
    const all: LineBlock[] = [];
    for await (const block of blocks) all.push(block);
    return all;
  }

  const forwards = (reader: SegmentReader) => collect(reader.lines());
  const backwards = async (reader: SegmentReader) =>
    (await collect(reader.linesBackwards(await reader.size()))).toReversed();
  const toLines = (blocks: readonly LineBlock[]) => blocks.flatMap(({ lines }) => lines);
  const endOf = (blocks: readonly LineBlock[]) => blocks.at(-1)?.end ?? 0;

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
        const expected: Line[] = [];
        const chunks: Buffer[] = [];
        let offset = 0;
        for (const { bytes, repeated, times } of parts) {
          const whole = Buffer.concat(Array<Uint8Array>(repeated).fill(bytes.filter((byte) => byte !== 0x0a)));
          const isReadable = whole.length < MAX_LINE_BYTES && isUtf8(whole);
          for (let time = 0; time < times; time += 1) {
            chunks.push(whole, Buffer.from('\n'));
            expected.push({ text: isReadable ? whole.toString() : null, offset });
            offset += whole.length + 1;
          }
        }
        const content = Buffer.concat([...chunks, Buffer.from(rest.replaceAll('\n', ''))]);
        fc.pre(content.length < 4_000_000);
        const plain = await read(content, async (reader) => {
          const blocks = await forwards(reader);
          expect(reader.contentEnd).to.equal(content.length);
          expect(toLines(await backwards(reader))).to.deep.equal(expected);
          expect(await reader.firstLine()).to.deep.equal(expected[0] ?? null);
          return blocks;
        });
        const compressed = await read(gzipSync(content, { level: 1 }), async (reader) => {
          const blocks = await forwards(reader);
          expect(reader.contentEnd).to.equal(content.length);
          return blocks;
        });
        for (const blocks of [plain, compressed])
          expect([toLines(blocks), endOf(blocks)]).to.deep.equal([expected, content.lastIndexOf('\n') + 1]);
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
});
