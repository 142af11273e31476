import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { printedBy } from '../harness/command-in-process.ts';
import { ALPHA, useWorkplace } from '../harness/use-workplace.ts';

const MODULE = fileURLToPath(new URL('../doubles/mock-key-store-module.js', import.meta.url));

describe('SIGNING_KEY_STORE_MODULE', () => {
  const place = useWorkplace(ALPHA);

  before(async () => {
    place.environment['SIGNING_KEY_STORE_MODULE'] = MODULE;
  });

  it('replaces the key store of the service with one that reports its calls', async () => {
    const { stderr } = await printedBy(async () => {
      const service = await place.startHere();
      const { status } = await service.post('/sign', { platformId: 'alpha', accountId: 'main', data: { a: 1 } });
      expect(status).to.equal(200);
      await service.stop();
    });
    const calls = stderr.trimEnd().split('\n');
    expect(calls[0]).to.equal('key store: create alpha/main (ed25519)');
    expect(calls.at(-2)).to.equal('key store: use alpha/main (ed25519)');
    expect(calls.at(-1)).to.equal('key store: purge');
  });

  it('stops the start if it throws, named with its module', async () => {
    place.environment['SIGNING_KEY_STORE_MODULE'] = place.path('throws.mjs');
    writeFileSync(place.path('throws.mjs'), "export function createKeyStore() { throw new Error('no session'); }");
    const { exitCode, text } = await place.refusalHere();
    expect(exitCode).to.equal(2);
    expect(text).to.match(/SIGNING_KEY_STORE_MODULE: .*throws\.mjs .*no session/);
  });

  it('is refused in production', async () => {
    place.environment['NODE_ENV'] = 'production';
    const { exitCode, text } = await place.refusalHere();
    expect(exitCode).to.equal(2);
    expect(text).to.match(/SIGNING_KEY_STORE_MODULE .*rejected when NODE_ENV is production/);
  });
});
