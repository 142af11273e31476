import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { ALPHA, useWorkplace } from '../harness/use-workplace.ts';

const MOCK = import.meta.resolve('../doubles/mock-key-store-module.js');

/** Module with a KeyStore that logs its calls and throws on SIGWINCH. */
const MODULE = (failure: string) => `
export { createKeyStore } from ${JSON.stringify(MOCK)};
process.on('SIGWINCH', () => { ${failure} });
`;

const FAILURES = {
  'an uncaught exception': "throw new Error('planted failure');",
  'an unhandled rejection': "Promise.reject(new Error('planted failure'));",
};

describe('An uncaught error', () => {
  const place = useWorkplace(ALPHA);

  for (const [name, failure] of Object.entries(FAILURES)) {
    it(`purges every key before the process ends: ${name}`, async () => {
      const file = place.path('failing-key-store.mjs');
      writeFileSync(file, MODULE(failure));
      place.environment['SIGNING_KEY_STORE_MODULE'] = file;
      const service = await place.start();
      service.process.signal('SIGWINCH');
      const { exitCode, stderr } = await service.process.ended();
      expect(exitCode).to.equal(1);
      expect(stderr).to.match(/key store: purge\n.*stops because of an unexpected error\.\nError: planted failure/s);
    });
  }

  it('purges every key if it occurs during startup', async () => {
    const file = place.path('failing-key-store.mjs');
    writeFileSync(
      file,
      `import { createKeyStore as create } from ${JSON.stringify(MOCK)};
      export function createKeyStore() {
        const store = create();
        const use = store.use.bind(store);
        store.use = (handle, action) => {
          queueMicrotask(() => { throw new Error('planted failure'); });
          return use(handle, action);
        };
        return store;
      }`,
    );
    place.environment['SIGNING_KEY_STORE_MODULE'] = file;
    const { exitCode, stdout, stderr } = await place.spawn('main.js', []).ended();
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/key store: purge\nThe service stops .*\nError: planted failure/s);
    expect(stdout).not.to.include('Listening');
  });
});
