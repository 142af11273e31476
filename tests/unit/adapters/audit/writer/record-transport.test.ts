import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import winston from 'winston';
import { useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

/** What a stock transport prints, by its format. */
class Printed {
  text = '';
  readonly transport: winston.transport;

  constructor(format?: winston.Logform.Format) {
    const stream = new Writable({
      write: (chunk, _encoding, next) => {
        this.text += String(chunk);
        next();
      },
    });
    this.transport = new winston.transports.Stream({ stream, eol: '\n', ...(format !== undefined && { format }) });
  }
}

describe("A stock transport of winston beside the audit file's", () => {
  const bench = useSinkBench(useTemporaryFolder());

  it('prints the exact lines of the file, or each record as an object with all fields', async () => {
    const [lines, json] = [new Printed(), new Printed(winston.format.json())];
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
    expect(lines.text === written.slice(written.indexOf('\n') + 1)).to.equal(true);
    const printed = json.text.split('\n').slice(0, -1);
    expect(printed.map((line) => JSON.parse(line))).to.deep.equal(records.slice(1));
  });
});
