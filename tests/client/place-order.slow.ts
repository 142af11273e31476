import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type ServiceHere, Workplace } from '../harness/service-process.ts';
import { withTool } from '../harness/with-tool.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { ScriptedServer } from './scripted-server.ts';
import { asVenue, STUB_VENUES } from './stub-venues.ts';

/** Without the network: clients need their standard libraries only. */
const OFFLINE = { GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local', GOWORK: 'off' };

describe('The programs of docs/examples that place an order', function () {
  this.timeout(30_000);
  const place = new Workplace();
  const server = new ScriptedServer();
  let service: ServiceHere;

  before(async () => {
    await place.prepare('init');
    for (const { keys, values = [] } of Object.values(STUB_VENUES)) {
      for (const [preset, key] of Object.entries(keys)) {
        await place.prepare('platform', 'add', '--preset', preset);
        writeFileSync(place.path('key'), key, { mode: 0o600 });
        await place.prepare(
          ...['account', 'add', '--platform', preset, '--account', 'main', '--key-file', place.path('key')],
          ...values.flatMap((value) => ['--value', value]),
        );
      }
    }
    service = await place.startHere();
    await server.listen();
    for (const language of ['mjs', 'py', 'go']) {
      copyFileSync(join(PROJECT_ROOT, `docs/examples/place-order.${language}`), place.path(`place-order.${language}`));
    }
    mkdirSync(place.path('node_modules'));
    symlinkSync(PROJECT_ROOT, place.path('node_modules/signing-service'), 'dir');
    const [module, folder] = ['signing-service.internal/signing', join(PROJECT_ROOT, 'clients/go')];
    writeFileSync(
      place.path('go.mod'),
      `module order\ngo 1.22\nrequire ${module} v0.0.0\nreplace ${module} => ${folder}\n`,
    );
  });
  after(async () => {
    await place.remove();
    await server.close();
  });

  async function run(command: string, args: readonly string[], environment: object = {}): Promise<string> {
    const env = { ...process.env, ...OFFLINE, ...environment, PYTHONPATH: join(PROJECT_ROOT, 'clients/python/src') };
    return (await promisify(execFile)(command, args, { cwd: place.folder, env })).stdout;
  }

  function itPlacesOrders(command: string, ...args: readonly string[]): void {
    for (const [name, venue] of Object.entries(STUB_VENUES)) {
      it(`at ${name}`, async () => {
        server.play(asVenue(venue));
        const environment = { SIGNER_URL: service.url, VENUE_ORIGIN: server.url, ...venue.environment };
        expect(await run(command, [...args, name], environment)).to.match(/^200 \{.*\}\n$/);
      });
    }
  }

  describe('in JavaScript', () => itPlacesOrders(process.execPath, 'place-order.mjs'));

  withTool('python3', '--version', () =>
    describe('in Python', () => itPlacesOrders('python3', '-B', 'place-order.py')),
  );

  withTool('go', 'version', () =>
    describe('in Go', () => {
      before(() => run('go', ['build', '-o', 'place-order', 'place-order.go'])).timeout(300_000);
      itPlacesOrders(place.path('place-order'));
    }),
  );
});
