import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { PolicyEntry } from '../../src/domain/model/policy.ts';
import { sampleListedAccount, samplePlatform } from '../doubles/credential-builder.ts';
import { commandOn } from '../harness/command-on.ts';

const ORDERS: PolicyEntry = { name: 'orders', accounts: ['alpha/*'], effect: 'allow', when: 'signed.text == "a"' };
const BOTS: PolicyEntry = { ...ORDERS, name: 'bots', principals: ['bot-*'], effect: 'deny', mode: 'audit' };
const BEFORE = {
  platforms: [samplePlatform({ algorithms: ['ed25519'], payload: { rule: 'raw' } })],
  accounts: [sampleListedAccount()],
  policies: [ORDERS, BOTS],
};

const run = (...args: readonly string[]) => commandOn(BEFORE, ['policy', ...args]);

describe('policy set', () => {
  const file = join(tmpdir(), `policies-${process.pid}.json`);
  const set = (content: unknown) => {
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return run('set', file);
  };

  it('adds a policy at the end', async () => {
    const added = { ...ORDERS, name: 'small', effect: 'deny', when: 'signed.text == "b"' } as const;
    const { after, stdout } = await set(added);
    expect(after.policies).to.deep.equal([ORDERS, BOTS, added]);
    expect(stdout).to.match(/^Policy small added: its accounts sign nothing that this policy denies\.\nA running/);
  });

  it('replaces one of the same name in its place, and adds the others', async () => {
    const [changed, added] = [
      { ...ORDERS, when: 'signed.text == "c"' },
      { ...BOTS, name: 'more' },
    ];
    const { after, stdout } = await set([added, changed]);
    expect(after.policies).to.deep.equal([changed, BOTS, added]);
    expect(stdout).to.match(/^Policy orders replaced\.\nPolicy more added: in audit mode it denies nothing/);
  });

  for (const [what, content, reason] of [
    ['a condition that does not compile', { ...ORDERS, when: 'signed.txt == ""' }, /policies\[0\]\.when .*signed\.txt/],
    ['an unknown member', { ...ORDERS, whn: 'true' }, /policies\[0\].*whn/],
    ['two policies of one name', [ORDERS, { ...ORDERS, effect: 'deny' }], /Policy "orders" is given twice/],
    ['no policy', [], /must be a policy, or an array of them/],
    ['a policy without a name', { effect: 'deny' }, /must be a policy, or an array of them/],
    ['a duplicate key', '{"name":"a","name":"b"}', /name is a duplicate key/],
    ['no JSON', 'name: a', /is not valid JSON/],
  ] as const) {
    it(`refuses ${what}, and changes nothing`, async () => {
      const { after, stderr, exitCode } = await set(content);
      expect(exitCode).to.equal(2);
      expect(stderr).to.match(reason);
      expect(after.policies).to.deep.equal(BEFORE.policies);
    });
  }
});

describe('policy edit', () => {
  it('changes what is named, and nothing else', async () => {
    for (const [args, expected] of [
      [['--mode', 'enforce'], { ...ORDERS, name: 'bots', effect: 'deny', principals: ['bot-*'] }],
      [['--account', 'alpha/main', '--account', 'alpha/b'], { ...BOTS, accounts: ['alpha/main', 'alpha/b'] }],
      [['--principal', 'desk'], { ...BOTS, principals: ['desk'] }],
      [['--all-principals'], { ...ORDERS, name: 'bots', effect: 'deny', mode: 'audit' }],
    ] as const) {
      const { after, stdout } = await run('edit', 'bots', ...args);
      expect(after.policies).to.deep.equal([ORDERS, expected]);
      expect(stdout).to.match(/^Policy bots changed: mode (enforce|audit), accounts /);
    }
  });

  it('warns of accounts that it leaves with less, and of a platform that there is not', async () => {
    for (const [args, warning] of [
      [['--mode', 'audit'], 'no enforced policy covers alpha/main any more'],
      [['--account', 'alpha/other'], 'no enforced policy covers alpha/main any more'],
      [['--account', 'alpah/*'], 'the credentials file has no platform for alpah/*'],
    ] as const) {
      expect((await run('edit', 'orders', ...args)).stdout).to.include(`warning: ${warning}`);
    }
    const strict = { ...ORDERS, name: 'strict', effect: 'deny' } as const;
    const guarded = { ...BEFORE, policies: [ORDERS, strict] };
    const { stdout } = await commandOn(guarded, ['policy', 'edit', 'orders', '--mode', 'audit']);
    expect(stdout).to.include('warning: no enforced allow policy covers alpha/main any more');
  });

  it('refuses an unknown policy, and nothing to change', async () => {
    expect((await run('edit', 'none', '--mode', 'audit')).stderr).to.include('No such policy: "none"');
    expect((await run('edit', 'bots')).stderr).to.include('Set at least one of');
  });
});

describe('policy remove', () => {
  it('names the accounts that no policy covers any more', async () => {
    const first = await run('remove', 'bots');
    expect(first.after.policies).to.deep.equal([ORDERS]);
    expect(first.stdout).to.match(/^Policy bots removed\.\nA running/);
    const last = await commandOn({ ...BEFORE, policies: [ORDERS] }, ['policy', 'remove', 'orders']);
    expect(last.stdout).to.include('warning: no enforced policy covers alpha/main any more');
  });

  it('works although another policy does not compile', async () => {
    const broken = { ...ORDERS, name: 'broken', when: 'signed.txt == ""' };
    const { after } = await commandOn({ ...BEFORE, policies: [ORDERS, broken] }, ['policy', 'remove', 'broken']);
    expect(after.policies).to.deep.equal([ORDERS]);
  });
});
