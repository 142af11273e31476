import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { AdapterSet } from '../../../src/app/adapters.ts';
import { startService } from '../../../src/app/lifecycle.ts';
import { readSettings } from '../../../src/app/settings/settings.ts';
import { CredentialLoadError } from '../../../src/domain/model/errors.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { StagedCredentialSource } from '../../doubles/staged-credential-source.ts';

describe('The cache of a credential source', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
  let source: StagedCredentialSource;

  beforeEach(() => {
    source = new StagedCredentialSource();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function start() {
    const settings = readSettings({ SIGNING_PORT: '0', SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl') });
    const [sink, log] = [new MemoryAuditSink(), new RecordingServiceLog()];
    const adapters = new AdapterSet(settings, { sink, log, source });
    return { adapters, starting: startService(settings, adapters, { drainMs: 50 }) };
  }

  it('serves reloads and is wiped when the service stops', async () => {
    const service = await start().starting;
    await service.reload();
    expect(source.purges).to.equal(0);
    await service.stop();
    expect(source.purges).to.equal(1);
  });

  it('is wiped on a fatal error', async () => {
    const { adapters, starting } = start();
    const service = await starting;
    adapters.purge();
    expect(source.purges).to.equal(1);
    await service.stop();
  });

  it('is wiped when startup fails', async () => {
    source.failWith(new CredentialLoadError('staged', [{ path: '', message: 'is wrong' }]));
    const outcome = await start().starting.catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Error);
    expect(source.purges).to.equal(1);
  });
});
