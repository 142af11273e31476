import { expect } from 'chai';
import request from 'supertest';
import { DelayingAuditSink } from '../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../doubles/failing-audit-sink.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A, DATA_B } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const ANY_SIGNATURE = /0x[0-9a-f]{130}|[1-9A-HJ-NP-Za-km-z]{60,}/;

describe('While the audit record cannot be written', () => {
  const service = useNewService(() => startService({ adapters: { sink: new FailingAuditSink() } }));

  const post = (path: string, body: object) => request(service.server).post(path).send(body);

  for (const [platformId, data] of [
    ['alpha', DATA_A],
    ['beta', DATA_B],
  ] as const) {
    it(`no ${platformId} signature is released: 500 SIGNATURE_FAILED with the reason, and the cause only in the log`, async () => {
      const response = await post('/api/v1/sign?include=payload', { platformId, accountId: 'main', data });
      const { details } = expectError(response, 500, 'SIGNATURE_FAILED');
      expect(details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
      expect(response.text).not.to.match(ANY_SIGNATURE);
      expect(JSON.stringify(response.headers)).not.to.match(ANY_SIGNATURE);
      expect(response.text).not.to.include('on purpose');
      const [error] = service.log.events.filter(({ level }) => level === 'error');
      expect(String(error?.facts['cause'])).to.include('on purpose');
    });
  }

  it('no signature of a batch is released', async () => {
    const requests = [
      { requestId: '1', platformId: 'alpha', accountId: 'main', data: DATA_A },
      { requestId: '2', platformId: 'beta', accountId: 'main', data: DATA_B },
    ];
    const response = await post('/api/v1/sign/batch', { requests });
    const { results, summary } = expectData<{ results: readonly object[]; summary: object }>(response);
    expect(summary).to.deep.equal({ total: 2, successful: 0, failed: 2 });
    for (const result of results) {
      expect(result).to.have.nested.property('error.code', 'SIGNATURE_FAILED');
      expect(result).to.have.deep.nested.property('error.details', { reason: 'AUDIT_UNAVAILABLE' });
    }
    expect(response.text).not.to.match(ANY_SIGNATURE);
  });

  it('control: the pattern of this test matches real signatures', async () => {
    await restartAs(service, startService());
    for (const [platformId, data] of [
      ['alpha', DATA_A],
      ['beta', DATA_B],
    ] as const) {
      expect((await post('/api/v1/sign', { platformId, accountId: 'main', data })).text).to.match(ANY_SIGNATURE);
    }
  });

  it('the service log has one line per minute with the number of failed records', async () => {
    const body = { platformId: 'alpha', accountId: 'main', data: DATA_A };
    const lines = () => service.log.events.filter(({ level }) => level !== 'info');
    for (let round = 0; round < 10; round += 1) {
      await post('/api/v1/sign', body);
      await post('/api/v1/sign/batch', { requests: [{ requestId: '1', ...body }] });
      await post('/api/v1/verify', { ...body, signature: 'x' });
      await post('/api/v1/sign', { malformed: true });
    }
    expect(lines().map(({ facts }) => facts['failed'])).to.deep.equal([1]);
    service.log.flush();
    expect(lines().map(({ facts }) => facts['failed'])).to.deep.equal([1, 39]);
  });
});

describe('While an audit record is being written', () => {
  it('no response is sent; a failure then withholds the signature', async () => {
    const audit = new DelayingAuditSink();
    const service = await startService({ adapters: { sink: audit } });
    let hasResponse = false;
    const answer = request(service.server)
      .post('/api/v1/sign')
      .send({ platformId: 'alpha', accountId: 'main', data: DATA_A })
      .then((response) => {
        hasResponse = true;
        return response;
      });
    while (audit.waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(hasResponse).to.equal(false);
    audit.fail();
    expectError(await answer, 500, 'SIGNATURE_FAILED');
    await service.close();
  });
});
