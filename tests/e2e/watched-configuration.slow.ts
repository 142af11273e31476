import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ServiceProcess } from '../harness/service-process.ts';
import { ALPHA, useWorkplace } from '../harness/use-workplace.ts';

describe('A watched configuration', () => {
  const place = useWorkplace(ALPHA, { SIGNING_WATCH: 'true' });
  const mount = place.path('mount');
  let service: ServiceProcess;

  before(async function () {
    this.timeout(60_000);
    mountVersion('..one', readFileSync(place.path('credentials.json'), 'utf8'));
    symlinkSync('..one', join(mount, '..data'));
    symlinkSync(join('..data', 'credentials.json'), join(mount, 'credentials.json'));
    place.environment['SIGNING_CREDENTIALS_FILE'] = join(mount, 'credentials.json');
    service = await place.start();
  });

  /** A version as Kubernetes mounts it: in its own folder. */
  function mountVersion(folder: string, text: string): void {
    mkdirSync(join(mount, folder), { recursive: true });
    writeFileSync(join(mount, folder, 'credentials.json'), text, { mode: 0o600 });
  }

  /** Switches the version like Kubernetes. */
  function exchange(folder: string, text: string): void {
    mountVersion(folder, text);
    symlinkSync(folder, join(mount, '..data_tmp'));
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'));
  }

  /** Polls the status until its config matches. */
  async function configOnce(holds: (config: ReloadedConfig) => boolean): Promise<ReloadedConfig> {
    for (;;) {
      const { config } = (await service.get('/status')).body.data;
      if (holds(config)) return config;
      await sleep(50);
    }
  }

  const alias = async () => (await service.get('/accounts/alpha/main')).body.data.alias;
  const withAlias = (text: string, name: string) => {
    const content = JSON.parse(text);
    content.accounts[0].alias = name;
    return JSON.stringify(content);
  };
  const current = () => readFileSync(join(mount, 'credentials.json'), 'utf8');
  const sign = async () => (await service.post('/sign', { platformId: 'alpha', accountId: 'main', data: {} })).status;

  it('is loaded when Kubernetes replaces it', async () => {
    expect((await service.get('/status')).body.data.config).to.deep.include({
      isWatching: true,
      reloads: { succeeded: 1, failed: 0 },
    });
    exchange('..two', withAlias(current(), 'Exchanged'));
    const { lastReload } = await configOnce(({ reloads }) => reloads.succeeded === 2);
    expect(lastReload).to.deep.include({ trigger: 'watch', outcome: 'success' });
    expect(await alias()).to.equal('Exchanged');
  });

  it('stays unchanged while the file is invalid or missing, until it is valid again', async () => {
    const right = current();
    exchange('..three', right.slice(0, -20));
    const broken = await configOnce(({ reloads }) => reloads.failed === 1);
    expect(broken.lastReload).to.deep.include({ trigger: 'watch', outcome: 'failed' });
    expect(JSON.stringify(broken.lastReload)).to.contain('is not valid JSON');
    expect(await sign()).to.equal(200);

    rmSync(join(mount, '..data'));
    const gone = await configOnce(({ reloads }) => reloads.failed === 2);
    expect(JSON.stringify(gone.lastReload)).to.contain('no such file; restore it');
    expect(await sign()).to.equal(200);
    expect(await alias()).to.equal('Exchanged');

    exchange('..four', withAlias(right, 'Right again'));
    await configOnce(({ reloads }) => reloads.succeeded === 3);
    expect(await alias()).to.equal('Right again');
    const records = readFileSync(place.path('audit.jsonl'), 'utf8').trimEnd().split('\n');
    const reloads = records.map((line) => JSON.parse(line)).filter(({ event }) => event === 'reload');
    expect(reloads.map(({ outcome, data }) => `${data.trigger} ${outcome}`)).to.deep.equal([
      'start success',
      'watch success',
      'watch failed',
      'watch failed',
      'watch success',
    ]);
  });
});

interface ReloadedConfig {
  readonly reloads: { readonly succeeded: number; readonly failed: number };
  readonly lastReload: object;
}
