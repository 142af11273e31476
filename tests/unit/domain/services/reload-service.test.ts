import { expect } from 'chai';
import { EMPTY_CHAIN } from '../../../../src/adapters/audit/record/signed-record.ts';
import { CredentialLoadError, OperatorError, UNAVAILABLE } from '../../../../src/domain/model/errors.ts';
import type { ReloadResult } from '../../../../src/domain/services/reload-description.ts';
import { isValidSignature } from '../../../contracts/independent-verification.ts';
import { chainEntry } from '../../../doubles/audit-chain.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { sampleCredential, samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import type { FixedAccount } from '../../../doubles/fixed-credential-source.ts';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf, rejectionOf } from './outcome-expectations.ts';
import { createReloadWorkbench, ReloadWorkbench, withKey } from './reload-workbench.ts';
import { CONTEXT, REQUEST } from './signing-workbench.ts';

describe('ReloadService', () => {
  it('logs the warnings about a generation once it is in force', async () => {
    const bench = createReloadWorkbench();
    const warnings = () => bench.log.events.filter(({ level }) => level === 'warn').map(({ message }) => message);
    await bench.load([withKey(1)], {
      permissions: [{ principals: ['anonymous'], accounts: ['*/*'], operations: ['sign'] }],
    });
    await bench.load([withKey(1)]);
    expect(warnings()).to.have.length(1);
    expect(warnings()[0]).to.include('The permissions list was removed');
    bench.source.failWith(new CredentialLoadError('staged', []));
    refusalOf(await bench.reloads.reload('request', CONTEXT));
    expect(warnings()).to.have.length(1);
  });

  it('keeps keys with an unchanged revision, and discards all others once they are not in force', async () => {
    const bench = createReloadWorkbench();
    const named = (accountId: string, number: number, keyRevision?: string) =>
      withKey(number, { accountId, ...(keyRevision === undefined ? {} : { keyRevision }) });
    await bench.load([named('stays', 1, 'r1'), named('changes', 2, 'r2'), named('goes', 3, 'r3'), named('plain', 4)]);
    const [stays, ...others] = bench.keysInForce;
    const { changes } = await bench.load([named('stays', 1, 'r1'), named('changes', 4, 'r4'), named('plain', 4)]);
    expect(changes).to.deep.equal({ added: 0, updated: 1, removed: 1 });
    expect(bench.keysInForce[0]).to.equal(stays);
    expect(bench.keys.discarded).to.have.members(others);
    expect([...bench.keys.held]).to.have.members(bench.keysInForce);
    expect(bench.source.openSets).to.equal(0);
  });

  describe('a maximum share of accounts that a reload may remove', () => {
    const accounts = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        sampleCredential({ accountId: `account-${index}`, keyRevision: `r${index}` }),
      );

    it('refuses and records a reload that would remove more, and changes nothing', async () => {
      const bench = createReloadWorkbench({ maxRemoved: 0.5 });
      await bench.load(accounts(10));
      const [before, held] = [bench.registry.current, [...bench.keys.held]];
      bench.contain([...accounts(4), sampleCredential({ accountId: 'new' })]);
      const { code, details } = refusalOf(await bench.reloads.reload('watch', null));
      expect(code).to.equal('CONFIG_LOAD_FAILED');
      expect(JSON.stringify(details['issues']))
        .to.contain('6 of 10 accounts')
        .and.to.contain('SIGNING_RELOAD_MAX_REMOVED=0.5');
      expect(bench.registry.current).to.equal(before);
      expect([...bench.keys.held]).to.deep.equal(held);
      expect(bench.sink.entries.at(-1)).to.deep.include({
        event: 'reload',
        outcome: 'failed',
        errorCode: 'CONFIG_LOAD_FAILED',
        data: { trigger: 'watch', issues: details['issues'] },
      });
    });

    it('of 0 refuses every removal, but neither the first load nor additions', async () => {
      const bench = createReloadWorkbench({ maxRemoved: 0 });
      await bench.load(accounts(2));
      await bench.load(accounts(3));
      bench.contain(accounts(2));
      refusalOf(await bench.reloads.reload('request', CONTEXT));
      expect(bench.registry.current.accountCount).to.equal(3);
    });
  });

  describe('a configuration that cannot be loaded', () => {
    const failures: { readonly [what: string]: (bench: ReloadWorkbench) => void } = {
      'because it cannot be read': ({ source }) =>
        source.failWith(new CredentialLoadError('file', [{ path: '', message: 'there is no such file' }])),
      'because a key is wrong': (bench) => bench.contain([withKey(3), sampleCredential({ publicKey: 'another' })]),
      'for an unexpected reason': ({ source }) => source.failWith(new RangeError('/secret/path: 0xdeadbeef')),
      'because of a key, for an unexpected reason': (bench) => {
        bench.contain([withKey(3), withKey(4)]);
        bench.source.keyIssues.set('accounts[1]', { when: 'before', error: new RangeError('0xdeadbeef') });
      },
      'because it cannot be compared': (bench) => {
        bench.contain([withKey(3), sampleCredential({ accountId: 'spare', keyRevision: 'r1' })]);
        Object.defineProperty(bench.registry.current, 'platforms', {
          get: () => {
            throw new RangeError('0xdeadbeef');
          },
        });
      },
    };
    for (const [what, spoil] of Object.entries(failures)) {
      it(`${what} is refused with CONFIG_LOAD_FAILED and changes nothing`, async () => {
        const bench = createReloadWorkbench();
        await bench.load([withKey(1), sampleCredential({ accountId: 'spare', keyRevision: 'r1' })]);
        const { current, loadedAt } = bench.registry;
        const held = [...bench.keys.held];
        bench.clock.advance(60_000);
        spoil(bench);

        const { code, message, details } = refusalOf(await bench.reloads.reload('request', CONTEXT));
        expect(code).to.equal('CONFIG_LOAD_FAILED');
        expect(details['path']).to.equal('staged-credentials');
        expect(details['issues']).to.be.an('array').that.has.length(1);
        expect(`${message} ${JSON.stringify(details)}`).not.to.match(/secret|deadbeef/);

        expect(bench.registry.current).to.equal(current);
        expect(bench.registry.loadedAt).to.equal(loadedAt);
        expect([...bench.keys.held]).to.deep.equal(held);
        expect(bench.source.openSets).to.equal(0);
        acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
      });
    }

    it('is kept as the last load, with its issues and whether its cause is outside the files', async () => {
      const { source, clock, reloads, registry } = createReloadWorkbench();
      const issues = [{ path: '', message: 'there is no such file' }];
      source.failWith(new CredentialLoadError('file', issues));
      clock.advance(1000);
      refusalOf(await reloads.reload('watch', null));
      const failed = { at: '2026-11-20T08:49:01.000Z', trigger: 'watch', outcome: 'failed' };
      expect(registry.lastReload).to.deep.equal({ ...failed, issues, isTransient: false });
      const unavailable = new OperatorError('The key service is down.', { code: UNAVAILABLE });
      for (const error of [unavailable, new RangeError('unexpected')]) {
        source.failWith(error);
        refusalOf(await reloads.reload('watch', null));
        expect(registry.lastReload).to.deep.include({ ...failed, isTransient: true });
      }
      expect(registry.reloads).to.deep.equal({ succeeded: 0, failed: 3 });
    });

    it('is logged once a minute for one reason, with the number of loads, and at once for another', async () => {
      const { source, reloads, log } = createReloadWorkbench();
      const fail = (message: string) => {
        source.failWith(new CredentialLoadError('here', [{ path: 'accounts[0].key', message }]));
        return reloads.reload('watch', null);
      };
      for (let nth = 0; nth < 50; nth += 1) await fail('must be sealed');
      await fail('must be present');
      log.flush();
      expect(log.events.map(({ facts }) => facts['count'])).to.deep.equal([1, 1, 49]);
    });

    it('is not logged after a later success', async () => {
      const { source, reloads, log } = createReloadWorkbench();
      source.failWith(new CredentialLoadError('here', []));
      for (let nth = 0; nth < 3; nth += 1) await reloads.reload('watch', null);
      source.contain({ platforms: [], accounts: [] });
      await reloads.reload('watch', null);
      log.flush();
      expect(log.events.map(({ message, facts }) => [message, facts['count']])).to.deep.equal([
        ['Credentials could not be loaded.', 1],
        ['Credentials loaded.', 2],
      ]);
    });

    it('is logged at once after each success, as each success is', async () => {
      const { source, reloads, log } = createReloadWorkbench();
      for (let nth = 0; nth < 4; nth += 1) {
        source.failWith(new CredentialLoadError('here', []));
        await reloads.reload('request', CONTEXT);
        source.contain({ platforms: [], accounts: [] });
        await reloads.reload('request', CONTEXT);
      }
      log.flush();
      const both = ['Credentials could not be loaded.', 'Credentials loaded.'];
      expect(log.events.map(({ message }) => message)).to.deep.equal([...both, ...both, ...both, ...both]);
    });

    it('is logged for each signal, which an operator sends', async () => {
      const { source, reloads, log } = createReloadWorkbench();
      source.failWith(new CredentialLoadError('here', []));
      for (let nth = 0; nth < 3; nth += 1) await reloads.reload('signal', null);
      expect(log.events.map(({ level }) => level)).to.deep.equal(['error', 'error', 'error']);
    });
  });

  describe('concurrent reloads', () => {
    it('run sequentially, and later ones share a run that sees changes made meanwhile', async () => {
      const bench = createReloadWorkbench();
      const release = bench.source.hold();
      bench.contain([sampleCredential({ alias: 'first' })]);
      const first = bench.reloads.reload('request', CONTEXT);
      await isSettled(first);
      bench.contain([sampleCredential({ alias: 'second' })]);
      const later = Promise.all(Array.from({ length: 10 }, () => bench.reloads.reload('request', CONTEXT)));
      expect(await isSettled(later)).to.equal(false);
      expect(bench.source.loads).to.equal(1);

      release();
      expect(acceptedValue(await first).changes).to.deep.equal({ added: 1, updated: 0, removed: 0 });
      for (const outcome of await later) {
        expect(acceptedValue(outcome).changes).to.deep.equal({ added: 0, updated: 1, removed: 0 });
      }
      expect(bench.source.loads).to.equal(2);
      expect(bench.aliases).to.deep.equal(['second']);
      expect([...bench.keys.held]).to.deep.equal(bench.keysInForce);
    });

    it('run again after an unexpected error', async () => {
      const bench = createReloadWorkbench();
      bench.source.failWith(new RangeError('unexpected'));
      bench.log.error = () => {
        throw new TypeError('the log broke');
      };
      expect(await rejectionOf(bench.reloads.reload('request', CONTEXT))).to.be.instanceOf(TypeError);
      expect((await bench.load([withKey(1)])).accountCount).to.equal(1);
    });
  });

  it('lets signing continue through many reloads, each request by the key of the returned public key', async () => {
    const bench = createReloadWorkbench({ clock: new BusyClock(6) });
    await bench.load([withKey(1)]);
    let isReloading = true;
    const reloading = (async () => {
      for (let number = 2; number < 8; number += 1) await bench.load([withKey(number)]);
      isReloading = false;
    })();

    const seen = new Set<string>();
    while (isReloading) {
      const result = acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
      expect(isValidSignature(result, Buffer.from('{"a":1}'))).to.equal(true);
      seen.add(result.publicKey);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await reloading;
    expect(seen.size).to.be.greaterThan(5);
  });

  describe('records', () => {
    it('what was loaded, at whose request, and how long it took', async () => {
      const bench = createReloadWorkbench();
      bench.contain([withKey(1)]);
      const release = bench.source.hold();
      const reloading = bench.reloads.reload('request', CONTEXT);
      await isSettled(reloading);
      bench.clock.advance(250);
      release();
      const result = acceptedValue(await reloading);
      expect(bench.registry.loadedAt).to.equal(result.reloadedAt);
      expect(result.keysDigest).to.match(/^sha256:[0-9a-f]{64}$/);
      expect(bench.sink.entries).to.have.length(1);
      expect(bench.sink.entries[0]).to.deep.include({
        event: 'reload',
        outcome: 'success',
        errorCode: null,
        correlationId: 'c-1',
        principal: 'desk-7',
        remoteAddress: '10.1.2.3',
        durationMs: 250,
        data: { trigger: 'request', ...result },
      });
    });

    it('all changes in one line, even where no list has space for all its entries', async () => {
      const bench = createReloadWorkbench();
      const long = (name: string, index: number, length = 128) => `${name}-${index}-`.padEnd(length, 'x');
      const list = <Item>(toItem: (index: number) => Item) => Array.from({ length: 25 }, (_, index) => toItem(index));
      const reload = async (name: string, max: string, rule: 'jcs' | 'raw', fields: Partial<FixedAccount>) => {
        const accounts = ['key', 'off', name].flatMap((account) =>
          list((index) =>
            sampleCredential({
              ...{ platformId: long('platform', 0), accountId: long(account, index), algorithm: 'eip191' },
              ...fields,
            }),
          ),
        );
        bench.contain(accounts, {
          platforms: ['platform', name].flatMap((platform) =>
            list((index) => samplePlatform({ platformId: long(platform, index), payload: { rule } })),
          ),
          permissions: list((index) => ({ principals: [long(name, index, 256)], operations: ['status'] })),
          policies: ['same', name].flatMap((policy) =>
            list((index) => ({
              ...{ name: long(policy, index, 64), accounts: ['*/*'], effect: 'allow' },
              when: max === '1' ? 'true' : 'false',
            })),
          ),
          budgets: ['same', name].flatMap((budget) =>
            list((index) => ({
              ...{ name: long(`b${budget}`, index, 64), accounts: ['*/*'], sum: '1', max, windowSeconds: 60 },
            })),
          ),
        });
        const context = { ...CONTEXT, principal: '\u2028'.repeat(1024) };
        return acceptedValue<ReloadResult>(await bench.reloads.reload('request', context));
      };
      await reload('old', '1', 'jcs', {});
      const off = { privateKey: samplePrivateKey(2), status: 'disabled', alias: 'Other' } as const;
      const result = await reload('new', '2', 'raw', off);
      const lists = [result.accounts, result.keys, result.platforms, result.policies, result.budgets];
      for (const { more } of lists) expect(Object.values(more).filter((count) => count > 0)).not.to.deep.equal([]);
      const entry = bench.sink.entries.at(-1) ?? expect.fail();
      const record = JSON.parse(chainEntry(entry, EMPTY_CHAIN).line);
      expect(record.data).to.deep.equal({ trigger: 'request', ...result });
    });

    it('nothing if records cannot be written, and then the reload changes nothing', async () => {
      const bench = new ReloadWorkbench({ makeSink: () => new FailingAuditSink() });
      bench.contain([withKey(1)]);
      const { code, details } = refusalOf(await bench.reloads.reload('request', CONTEXT));
      expect(code).to.equal('CONFIG_LOAD_FAILED');
      const message = 'the audit record of the reload could not be written';
      expect(details['issues']).to.deep.equal([{ path: '', message }]);
      expect(bench.aliases).to.deep.equal([]);
      expect([...bench.keys.held]).to.deep.equal([]);
      expect(bench.registry.lastReload?.isTransient).to.equal(true);
    });

    it('a reload before it takes effect and responds', async () => {
      const bench = new ReloadWorkbench({ makeSink: () => new DelayingAuditSink() });
      bench.contain([withKey(1)]);
      const reloading = bench.reloads.reload('signal', null);
      expect(await isSettled(reloading)).to.equal(false);
      expect(bench.aliases).to.deep.equal([]);
      bench.sink.succeed();
      acceptedValue(await reloading);
      expect(bench.aliases).to.deep.equal(['Alpha main']);
    });
  });
});
