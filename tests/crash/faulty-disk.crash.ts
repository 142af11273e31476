import { cpSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { AuditKey } from '../../src/adapters/audit/audit-key.ts';
import { WinstonAuditSink } from '../../src/adapters/audit/writer/winston-audit-sink.ts';
import { SystemClock } from '../../src/adapters/node/system-clock.ts';
import { MemoryUsageLedger } from '../../src/adapters/usage/memory-usage-ledger.ts';
import type { RunningService } from '../../src/app/lifecycle.ts';
import { readSettings } from '../../src/app/settings/settings.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import { Workplace } from '../harness/service-process.ts';
import { startHere } from '../harness/start-here.ts';
import { Callers } from './callers.ts';
import { expectDocumented } from './failures.ts';
import { FaultyDisk } from './faulty-disk.ts';
import { expectAccounts, expectCounters } from './recount.ts';
import { configure, expectOnRecord, REQUEST_TYPES, verifyOnce, verifyTwice } from './signing-place.ts';

const SOME = 300;
/** Ends a hang; a busy machine needs a fraction. */
const SOON_MS = 60_000;
const FAULT_MS = 1000;
/** Failed syncs: the first one, and those of attempts to begin a new file. */
const TRIES = 4;
const TIMEOUT_MS = 200;

describe('An audit file on a faulty disk', () => {
  const model = new Workplace();
  let place: Workplace;
  let disk: FaultyDisk;
  let service: RunningService;
  let callers: Callers;

  before(async function () {
    this.timeout(240_000);
    await configure(model);
  });
  after(() => model.remove());

  beforeEach(async () => {
    place = new Workplace({ SIGNING_AUDIT_TIMEOUT_MS: String(TIMEOUT_MS) });
    cpSync(model.folder, place.folder, { recursive: true });
    disk = new FaultyDisk();
    service = await startOn(disk);
    callers = new Callers(REQUEST_TYPES);
    callers.call(service.url);
    await callers.receive(SOME, SOON_MS);
  });
  afterEach(async () => {
    disk.goOn();
    await callers.stop();
    await service.stop();
    await place.remove();
  });

  /** The whole service in this process, with its audit sink on that disk. */
  async function startOn({ fileSystem }: FaultyDisk): Promise<RunningService> {
    const { auditFile: file, auditKeyFile, instanceId } = readSettings(place.environment);
    const key = AuditKey.open(auditKeyFile);
    const log = new RecordingServiceLog();
    const usage = new MemoryUsageLedger();
    const writer = { key, instanceId, clock: new SystemClock() };
    const sink = await WinstonAuditSink.open({ file, writer, log, usage, timeoutMs: TIMEOUT_MS, fileSystem });
    return startHere(place.environment, { log, usage, sink });
  }

  /** Stops the callers and checks the file against their signatures. */
  async function expectAllOnRecord(): Promise<void> {
    await callers.receive(SOME, SOON_MS);
    await callers.stop();
    expectDocumented(callers.failures);
    const chain = await verifyTwice(place);
    expectOnRecord(callers.signatures, chain);
    await expectAccounts(chain.records, service.url);
  }

  /** The same for the next process. */
  async function expectGoesOn(): Promise<void> {
    await service.stop();
    const restarted = await place.start();
    await expectCounters(verifyOnce(place).records, restarted.url);
    expect((await restarted.stop()).exitCode).to.equal(0);
  }

  it('keeps every released signature when a sync fails, and resumes signing by itself', async () => {
    disk.fail(1);
    await callers.fail(1, SOON_MS);
    await expectAllOnRecord();
    expect(disk.failures).to.equal(1);
    expect(disk.repeatedSyncs, 'syncs of a descriptor whose sync had failed').to.equal(0);
    await expectGoesOn();
  }).timeout(240_000);

  it('releases no signature while every sync fails, and resumes signing by itself', async () => {
    disk.fail(Number.POSITIVE_INFINITY);
    await callers.fail(1, SOON_MS);
    await callers.hold();
    const signatures = callers.signatures.length;
    callers.call(service.url);
    while (disk.failures < TRIES) await sleep(10);
    expect(callers.signatures.length).to.equal(signatures);
    disk.fail(0);
    await expectAllOnRecord();
    expect(disk.repeatedSyncs, 'syncs of a descriptor whose sync had failed').to.equal(0);
    await expectGoesOn();
  }).timeout(240_000);

  for (const call of ['write', 'datasync'] as const) {
    it(`returns the documented error while ${call} hangs, and resumes signing afterwards`, async () => {
      await disk.hang(call);
      // Earlier responses may still be on their way, or a busy machine timed out before the hang.
      await callers.hold();
      const signatures = callers.signatures.length;
      callers.call(service.url);
      await callers.fail(1, SOON_MS);
      await sleep(FAULT_MS);
      await callers.hold();
      expect(callers.signatures.length).to.equal(signatures);
      callers.call(service.url);
      disk.goOn();
      await expectAllOnRecord();
    }).timeout(240_000);
  }

  it('stops the service even if the disk never responds again', async () => {
    await disk.hang('datasync');
    await callers.fail(1, SOON_MS);
    await callers.stop();
    await service.stop();
    expectDocumented(callers.failures);
    expectOnRecord(callers.signatures, await verifyTwice(place));
  }).timeout(240_000);
});
