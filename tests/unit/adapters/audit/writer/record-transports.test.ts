import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import winston from 'winston';
import Transport from 'winston-transport';
import { nodeFileOperations } from '../../../../../src/adapters/audit/file/file-operations.ts';
import type { ChainedRecord } from '../../../../../src/adapters/audit/record/signed-record.ts';
import { AuditFileLog } from '../../../../../src/adapters/audit/writer/audit-file-log.ts';
import { RecordCopies } from '../../../../../src/adapters/audit/writer/record-transports.ts';
import { createGate, systemError, useSinkBench, useTemporaryFolder } from '../sink-bench.ts';

const MINUTE_MS = 60_000;

/** A stock transport into memory. */
class Printed {
  text = '';
  readonly transport: Transport;

  constructor(options: { readonly format?: winston.Logform.Format } = {}) {
    const stream = new Writable({
      write: (chunk, _encoding, next) => {
        this.text += String(chunk);
        next();
      },
    });
    this.transport = new winston.transports.Stream({ stream, eol: '\n', ...options });
  }

  get lines(): readonly string[] {
    return this.text.split('\n').slice(0, -1);
  }
}

describe('Additional winston transports of the audit sink', () => {
  const bench = useSinkBench(useTemporaryFolder());

  /** File contents, oldest first. */
  function written(): string {
    const { files } = bench().verify();
    return files.map(({ name }) => readFileSync(join(bench().folder, name), 'utf8')).join('');
  }

  it('print the exact lines of the file, or each record as an object with all fields', async () => {
    const [lines, json] = [new Printed(), new Printed({ format: winston.format.json() })];
    await bench().open({ transports: [lines.transport, json.transport] });
    const data = { message: 'm', level: 'error', timestamp: 't', stack: 's', splat: ['%s'], nested: { message: 'n' } };
    await bench().append(3, { principal: 'zoë %s', data });
    await bench().append(600);
    await bench().close();
    expect(lines.text === written()).to.equal(true);
    const { records } = bench().verifyExactly();
    expect(records[1]).to.deep.include({ principal: 'zoë %s', data });
    expect(json.lines.map((line) => JSON.parse(line))).to.deep.equal(records);
  });

  it('receive durable records only, so their copy is a valid chain', async () => {
    const copy = new Printed();
    const rotation = { bytes: 4096, hours: 0, files: 0 };
    await bench().open({ transports: [copy.transport], rotation });
    for (let round = 0; round < 3; round += 1) {
      await bench().append(3);
      bench().calls.fdatasync = () => Promise.reject(systemError('EIO', 'i/o error, write'));
      expect(await bench().append(2)).to.have.length(2);
      bench().calls.fdatasync = nodeFileOperations.fdatasync;
      await bench().sink.reopen();
      await bench().append(2);
      renameSync(bench().file, `${bench().file}.${round}`);
      await bench().sink.reopen();
    }
    await bench().close();
    expect(bench().verifyExactly().files.length).to.be.above(6);
    expect(copy.text).to.equal(written());
  });

  it('log a failure once a minute, while the file continues', async () => {
    const [before, after] = [new Printed(), new Printed()];
    const throwing = new Transport({
      log: () => {
        throw new Error('no connection');
      },
    });
    const failing = new Transport({ log: (_info, next) => setImmediate(() => next()) });
    await bench().open({ transports: [before.transport, throwing, failing, after.transport] });
    failing.emit('error', new Error('reset by peer'));
    for (let count = 0; count < 5; count += 1) expect(await bench().append()).to.deep.equal([]);
    const errors = () => bench().log.events.filter(({ level }) => level === 'error');
    expect(errors()).to.have.length(1);
    expect(errors()[0]?.message).to.include('additional audit transport failed');
    bench().clock.advance(MINUTE_MS);
    await bench().append();
    expect(errors()).to.have.length(2);
    await bench().close();
    for (const copy of [before, after]) expect(copy.text).to.equal(written());
  });

  it('drop records when slow', async () => {
    const gate = createGate();
    let taken = 0;
    const slow = new Transport({
      log: (_info, next) => {
        taken += 1;
        void gate.passed.then(() => next());
      },
    });
    const { log, clock } = bench();
    const copies = new RecordCopies([slow], new AuditFileLog(log, clock));
    for (let count = 0; count < 10_500; count += 1) copies.send({ line: '{}' } as ChainedRecord);
    expect(taken).to.equal(1);
    expect(log.events.map(({ message }) => message).join()).to.include('too slow');
    gate.open();
    await copies.close();
    expect(taken).to.be.within(10_000, 10_100);
  });

  it('delay neither records nor closing', async () => {
    const stuck = new Transport({ log: () => undefined });
    await bench().open({ transports: [stuck], timeoutMs: 200 });
    expect(await bench().append(2)).to.deep.equal([]);
    await bench().close();
    bench().verifyExactly();
  });
});
