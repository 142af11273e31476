import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFileOperations } from '../../../../../src/adapters/driven/audit-sink/file-operations.ts';
import { WinstonAuditSink } from '../../../../../src/adapters/driven/audit-sink/winston-audit-sink.ts';
import type { AuditEntry } from '../../../../../src/domain/model/audit-entry.ts';
import {
  describeAuditSinkContract,
  describeUnavailableAuditSinkContract,
} from '../../../../contracts/audit-sink-contract.ts';
import { FailingAuditSink } from '../../../../doubles/failing-audit-sink.ts';
import { MemoryAuditSink } from '../../../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';
import { systemError } from './system-error.ts';

async function winstonHarness(operations = nodeFileOperations) {
  const folder = await mkdtemp(join(tmpdir(), 'audit-sink-'));
  const file = join(folder, 'audit.jsonl');
  return {
    sink: await WinstonAuditSink.open({ file, log: new RecordingServiceLog(), operations }),
    durableEntries: async () => (await readFile(file, 'utf8')).split('\n').slice(0, -1).map(parseEntry),
    dispose: () => rm(folder, { recursive: true }),
  };
}

function parseEntry(line: string): AuditEntry {
  return JSON.parse(line) as AuditEntry;
}

describeAuditSinkContract('WinstonAuditSink', () => winstonHarness());

describeAuditSinkContract('MemoryAuditSink', async () => {
  const sink = new MemoryAuditSink();
  return { sink, durableEntries: async () => sink.entries, dispose: async () => {} };
});

describeUnavailableAuditSinkContract('WinstonAuditSink after a failed write', async () => {
  const harness = await winstonHarness({
    ...nodeFileOperations,
    write: () => Promise.reject(systemError('ENOSPC', 'no space left on device, write')),
  });
  await harness.sink.append(sampleAuditEntry()).catch(() => undefined);
  return harness;
});

describeUnavailableAuditSinkContract('FailingAuditSink', async () => ({
  sink: new FailingAuditSink(),
  durableEntries: async () => [],
  dispose: async () => {},
}));
