import { expect } from 'chai';
import { ERROR_CODES, isServiceError, ProtocolError, ServiceError, SigningClient } from '../../src/client/client.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { caughtAs } from './caught.ts';
import { data, refusal, ScriptedServer, type Step } from './scripted-server.ts';

/* What the contract of all clients leaves open: errors and results in TypeScript. */

const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };

describe('Errors and results of SigningClient', () => {
  const server = new ScriptedServer();
  let client: SigningClient;

  before(async () => {
    client = new SigningClient({ url: await server.listen(), retry: false, maxAnswerBytes: 100_000 });
  });
  after(() => server.close());

  it('narrow an error by its code', async () => {
    server.play(refusal(423, 'ACCOUNT_INACTIVE', { reason: 'SO' }, { 'X-Request-Id': 'req-1' }));
    const error = await caughtAs(ServiceError, client.sign(ALPHA));
    expect(ERROR_CODES.filter((code) => isServiceError(error, code))).to.deep.equal(['ACCOUNT_INACTIVE']);
    expect({ ...error }).to.deep.equal({
      ...{ kind: 'service', name: 'ServiceError', code: 'ACCOUNT_INACTIVE', status: 423, details: { reason: 'SO' } },
      ...{ retryAfterMs: null, requestId: 'req-1', mayHaveBeenDone: false },
    });
    for (const other of [null, 'RATE_LIMITED', new Error('RATE_LIMITED'), { code: 'RATE_LIMITED' }]) {
      expect(isServiceError(other)).to.equal(false);
    }
  });

  it('must have the form of each call', async () => {
    const account = { ...{ platformId: 'alpha', accountId: 'main' }, alias: '', status: '', environment: '' };
    const calls: readonly (readonly [object, () => Promise<unknown>])[] = [
      [{ valid: 'yes' }, () => client.verify({ ...ALPHA, signature: 'x' })],
      [{ accounts: {}, total: 1 }, () => client.accounts()],
      [{ accounts: [{ accountId: 'x' }], total: 1 }, () => client.accounts()],
      [{ accounts: [], total: 0 }, () => client.accountPage()],
      [account, () => client.account({ platformId: 'alpha', accountId: 'main' })],
      [{ status: 'healthy' }, () => client.status()],
      [{ reloadedAt: 'x' }, () => client.reload()],
    ];
    for (const [result, call] of calls) {
      server.play(data(result));
      await caughtAs(ProtocolError, call());
    }
  });

  it('are read up to maxAnswerBytes of an endless response', async () => {
    const endless: Step = (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', write);
      write();
    };
    server.play(endless);
    expect(await caughtAs(ProtocolError, client.sign(ALPHA))).to.include({ mayHaveBeenDone: true });
  });
});
