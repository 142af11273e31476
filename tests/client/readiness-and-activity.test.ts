import { expect } from 'chai';
import { isServiceError, ProtocolError, SigningClient } from '../../src/client/client.ts';
import { ACTIVITY, READY, STATUS } from '../doubles/status-data.ts';
import { caught, caughtAs } from './caught.ts';
import { data, refusal, refusalOfProxy, ScriptedServer } from './scripted-server.ts';

describe('SigningClient for operators', () => {
  const server = new ScriptedServer();
  let client: SigningClient;
  before(async () => {
    await server.listen();
  });
  beforeEach(() => {
    client = new SigningClient({ url: `${server.url}/signer`, retry: { baseDelayMs: 0 } });
  });
  afterEach(() => client.close());
  after(() => server.close());

  it('requests the readiness beside the API, below the path of the URL', async () => {
    server.play(data(READY));
    expect(await client.readiness()).to.deep.equal({ ready: true, checks: READY.checks });
    expect(server.seen.map(({ method, target }) => `${method} ${target}`)).to.deep.equal(['GET /signer/readyz']);
  });

  it('returns a failed readiness without a retry', async () => {
    const checks = { audit: { ok: false, detail: 'disk full' } };
    server.play(refusal(503, 'NOT_READY', { checks }));
    expect(await client.readiness()).to.deep.equal({ ready: false, checks });
    expect(server.seen).to.have.length(1);
  });

  it('rejects with another refusal, or one without checks', async () => {
    server.play(refusalOfProxy(503, 'NOT_READY'));
    expect(isServiceError(await caught(client.readiness()), 'NOT_READY')).to.equal(true);
    server.play(refusal(403, 'FORBIDDEN'));
    expect(isServiceError(await caught(client.readiness()), 'FORBIDDEN')).to.equal(true);
    server.play(data({ status: 'ready', checks: { audit: true } }));
    await caughtAs(ProtocolError, client.readiness());
  });

  it('requests the activity only with its option', async () => {
    server.play(data({ ...STATUS, activity: ACTIVITY }));
    const { activity } = await client.status({ include: ['activity'] });
    expect(activity?.signatures).to.deep.equal(ACTIVITY.signatures);
    expect(activity?.refusedBy.callers[0]?.principal).to.equal('bot-1');
    await client.status();
    await client.status({ include: [] });
    expect(server.seen.map(({ target }) => target)).to.deep.equal([
      '/signer/api/v1/status?include=activity',
      '/signer/api/v1/status',
      '/signer/api/v1/status',
    ]);
  });

  const invalid: { readonly [name: string]: object } = {
    'no samples': { ...ACTIVITY, signatures: undefined },
    'a sample that is no number': { ...ACTIVITY, refusals: [1, '2'] },
    'a refusal without a count': { ...ACTIVITY, refusedBy: { ...ACTIVITY.refusedBy, policies: [{ policy: 'x' }] } },
    'a record without a time': { ...ACTIVITY, records: [{ event: 'sign', outcome: 'success' }] },
  };
  for (const [name, activity] of Object.entries(invalid)) {
    it(`rejects an activity with ${name}`, async () => {
      server.play(data({ ...STATUS, activity }));
      await caughtAs(ProtocolError, client.status({ include: ['activity'] }));
    });
  }
});
