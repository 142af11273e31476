import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { startSampleHere } from '../../harness/start-here.ts';

describe('A service at startup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-callers-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function logOf(environment: { readonly [name: string]: string }): Promise<RecordingServiceLog> {
    const audit = { SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'), SIGNING_DRAIN_DELAY_MS: '0' };
    const log = new RecordingServiceLog();
    const sink = new MemoryAuditSink();
    const service = await startSampleHere({ SIGNING_WATCH: 'false', ...audit, ...environment }, { sink, log });
    await service.stop();
    return log;
  }

  const warningsIn = ({ events }: RecordingServiceLog) =>
    events.filter(({ level, message }) => level === 'warn' && message.includes('SIGNING_TRUSTED_PROXIES'));

  it('warns about trusted proxies within the allowed networks, and logs the trusted proxies', async () => {
    for (const [proxies, warned] of [
      ['10.0.0.0/8', 1],
      ['10.1.2.3', 0],
    ] as const) {
      const log = await logOf({ SIGNING_TRUSTED_PROXIES: proxies });
      expect(warningsIn(log), proxies).to.have.lengthOf(warned);
      const listening = log.events.find(({ message }) => message === 'Listening.');
      expect(listening?.facts['callers']).to.deep.include({ trustedProxies: [proxies] });
    }
  });
});
