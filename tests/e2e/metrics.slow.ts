import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import type { ServiceProcess } from '../harness/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../harness/start-options.ts';
import { ALPHA, useWorkplace } from '../harness/use-workplace.ts';
import { readPage, valueIn } from '../metrics/read-page.ts';

describe('The metrics of a service process', () => {
  const place = useWorkplace(ALPHA);
  place.launcher = withNodeOptions(...START_OPTIONS);
  let service: ServiceProcess;

  before(async () => {
    service = await place.start();
  });

  it('are available with the start options of the image, and agree with the audit file', async () => {
    const body = { platformId: 'alpha', accountId: 'main', data: { amount: '1' } };
    for (let count = 0; count < 3; count += 1) expect((await service.post('/sign', body)).status).to.equal(200);
    const response = await fetch(`${service.url}/metrics`);
    expect(response.status).to.equal(200);
    let page = readPage(await response.text());
    // The disk is read in the background after the start.
    while (!page.samples.some(({ name }) => name === 'signing_audit_disk_free_bytes')) {
      await setTimeout(50);
      page = readPage(await (await fetch(`${service.url}/metrics`)).text());
    }

    const lines = readFileSync(place.path('audit.jsonl'), 'utf8').trimEnd().split('\n');
    const { seq } = JSON.parse(lines.at(-1) ?? '');
    const hash = `sha256:${createHash('sha256')
      .update(lines.at(-1) ?? '')
      .digest('hex')}`;
    expect(valueIn(page, 'signing_audit_head_sequence')).to.equal(seq);
    expect(valueIn(page, 'signing_audit_head_info', { hash })).to.equal(1);
    expect(valueIn(page, 'signing_recorded_signatures_total')).to.equal(3);
    expect(valueIn(page, 'signing_audit_disk_free_bytes')).to.be.above(0);
    expect(valueIn(page, 'signing_memory_locked')).to.equal(1);
    expect(valueIn(page, 'signing_vault_keys')).to.be.at.least(1);
    expect(valueIn(page, 'process_resident_memory_bytes')).to.be.above(1e6);
    expect(page.samples.filter(({ name }) => name.startsWith('signing_account_'))).to.deep.equal([]);
  });
});
