import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { PolicyEntry } from '../../src/domain/model/policy.ts';
import { useWorkplace } from '../harness/use-workplace.ts';
import { PROJECT_ROOT } from '../project-root.ts';

const CLI = join(PROJECT_ROOT, 'dist/cli.js');

const POLICIES: readonly PolicyEntry[] = [
  { name: 'trading', accounts: ['okx/*'], effect: 'allow', when: 'signed.path.startsWith("/api/v5/trade/")' },
  { name: 'small', accounts: ['okx/bot-7'], effect: 'deny', when: 'decimal(signed.body.sz) > 10' },
];
const ORDER = {
  method: 'POST',
  path: '/api/v5/trade/order',
  body: { instId: 'BTC-USDT', sz: '5' },
  timestamp: '2026-11-24T10:30:00.000Z',
};
const ids = ['--platform', 'okx', '--account', 'bot-7'];

describe('Policies in the command line', () => {
  const place = useWorkplace(['platform add --preset okx']);

  before(async () => {
    writeFileSync(place.path('secret'), '0123456789ABCDEF0123456789ABCDEF');
    await place.prepare('account', 'add', ...ids, '--key-file', place.path('secret'), '--key-format', 'utf8');
    configure(POLICIES);
  });

  function configure(policies: readonly PolicyEntry[]): void {
    const file = place.path('credentials.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), policies }));
  }

  async function check(data: object) {
    writeFileSync(place.path('data.json'), JSON.stringify(data));
    const { stdout, exitCode } = await place.commandHere(
      'policy',
      'check',
      ...ids,
      '--data',
      place.path('data.json'),
      '--json',
    );
    return { ...JSON.parse(stdout), exitCode };
  }

  it('decide as the service does, and show the bytes that it signs', async () => {
    const service = await place.startHere();
    const requests = [
      ORDER,
      { ...ORDER, body: { sz: '11' } },
      { ...ORDER, path: '/api/v5/asset/withdrawal' },
      { ...ORDER, path: '/api/v5/trade/order;x' },
    ];
    const statuses: number[] = [];
    for (const data of requests) {
      const { status, body } = await service.post('/sign?include=payload', {
        platformId: 'okx',
        accountId: 'bot-7',
        data,
      });
      const { allowed, payload, decision, exitCode } = await check(data);
      expect([allowed, exitCode]).to.deep.equal(status === 200 ? [true, 0] : [false, 2]);
      if (status === 200) expect(payload).to.equal(body.data.payload);
      else expect(decision.policies).to.deep.equal(body.error.details.policies);
      statuses.push(status);
    }
    expect(statuses).to.deep.equal([200, 403, 403, 403]);
    await service.stop();
  });

  it('need no master key, read standard input, and end the process with 2 for data that they deny', () => {
    rmSync(place.path('master.key'));
    const options = {
      env: { ...process.env, ...place.environment },
      input: JSON.stringify({ ...ORDER, body: { sz: '11' } }),
      encoding: 'utf8',
    } as const;
    const { stdout, status } = spawnSync(process.execPath, [CLI, 'policy', 'check', ...ids, '--data', '-'], options);
    expect(stdout).to.match(/\ndenied by small\n$/);
    expect(status).to.equal(2);
  });

  it('are refused with their place if they do not compile, with exit code 2', async () => {
    configure([...POLICIES, { name: 'typo', accounts: ['okx/*'], effect: 'deny', when: 'signed.pth == ""' }]);
    writeFileSync(place.path('data.json'), JSON.stringify(ORDER));
    for (const line of [
      ['policy', 'list'],
      ['policy', 'check', ...ids, '--data', place.path('data.json')],
    ]) {
      const { stdout, stderr, exitCode } = await place.commandHere(...line);
      expect([stdout, exitCode], line.join(' ')).to.deep.equal(['', 2]);
      expect(stderr).to.include(
        `${place.path('credentials.json')}: policies[2].when: (typo, for platform okx) reads signed.pth`,
      );
    }
  });
});
