import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createContainer } from '../../../src/app/compose.ts';
import { TOKENS } from '../../../src/app/container-tokens.ts';
import { type RunningService, startService } from '../../../src/app/lifecycle.ts';
import { readSettings } from '../../../src/app/settings/settings.ts';
import type { Readiness } from '../../../src/domain/services/readiness-service.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { addAccount, runCommand } from '../../e2e/run-command.ts';

/** Ready or not. */
interface Response {
  readonly data?: Pick<Readiness, 'checks'>;
  readonly error?: { readonly details: Pick<Readiness, 'checks'> };
}

describe('Readiness of the whole service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
  const environment = {
    SIGNING_PORT: '0',
    SIGNING_CREDENTIALS_FILE: join(folder, 'credentials.json'),
    SIGNING_MASTER_KEY_FILE: join(folder, 'master.key'),
    SIGNING_AUDIT_FILE: join(folder, 'audit', 'audit.jsonl'),
    SIGNING_AUDIT_KEY_FILE: join(folder, 'audit.key'),
  };
  let service: RunningService;

  before(async () => {
    await runCommand(environment, 'init');
    await runCommand(environment, 'platform', 'add', '--platform', 'alpha', '--format', 'any');
    const settings = readSettings(environment);
    const container = createContainer(settings);
    container.rebind(TOKENS.ServiceLog).toConstantValue(new RecordingServiceLog());
    service = await startService(container);
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function readiness() {
    const response = await fetch(`${service.url}/readyz`);
    const { data, error } = (await response.json()) as Response;
    return { status: response.status, checks: (data ?? error?.details)?.checks };
  }

  /** Polls until the response has this status. */
  async function untilStatus(status: number): Promise<void> {
    while ((await readiness()).status !== status) await sleep(20);
  }

  it('fails without accounts, and passes once a reload adds one', async () => {
    const { status, checks } = await readiness();
    expect(status).to.equal(503);
    expect(checks?.keys.ok).to.equal(false);
    await addAccount(environment, 'alpha', 'main', 'ed25519');
    await service.reload();
    await untilStatus(200);
  });

  it('fails when the audit folder disappears, even without traffic, and recovers with it', async () => {
    expect((await readiness()).status).to.equal(200);
    renameSync(join(folder, 'audit'), join(folder, 'audit-gone'));
    await untilStatus(503);
    expect((await readiness()).checks?.audit).to.have.property('ok', false);
    rmSync(join(folder, 'audit'), { recursive: true, force: true });
    mkdirSync(join(folder, 'audit'));
    await untilStatus(200);
  });
});
