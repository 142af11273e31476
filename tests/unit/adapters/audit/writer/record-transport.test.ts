import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import winston from 'winston';
import { useSinkBench } from '../sink-bench.ts';

/** A stock transport, and what it prints. */
function createPrinter(options: { readonly format?: winston.Logform.Format } = {}) {
  const stream = new PassThrough();
  const transport = new winston.transports.Stream({ stream, eol: '\n', ...options });
  return { stream, transport, printed: text(stream) };
}

describe("A stock transport of winston beside the audit file's", () => {
  const bench = useSinkBench();

  it('prints the exact lines of the file, or each record as an object with all fields', async () => {
    const [lines, json] = [createPrinter(), createPrinter({ format: winston.format.json() })];
    const { logger } = await bench().open({ rotation: { bytes: 100_000, hours: 0, files: 0 } });
    for (const { transport } of [lines, json]) logger.add(transport);
    const data = { message: 'm', level: 'error', timestamp: 't', stack: 's', splat: ['%s'], nested: { message: 'n' } };
    await bench().append(3, { principal: 'zoë %s', data });
    await bench().append(600);
    await bench().append(1);
    await bench().close();
    const { files, records } = bench().verifyExactly();
    expect(files).to.have.length(2);
    expect(records[1]).to.deep.include({ principal: 'zoë %s', data });
    // The first record is written before a transport can be added.
    const written = files.map(({ name }) => readFileSync(join(bench().folder, name), 'utf8')).join('');
    for (const { stream } of [lines, json]) stream.end();
    expect((await lines.printed) === written.slice(written.indexOf('\n') + 1)).to.equal(true);
    const objects = (await json.printed).trimEnd().split('\n');
    expect(objects.map((line) => JSON.parse(line))).to.deep.equal(records.slice(1));
  });
});
