import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { verifyMessage } from 'ethers/hash';
import request from 'supertest';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import { BusyClock } from '../../doubles/busy-clock.ts';
import { canonicalize } from '../../harness/canonicalize.ts';
import { expectData, expectIssues } from '../../harness/envelope-checks.ts';
import { openSocket, postBytes } from '../../harness/raw-client.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A, DATA_B, DATA_C, DATA_D } from '../../harness/sample-accounts.ts';
import { type SignatureResult, verifiesEd25519 } from '../../harness/signature-checks.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';
import { EIP_191_VECTORS } from '../../vectors/eip-191.ts';

interface BatchItem {
  readonly requestId: string;
  readonly status: string;
  readonly signature?: string;
  readonly algorithm?: string;
  readonly payload?: string;
  readonly error?: { readonly code: string; readonly message: string; readonly details: JsonObject };
}

interface BatchData {
  readonly results: readonly BatchItem[];
  readonly summary: { readonly total: number; readonly successful: number; readonly failed: number };
}

describe('POST /api/v1/sign/batch', () => {
  const service = useNewService();

  const post = (body: object, path = '/api/v1/sign/batch') => request(service.server).post(path).send(body);

  function item(requestId: string, platformId: string, accountId: string, data: object) {
    return { requestId, platformId, accountId, data };
  }

  async function keyOfAlpha(): Promise<string> {
    const response = await request(service.server).get('/api/v1/accounts/alpha/main');
    return expectData<SignatureResult>(response).publicKey;
  }

  it('signs items of different platforms and algorithms in order, with exactly the batch fields', async () => {
    const requests = [
      item('z-1', 'beta', 'main', DATA_B),
      item('a-2', 'alpha', 'main', DATA_A),
      item('m-3', 'gamma', 'main', DATA_C),
    ];
    const data = expectData<BatchData>(await post({ requests }));
    expect(data).to.have.all.keys('results', 'summary');
    expect(data.summary).to.deep.equal({ total: 3, successful: 3, failed: 0 });
    expect(data.results.map(({ requestId }) => requestId)).to.deep.equal(['z-1', 'a-2', 'm-3']);
    expect(data.results.map(({ algorithm }) => algorithm)).to.deep.equal(['eip191', 'ed25519', 'ed25519']);
    for (const result of data.results) {
      expect(result).to.have.all.keys('requestId', 'status', 'signature', 'algorithm');
      expect(result.status).to.equal('success');
    }
    const [ofB, ofA] = data.results;
    expect(verifyMessage(canonicalize(DATA_B.message), String(ofB?.signature))).to.equal(EIP_191_VECTORS[0]?.address);
    expect(verifiesEd25519(await keyOfAlpha(), canonicalize(DATA_A), String(ofA?.signature))).to.equal(true);
  });

  it('ends when its caller leaves: what was begun is signed, recorded and charged, the rest is not', async () => {
    await service.close();
    const count = { name: 'count', accounts: ['*/*'], sum: 'decimal(1)', max: '5000', windowSeconds: 86_400 };
    await restartAs(service, startService({ budgets: [count], adapters: { clock: new BusyClock(2) } }));
    const requests = Array.from({ length: 1000 }, (_, index) => item(`r-${index}`, 'alpha', 'main', DATA_A));
    const socket = await openSocket(service.port);
    socket.write(postBytes('/api/v1/sign/batch', JSON.stringify({ requests })));
    while (service.records.entries.length === 0) await nextTurn();
    socket.destroy();
    const isOver = async () => {
      const status = await request(service.server).get('/api/v1/status');
      return expectData<{ load: { inFlight: number } }>(status).load.inFlight === 0;
    };
    while (!(await isOver())) await nextTurn();
    const { entries } = service.records;
    expect(entries.length).to.be.within(1, 900);
    expect(new Set(entries.map(({ outcome }) => outcome))).to.deep.equal(new Set(['success']));
    expect(entries.map(({ batchRequestId }) => batchRequestId)).to.have.members(
      requests.slice(0, entries.length).map(({ requestId }) => requestId),
    );
    expect(service.ledger.calls).to.have.lengthOf(entries.length);
  });

  it('responds 200 if items fail, each with the error of a single request', async () => {
    const requests = [
      item('1', 'nowhere', 'main', DATA_A),
      item('2', 'alpha', 'nobody', DATA_A),
      item('3', 'alpha', 'idle', DATA_A),
      item('4', 'alpha', 'main', { ...DATA_A, nonce: 'text' }),
      item('5', 'alpha', 'main', DATA_A),
    ];
    const { results, summary } = expectData<BatchData>(await post({ requests }));
    expect(summary).to.deep.equal({ total: 5, successful: 1, failed: 4 });
    expect(results.map(({ requestId }) => requestId)).to.deep.equal(['1', '2', '3', '4', '5']);
    const failed = results.slice(0, 4);
    for (const result of failed) {
      expect(result).to.have.all.keys('requestId', 'status', 'error');
      expect(result.status).to.equal('failed');
      expect(result.error).to.have.all.keys('code', 'message', 'details');
    }
    expect(failed.map(({ error }) => error?.code)).to.deep.equal([
      'PLATFORM_NOT_SUPPORTED',
      'ACCOUNT_NOT_FOUND',
      'ACCOUNT_INACTIVE',
      'INVALID_DATA_FORMAT',
    ]);
    expect(failed[1]?.error?.details).to.deep.equal({ platformId: 'alpha', accountId: 'nobody' });
    expect(results[4]?.status).to.equal('success');
  });

  it('records every item with its requestId', async () => {
    await post({ requests: [item('ok', 'alpha', 'main', DATA_A), item('bad', 'alpha', 'nobody', DATA_A)] });
    const records = service.records.entries;
    expect(records.map(({ batchRequestId, outcome }) => [batchRequestId, outcome])).to.deep.equal([
      ['ok', 'success'],
      ['bad', 'refused'],
    ]);
    expect(new Set(records.map(({ correlationId }) => correlationId)).size).to.equal(1);
  });

  it('accepts the maximum number of items of the settings, and not one more', async () => {
    await restartAs(service, startService({ maxBatch: 2 }));
    const items = ['1', '2', '3'].map((id) => item(id, 'alpha', 'main', DATA_A));
    expectData(await post({ requests: items.slice(0, 2) }));
    const response = await post({ requests: items });
    expect(expectIssues(response)).to.deep.equal(['requests']);
    expect(response.text).to.include('1 to 2');
  });

  describe('rejects the whole batch, and signs none of it, for', () => {
    const good = item('good', 'alpha', 'main', DATA_A);
    const issues: readonly (readonly [name: string, requests: unknown, path: string])[] = [
      ['a repeated requestId', [good, item('other', 'alpha', 'main', DATA_A), good], 'requests[2].requestId'],
      ['an item without requestId', [good, { ...good, requestId: undefined }], 'requests[1].requestId'],
      ['a requestId of 129 characters', [good, { ...good, requestId: 'x'.repeat(129) }], 'requests[1].requestId'],
      ['an unknown field', [good, { ...good, requestId: 'r', extra: 1 }], 'requests[1].extra'],
      ['an item that is no object', [good, 'sign'], 'requests[1]'],
      ['requests that are no array', { 0: good }, 'requests'],
      ['missing requests', undefined, 'requests'],
      ['no request', [], 'requests'],
    ];
    for (const [name, requests, path] of issues) {
      it(name, async () => {
        const response = await post({ requests });
        expect(expectIssues(response)).to.deep.equal([path]);
        expect(service.records.entries.filter(({ outcome }) => outcome === 'success')).to.have.lengthOf(0);
      });
    }

    it('an unknown field next to requests', async () => {
      expect(expectIssues(await post({ requests: [good], mode: 'fast' }))).to.deep.equal(['mode']);
    });
  });

  it('reports at most 20 issues, including unknown fields', async () => {
    const extras = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`extra${index}`, 1]));
    const requests = ['1', '2', '3'].map((id) => ({ ...item(id, 'alpha', 'main', DATA_A), ...extras }));
    expect(expectIssues(await post({ requests }))).to.have.lengthOf(20);
  });

  it('?include=payload adds the signed text and its parts to the signed items', async () => {
    const requests = [
      item('1', 'alpha', 'main', DATA_A),
      item('2', 'alpha', 'nobody', DATA_A),
      item('3', 'delta', 'main', DATA_D),
    ];
    const response = await post({ requests }, '/api/v1/sign/batch?include=payload');
    const [signed, failed, ofParts] = expectData<BatchData>(response).results;
    expect(signed).to.have.all.keys('requestId', 'status', 'signature', 'algorithm', 'payload', 'payloadParts');
    expect(signed).to.have.deep.property('payloadParts', {});
    expect(signed?.payload).to.equal(canonicalize(DATA_A));
    expect(failed).to.have.all.keys('requestId', 'status', 'error');
    const { timestamp, method, path } = DATA_D;
    const parts = { timestamp, method, path, body: JSON.stringify(DATA_D.body) };
    expect(ofParts).to.have.deep.property('payloadParts', parts);
    expect(expectIssues(await post({ requests }, '/api/v1/sign/batch?include=keys'))).to.deep.equal(['include']);
  });

  it('logs the cause of failed items once', async () => {
    service.keyStore.purge();
    const requests = ['1', '2', '3'].map((id) => item(id, 'alpha', 'main', DATA_A));
    const { summary } = expectData<BatchData>(await post({ requests }));
    expect(summary).to.deep.equal({ total: 3, successful: 0, failed: 3 });
    const errors = service.log.events.filter(({ level }) => level === 'error');
    expect(errors).to.have.lengthOf(1);
    expect(errors[0]?.facts['items']).to.equal(3);
  });
});
