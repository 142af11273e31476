// Appends audit entries with rotation and prints acknowledged ids until killed.
import { writeSync } from 'node:fs';
import { WinstonAuditSink } from '../../../../../src/adapters/audit/writer/winston-audit-sink.ts';
import { SystemClock } from '../../../../../src/adapters/node/system-clock.ts';
import { createAuditKey } from '../../../../doubles/audit-chain.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { RecordingUsageLedger } from '../../../../doubles/recording-usage-ledger.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

const AT_ONCE = 16;
const MAX = 100_000;

const clock = new SystemClock();
const sink = await WinstonAuditSink.open({
  file: process.argv[2] ?? '',
  writer: { key: createAuditKey(), instanceId: 'instance-1', clock },
  log: new RecordingServiceLog(),
  usage: new RecordingUsageLedger(),
  rotation: { bytes: 20_000, hours: 0, files: 0 },
});
let next = 0;

async function appendInTurn(): Promise<void> {
  while (next < MAX) {
    const correlationId = `c-${next}`;
    next += 1;
    await sink.append(sampleAuditEntry({ time: new Date(clock.now()).toISOString(), correlationId }));
    writeSync(1, `${correlationId}\n`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, appendInTurn));
