// A process that appends audit entries, writes the correlation id of each acknowledged one to standard output, and waits to be killed.
import { writeSync } from 'node:fs';
import { WinstonAuditSink } from '../../../../../src/adapters/driven/audit-sink/winston-audit-sink.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

const AT_ONCE = 16;
const MOST = 100_000;

const sink = await WinstonAuditSink.open({ file: process.argv[2] ?? '', log: new RecordingServiceLog() });
let next = 0;

async function appendInTurn(): Promise<void> {
  while (next < MOST) {
    const correlationId = `c-${next}`;
    next += 1;
    await sink.append(sampleAuditEntry({ correlationId }));
    writeSync(1, `${correlationId}\n`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, appendInTurn));
