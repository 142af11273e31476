import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ReadinessReport } from '../../../src/adapters/http/schemas/status-responses.ts';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { addAccount, runCommand, settingsIn } from '../../harness/run-command.ts';
import { startHere } from '../../harness/start-here.ts';

interface StatusBody {
  readonly data: { readonly audit: { readonly disk: object } };
}

/** Ready or not. */
interface Response {
  readonly data?: ReadinessReport;
  readonly error?: { readonly details: ReadinessReport };
}

describe('Readiness of the whole service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signing-service-test-'));
  const environment = { ...settingsIn(folder), SIGNING_AUDIT_FILE: join(folder, 'audit', 'audit.jsonl') };
  const log = new RecordingServiceLog();
  let freeBytes = 50 * 1024 ** 3;
  let service: RunningService;

  before(async () => {
    await runCommand(environment, 'init');
    await runCommand(environment, 'platform', 'add', '--platform', 'alpha', '--format', 'any');
    service = await startHere(environment, { log, space: { bytes: async () => freeBytes } });
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function readiness() {
    const response = await fetch(`${service.url}/readyz`);
    const { data, error } = (await response.json()) as Response;
    const { checks, facts } = data ?? error?.details ?? {};
    return { status: response.status, checks, facts };
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

  it('stays ready before the audit disk is full, and warns in log, status and facts', async () => {
    for (const [free, state, level] of [
      [2 ** 29, 'low', 'warn'],
      [2 ** 23, 'critical', 'error'],
    ] as const) {
      freeBytes = free;
      // Metrics are of the current state.
      await (await fetch(`${service.url}/metrics`)).text();
      const { status, facts } = await readiness();
      expect(status).to.equal(200);
      const disk = { freeBytes: free, state, lowBytes: 2 ** 30, criticalBytes: 2 ** 24 };
      expect(facts?.audit).to.deep.equal({ disk });
      const reported = (await (await fetch(`${service.url}/api/v1/status`)).json()) as StatusBody;
      expect(reported.data.audit.disk).to.deep.equal(disk);
      const warning = log.events.findLast(({ message }) => message.startsWith('The audit disk is'));
      expect([warning?.level, warning?.facts['freeBytes']]).to.deep.equal([level, free]);
    }
  });

  it('fails when the audit folder disappears, even without traffic, and recovers with it once an operator confirms the loss', async () => {
    expect((await readiness()).status).to.equal(200);
    renameSync(join(folder, 'audit'), join(folder, 'audit-gone'));
    await untilStatus(503);
    expect((await readiness()).checks?.audit).to.have.property('ok', false);
    rmSync(join(folder, 'audit'), { recursive: true, force: true });
    mkdirSync(join(folder, 'audit'));
    while (!existsSync(join(folder, 'audit', 'audit.jsonl'))) await sleep(20);
    expect((await readiness()).status).to.equal(503);
    await service.reload();
    await untilStatus(200);
  });
});
