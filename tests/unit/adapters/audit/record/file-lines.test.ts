import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { readLines, readTail } from '../../../../../src/adapters/audit/record/file-lines.ts';
import { MAX_LINE_BYTES } from '../../../../../src/adapters/audit/record/record-fields.ts';

const MIB = 1024 * 1024;

describe('lines of a file', () => {
  let folder: string;
  let handle: FileHandle | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'file-lines-'));
  });
  afterEach(async () => {
    await handle?.close();
    handle = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  async function fileWith(content: string | Buffer): Promise<FileHandle> {
    writeFileSync(join(folder, 'file'), content);
    await handle?.close();
    handle = await open(join(folder, 'file'), 'r');
    return handle;
  }

  async function linesIn(content: string | Buffer, start = 0, stop = Buffer.byteLength(content)) {
    const lines: (string | null)[] = [];
    let end = start;
    for await (const block of readLines(await fileWith(content), start, stop)) {
      lines.push(...block.lines);
      end = block.end;
    }
    return { lines, end };
  }

  describe('readLines', () => {
    it('yields whole lines without newlines, and the offset of the rest', async () => {
      expect(await linesIn('')).to.deep.equal({ lines: [], end: 0 });
      expect(await linesIn('torn')).to.deep.equal({ lines: [], end: 0 });
      expect(await linesIn('a\n\nbé\ntorn')).to.deep.equal({ lines: ['a', '', 'bé'], end: 7 });
      expect(await linesIn('\ufeffa\r\n')).to.deep.equal({ lines: ['\ufeffa\r'], end: 6 });
    });

    it('reads from one offset to another', async () => {
      expect(await linesIn('one\ntwo\nthree\n', 4, 10)).to.deep.equal({ lines: ['two'], end: 8 });
    });

    it('yields the same lines across block boundaries', async () => {
      const lengths = fc.array(
        fc.oneof(fc.nat(200), fc.nat(MAX_LINE_BYTES - 1), fc.constantFrom(MAX_LINE_BYTES - 1, 0)),
        { maxLength: 60 },
      );
      await fc.assert(
        fc.asyncProperty(lengths, fc.constantFrom('x', 'é'), async (all, letter) => {
          const lines = all.map((length) => letter.repeat(Math.floor(length / Buffer.byteLength(letter))));
          const content = lines.map((line) => `${line}\n`).join('');
          expect(await linesIn(`${content}rest`)).to.deep.equal({ lines, end: Buffer.byteLength(content) });
        }),
        { numRuns: 10 },
      );
    });

    it('yields null for an oversized line, and continues with the next lines', async () => {
      for (const length of [MAX_LINE_BYTES, MAX_LINE_BYTES + 1, 3 * MIB + 7]) {
        const { lines } = await linesIn(`a\n${'x'.repeat(length)}\nb\n`);
        expect(lines, String(length)).to.deep.equal(['a', null, 'b']);
      }
      // The end of a block within the line, and more than a block after it.
      const others = Array<string>(16).fill('a'.repeat(60_000));
      const { lines } = await linesIn([...others, 'x'.repeat(150_000), ...others, ...others, ''].join('\n'));
      expect(lines).to.deep.equal([...others, null, ...others, ...others]);
    });

    it('yields null for a line that is not UTF-8, without affecting its neighbours', async () => {
      for (const wrong of ['80', 'c0af', 'eda080']) {
        const { lines } = await linesIn(
          Buffer.concat([Buffer.from('é\nb'), Buffer.from(wrong, 'hex'), Buffer.from('\nc\n')]),
        );
        expect(lines, wrong).to.deep.equal(['é', null, 'c']);
      }
    });
  });

  describe('readTail', () => {
    it('returns the lines starting with the last match', async () => {
      const file = await fileWith('one\nTWO\nthree\nTWO\nfive\ntorn');
      expect(await readTail(file, 27, (line) => line === 'TWO')).to.deep.equal({
        lines: ['TWO', 'five'],
        start: 14,
        end: 23,
      });
      expect(await readTail(file, 13, (line) => line === 'TWO')).to.deep.equal({ lines: ['TWO'], start: 4, end: 8 });
    });

    it('returns the same lines across block boundaries', async () => {
      const lines = Array.from({ length: 4000 }, (_, index) => `${index} ${'x'.repeat((index * 37) % 1500)}`);
      const content = lines.map((line) => `${line}\n`).join('');
      const file = await fileWith(content);
      for (const wanted of [0, 1, 2600, 3999]) {
        const tail = await readTail(file, content.length, (line) => line.startsWith(`${wanted} `));
        expect(tail.lines, String(wanted)).to.deep.equal(lines.slice(wanted));
        expect(tail).to.include({
          start: content.indexOf(`${wanted === 0 ? '' : '\n'}${wanted} `) + (wanted === 0 ? 0 : 1),
          end: content.length,
        });
      }
    });

    it('reads a line longer than its blocks', async () => {
      const content = `first\n${'x'.repeat(3 * MIB)}\nlast\n`;
      expect(await readTail(await fileWith(content), content.length, (line) => line === 'first')).to.deep.equal({
        lines: ['first', null, 'last'],
        start: 0,
        end: content.length,
      });
    });
  });
});
