import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { Workplace } from './service-process.ts';

const REPOSITORY = resolve(import.meta.dirname, '../..');
const TSX = pathToFileURL(resolve(REPOSITORY, 'node_modules/tsx/dist/loader.mjs')).href;

describe('SIGNING_KEY_STORE_MODULE', () => {
  const place = new Workplace();

  before(async () => {
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
    await place.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
    Object.assign(place.environment, {
      NODE_OPTIONS: `--import ${TSX}`,
      SIGNING_KEY_STORE_MODULE: resolve(REPOSITORY, 'tests/doubles/mock-key-store-module.ts'),
    });
  });

  after(() => place.remove());

  it('puts another key store under the running service, which shows what is asked of it', async () => {
    const service = await place.start();
    const { status } = await service.post('/sign', { platformId: 'alpha', accountId: 'main', data: { a: 1 } });
    expect(status).to.equal(200);
    const { exitCode, stderr } = await service.stop();
    expect(exitCode).to.equal(0);
    const calls = stderr.trimEnd().split('\n');
    expect(calls[0]).to.equal('key store: create alpha/main (ed25519)');
    expect(calls.at(-2)).to.equal('key store: use alpha/main (ed25519)');
    expect(calls.at(-1)).to.equal('key store: purge');
  });

  it('is refused in production', async () => {
    place.environment['NODE_ENV'] = 'production';
    // Refused there as well, and first.
    delete place.environment['NODE_OPTIONS'];
    const { exitCode, stderr } = await place.spawn('main.js', []).ended();
    expect(exitCode).to.equal(2);
    expect(stderr).to.match(/SIGNING_KEY_STORE_MODULE .*refused when NODE_ENV is production/);
  });
});
