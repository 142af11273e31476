import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';
import { Callers } from './callers.ts';
import { expectDocumented } from './failures.ts';
import { fillableDisks } from './full-disk.ts';
import { expectAccounts, expectCounters } from './recount.ts';
import { configure, expectOnRecord, REQUEST_TYPES, verifyOnce, verifyTwice } from './signing-place.ts';

const SOME = 300;
const SOON_MS = 15_000;
/** How long the disk stays full. */
const FULL_MS = 1000;

for (const disk of fillableDisks()) {
  describe(`An audit file on ${disk.name}`, () => {
    const place = new Workplace();
    const folder = place.path('disk');
    const callers = new Callers(REQUEST_TYPES);
    place.environment['SIGNING_AUDIT_FILE'] = place.path('disk/audit.jsonl');

    before(async function () {
      this.timeout(60_000);
      await configure(place);
      disk.make(folder);
    });
    after(async () => {
      await callers.stop();
      disk.remove();
      await place.remove();
    });

    it('keeps every released signature, releases none without space, and resumes without a restart', async () => {
      const service = await place.start();
      const { pid } = service.process;
      callers.call(service.url);
      await callers.receive(SOME, SOON_MS);

      disk.fillAlmost(pid);
      await callers.fail(1, SOON_MS);
      disk.fill(pid);
      // Requests in flight may have been recorded in the last space.
      await callers.hold();
      const [signatures, failures] = [callers.signatures.length, callers.failures.length];
      callers.call(service.url);
      await sleep(FULL_MS);
      expect(callers.signatures.length, 'signatures released without room').to.equal(signatures);
      expect(callers.failures.length).to.be.above(failures);
      expect((await service.get('/status')).body.data.status).to.equal('degraded');

      disk.free(pid);
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
}
