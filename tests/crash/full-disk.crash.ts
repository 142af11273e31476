import { execFileSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';
import { Callers } from './callers.ts';
import { expectDocumented } from './failures.ts';
import { expectAccounts, expectCounters } from './recount.ts';
import { configure, expectOnRecord, REQUEST_TYPES, verifyOnce, verifyTwice } from './signing-place.ts';

const SOME = 300;
const SOON_MS = 15_000;
/** How long the disk stays full. */
const FULL_MS = 1000;

/** Space that is left at first: some dozens of records. Bytes. */
const LAST_ROOM = 40_960;

/**
 * A limit on the size of files (RLIMIT_FSIZE of setrlimit(2)), which needs no privilege: a write is
 * cut short there, later ones fail with EFBIG.
 */
function limitFiles(pid: number, bytes: string): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

describe('An audit file without space', () => {
  const place = new Workplace();
  const folder = place.path('disk');
  const callers = new Callers(REQUEST_TYPES);
  place.environment['SIGNING_AUDIT_FILE'] = place.path('disk/audit.jsonl');

  before(async function () {
    this.timeout(60_000);
    await configure(place);
    mkdirSync(folder, { mode: 0o700 });
  });
  after(async () => {
    await callers.stop();
    await place.remove();
  });

  it('keeps every released signature, releases none without space, and resumes without a restart', async () => {
    const service = await place.start();
    const { pid } = service.process;
    callers.call(service.url);
    await callers.receive(SOME, SOON_MS);

    limitFiles(pid, String(statSync(place.path('disk/audit.jsonl')).size + LAST_ROOM));
    await callers.fail(1, SOON_MS);
    // Less than a segment record.
    limitFiles(pid, '100');
    // Requests in flight may have been recorded in the last space.
    await callers.hold();
    const [signatures, failures] = [callers.signatures.length, callers.failures.length];
    callers.call(service.url);
    await sleep(FULL_MS);
    expect(callers.signatures.length, 'signatures released without room').to.equal(signatures);
    expect(callers.failures.length).to.be.above(failures);
    expect((await service.get('/status')).body.data.status).to.equal('degraded');

    limitFiles(pid, 'unlimited');
    await callers.receive(SOME, SOON_MS);
    await callers.stop();
    expectDocumented(callers.failures);
    expect((await service.get('/status')).body.data.status).to.equal('healthy');
    const chain = await verifyTwice(place, folder);
    expectOnRecord(callers.signatures, chain);
    expect(chain.records.map(({ data }) => data?.['reason'])).to.include('write-error');
    await expectAccounts(chain.records, service.url);
    expect((await service.stop()).exitCode).to.equal(0);

    const restarted = await place.start();
    await expectCounters(verifyOnce(place, folder).records, restarted.url);
    expect((await restarted.stop()).exitCode).to.equal(0);
  }).timeout(60_000);
});
