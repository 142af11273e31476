import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { startSampleHere } from '../../harness/start-here.ts';

describe('The service log at startup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-beginning-'));
  const log = new RecordingServiceLog();

  before(async () => {
    const environment = {
      SIGNING_PORT: '0',
      SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
      SIGNING_DRAIN_DELAY_MS: '0',
      SIGNING_INSTANCE_ID: 'signer-1',
      SIGNING_TRUSTED_PROXIES: '10.0.0.0/8',
      SIGNING_REDIS_URL: 'redis://signer:canary-7c1f@127.0.0.1:1/0',
    };
    const service = await startSampleHere(environment, { sink: new MemoryAuditSink(), log });
    await service.stop();
  });
  after(() => rmSync(folder, { recursive: true }));

  const factsOf = (message: string | RegExp) => {
    const found = log.events.find((event) =>
      typeof message === 'string' ? event.message === message : message.test(event.message),
    );
    return found?.facts ?? expect.fail(`The log has no ${String(message)}`);
  };

  it('shows the program, its environment, and whether its memory is locked', () => {
    const facts = factsOf(/^Signing service \d+\.\d+\.\d+/);
    expect(facts).to.include({ instanceId: 'signer-1', node: process.version, pid: process.pid });
    expect(factsOf('Accounts loaded.')).to.include({ memory: 'locked' });
  });

  it('shows the settings, but no secret', () => {
    expect(factsOf('Configuration (explicit).')).to.include({ SIGNING_PORT: 0, SIGNING_INSTANCE_ID: 'signer-1' });
    expect(factsOf('Configuration (defaults).')).to.include({ SIGNING_HOST: '127.0.0.1' });
    expect(JSON.stringify(log.events)).not.to.include('canary');
  });

  it('shows the accounts of each platform', () => {
    const facts = factsOf('Accounts loaded.');
    expect(facts['total']).to.be.a('number').that.is.above(0);
    const counts = Object.values(facts['byPlatform'] as { readonly [platformId: string]: number });
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(facts['total']);
  });

  it('shows the head of the audit record', () => {
    // Records of the start and the first load.
    expect(factsOf('Audit log opened.')).to.include({ seq: 2, file: join(folder, 'audit.jsonl') });
  });

  it('shows the trusted proxies, and warns about those within the allowed networks', () => {
    expect(factsOf('Listening.')['callers']).to.deep.include({ trustedProxies: ['10.0.0.0/8'] });
    const warned = log.events.filter(({ message }) => message.includes('SIGNING_TRUSTED_PROXIES'));
    expect(warned.map(({ level }) => level)).to.deep.equal(['warn']);
  });
});
