import { expect } from 'chai';
import fc from 'fast-check';
import { EMPTY_CHAIN } from '../../../../src/adapters/audit/record/audit-record.ts';
import { chainEntry } from '../../../../src/adapters/audit/record/signed-record.ts';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { CredentialLoadError } from '../../../../src/domain/model/errors.ts';
import { RegistryLoader } from '../../../../src/domain/services/registry-loader.ts';
import { ReloadHistory, ReloadService } from '../../../../src/domain/services/reload-service.ts';
import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { sampleCredential, samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import type { FixedAccount } from '../../../doubles/fixed-credential-source.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { StagedCredentialSource } from '../../../doubles/staged-credential-source.ts';
import { TrackingKeyStore } from '../../../doubles/tracking-key-store.ts';
import { isSettled } from './is-settled.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { acceptedValue, refusalOf, rejectionOf } from './outcome-expectations.ts';
import { CONTEXT, SIGNERS, SigningWorkbench } from './signing-workbench.ts';

const PLATFORMS = [samplePlatform(), samplePlatform({ platformId: 'beta' })];

const REQUEST = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };

/** Alpha's main account with one of 255 keys. */
const withKey = (number: number) => sampleCredential({ privateKey: samplePrivateKey(number) });

class ReloadBench<Sink extends AuditSink = MemoryAuditSink> extends SigningWorkbench<Sink> {
  readonly source = new StagedCredentialSource();
  readonly history = new ReloadHistory();
  readonly keys: TrackingKeyStore;
  readonly reloads: ReloadService;

  /** Warnings about each new generation. */
  readonly cautions: string[] = [];

  constructor(sink: Sink, clock = new FixedClock(), maxRemoved: number | null = null) {
    const keys = new TrackingKeyStore();
    super({ makeSink: () => sink, keyStore: keys, clock });
    this.keys = keys;
    const loader = new RegistryLoader(this.source, keys, SIGNERS, clock, policyCompiler(), new NodeHasher());
    const { registry, audit, history, log, retiredKeys } = this;
    this.reloads = new ReloadService({
      ...{ registry, loader, keyStore: keys, retiredKeys, audit, hasher: new NodeHasher(), history, clock, log },
      getWarnings: async (loaded, replaced) =>
        this.cautions.map((caution) => `${replaced.accountCount} to ${loaded.accountCount} accounts: ${caution}`),
      maxRemoved,
    });
  }

  contain(...accounts: readonly FixedAccount[]): void {
    this.source.contain({ platforms: PLATFORMS, accounts });
  }

  /** Puts these accounts in force. */
  async load(...accounts: readonly FixedAccount[]) {
    this.contain(...accounts);
    return acceptedValue(await this.reloads.reload('request', CONTEXT));
  }

  get aliases(): readonly string[] {
    return this.registry.current.accounts().map(({ alias }) => alias);
  }
}

const reloadBench = () => new ReloadBench(new MemoryAuditSink());

describe('ReloadService', () => {
  it('logs the warnings about a generation once it is in force', async () => {
    const bench = reloadBench();
    const warnings = () => bench.log.events.filter(({ level }) => level === 'warn').map(({ message }) => message);
    await bench.load(withKey(1));
    expect(warnings()).to.deep.equal([]);
    bench.cautions.push('look here', 'and there');
    await bench.load(withKey(1), sampleCredential({ accountId: 'other' }));
    expect(warnings()).to.deep.equal(['1 to 2 accounts: look here', '1 to 2 accounts: and there']);
    bench.source.failWith(new CredentialLoadError('staged', [{ path: '', message: 'is wrong' }]));
    refusalOf(await bench.reloads.reload('request', CONTEXT));
    expect(warnings()).to.have.length(2);
  });

  it('wipes previous keys at once, even during a batch, which continues with the new ones', async () => {
    const clock = new BusyClock(3);
    const bench = new ReloadBench(new MemoryAuditSink(), clock);
    await bench.load(withKey(1));
    const [old = expect.fail()] = bench.keys.held;
    const [before] = bench.registry.current.accounts();
    clock.others = async () => {
      clock.others = async () => {};
      await bench.load(withKey(2));
      expect(bench.keys.discarded).to.deep.equal([old]);
    };
    const items = Array.from({ length: 10 }, (_, index) => ({ ...REQUEST, requestId: `r-${index}` }));
    const { results } = await bench.batches.signAll(items, CONTEXT);
    const [after] = bench.registry.current.accounts();
    const publicKeys = results.map(({ outcome }) => acceptedValue(outcome).publicKey);
    expect(publicKeys).to.include(before?.publicKey).and.to.include(after?.publicKey);
    expect(publicKeys).to.deep.equal(
      publicKeys.toSorted((left, right) => Number(left === after?.publicKey) - Number(right === after?.publicKey)),
    );
    expect(bench.keys.discarded).to.deep.equal([old]);
  });

  describe('a reload', () => {
    it('puts the current configuration in force, and reports its time and size', async () => {
      const bench = reloadBench();
      const result = await bench.load(withKey(1), sampleCredential({ accountId: 'spare' }));
      expect(result).to.deep.include({
        reloadedAt: '2026-11-20T08:49:00.000Z',
        changes: { added: 2, updated: 0, removed: 0 },
        accountCount: 2,
        platformCount: 2,
        configurationDigest: await bench.source.digest(),
      });
      expect(bench.registry.loadedAt).to.equal(result.reloadedAt);
      expect(bench.registry.current.accountCount).to.equal(2);
    });

    it('counts nothing if nothing changed, even when repeated', async () => {
      const bench = reloadBench();
      const accounts = [withKey(1), sampleCredential({ platformId: 'beta', algorithm: 'eip191' })];
      await bench.load(...accounts);
      for (let i = 0; i < 3; i += 1) {
        bench.clock.advance(60_000);
        const { changes, reloadedAt } = await bench.load(...accounts);
        expect(changes).to.deep.equal({ added: 0, updated: 0, removed: 0 });
        expect(reloadedAt).to.equal(`2026-11-20T08:${50 + i}:00.000Z`);
      }
    });

    const alterations: readonly Partial<FixedAccount>[] = [
      { alias: 'Other' },
      { status: 'disabled' },
      { environment: 'staging' },
      { createdAt: '2020-01-01T00:00:00.000Z' },
      { privateKey: samplePrivateKey(2) },
      { algorithm: 'eip191' },
    ];
    for (const fields of alterations) {
      it(`counts an account as updated when its ${Object.keys(fields)} changes`, async () => {
        const bench = reloadBench();
        await bench.load(withKey(1), sampleCredential({ accountId: 'spare' }));
        const { changes } = await bench.load({ ...withKey(1), ...fields }, sampleCredential({ accountId: 'spare' }));
        expect(changes).to.deep.equal({ added: 0, updated: 1, removed: 0 });
      });
    }

    it('counts no account as updated when its own public key is added to the configuration', async () => {
      const bench = reloadBench();
      await bench.load(withKey(1));
      const publicKey = bench.registry.current.account('alpha', 'main')?.publicKey ?? null;
      const { changes } = await bench.load({ ...withKey(1), publicKey });
      expect(changes).to.deep.equal({ added: 0, updated: 0, removed: 0 });
    });

    it('keeps keys with an unchanged revision, and opens and discards only the others', async () => {
      const bench = reloadBench();
      const named = (accountId: string, number: number, keyRevision: string) =>
        sampleCredential({ accountId, privateKey: samplePrivateKey(number), keyRevision });
      await bench.load(named('stays', 1, 'r1'), named('changes', 2, 'r2'), named('goes', 3, 'r3'));
      const [stays, changes, goes] = bench.registry.current.accounts();
      const { changes: counted } = await bench.load(named('stays', 1, 'r1'), named('changes', 4, 'r4'));
      expect(counted).to.deep.equal({ added: 0, updated: 1, removed: 1 });
      expect(bench.registry.current.account('alpha', 'stays')?.key).to.equal(stays?.key);
      expect(bench.keys.discarded).to.deep.equal([changes?.key.id, goes?.key.id]);
      expect([...bench.keys.held]).to.have.members(bench.registry.current.accounts().map(({ key }) => key.id));
      acceptedValue(await bench.signing.sign({ ...REQUEST, accountId: 'stays' }, CONTEXT));
    });

    it('keeps every key in force when the load fails after some were kept', async () => {
      const bench = reloadBench();
      const kept = sampleCredential({ accountId: 'stays', keyRevision: 'r1' });
      await bench.load(kept);
      const held = [...bench.keys.held];
      bench.contain(kept, sampleCredential({ publicKey: 'another' }));
      refusalOf(await bench.reloads.reload('request', CONTEXT));
      expect([...bench.keys.held]).to.deep.equal(held);
      acceptedValue(await bench.signing.sign({ ...REQUEST, accountId: 'stays' }, CONTEXT));
    });

    it('discards every previous key without a revision, and keeps every new key', async () => {
      const bench = reloadBench();
      await bench.load(withKey(1), sampleCredential({ accountId: 'spare' }));
      const before = bench.registry.current.accounts().map(({ key }) => key.id);
      await bench.load(withKey(1), sampleCredential({ accountId: 'third' }));
      expect(bench.keys.discarded).to.deep.equal(before);
      expect([...bench.keys.held]).to.deep.equal(bench.registry.current.accounts().map(({ key }) => key.id));
      expect(bench.source.openSets).to.equal(0);
    });

    it('agrees with a naive comparison, and keeps only keys in force, for any configurations', async () => {
      const account = fc.record({
        accountId: fc.constantFrom('a', 'b', 'c'),
        alias: fc.constantFrom('x', 'y'),
        privateKey: fc.constantFrom(1, 2).map(samplePrivateKey),
      });
      const configuration = fc
        .uniqueArray(account, { selector: ({ accountId }) => accountId })
        .map((list) => list.map((fields) => sampleCredential(fields)));
      await fc.assert(
        fc.asyncProperty(fc.array(configuration, { minLength: 1, maxLength: 4 }), async (course) => {
          const bench = reloadBench();
          let before = new Map<string, string>();
          for (const accounts of course) {
            const after = new Map(
              accounts.map(({ accountId, alias, privateKey }) => [accountId, `${alias} ${privateKey}`]),
            );
            const { changes, accountCount } = await bench.load(...accounts);
            expect(accountCount).to.equal(after.size);
            expect(changes).to.deep.equal({
              added: [...after.keys()].filter((id) => !before.has(id)).length,
              updated: [...after].filter(([id, facts]) => before.has(id) && before.get(id) !== facts).length,
              removed: [...before.keys()].filter((id) => !after.has(id)).length,
            });
            expect(bench.keys.held.size).to.equal(after.size);
            before = after;
          }
        }),
        { numRuns: 50 },
      );
    });
  });

  describe('a maximum share of accounts that a reload may remove', () => {
    const accounts = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        sampleCredential({ accountId: `account-${index}`, keyRevision: `r${index}` }),
      );
    const guarded = (share: number) => new ReloadBench(new MemoryAuditSink(), new FixedClock(), share);

    it('refuses and records a reload that would remove more, and changes nothing', async () => {
      const bench = guarded(0.5);
      await bench.load(...accounts(10));
      const [before, held] = [bench.registry.current, [...bench.keys.held]];
      bench.contain(...accounts(4), sampleCredential({ accountId: 'new' }));
      const { code, details } = refusalOf(await bench.reloads.reload('watch', null));
      expect(code).to.equal('CONFIG_LOAD_FAILED');
      expect(details['issues']).to.have.lengthOf(1);
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

    it('accepts a reload that removes exactly that share or adds others', async () => {
      const bench = guarded(0.5);
      await bench.load(...accounts(10));
      expect((await bench.load(...accounts(5))).changes.removed).to.equal(5);
      expect((await bench.load(...accounts(50))).changes.added).to.equal(45);
    });

    it('of 0 refuses every removal, but neither the first load nor additions', async () => {
      const bench = guarded(0);
      await bench.load(...accounts(2));
      await bench.load(...accounts(3));
      bench.contain(...accounts(2));
      refusalOf(await bench.reloads.reload('request', CONTEXT));
      expect(bench.registry.current.accountCount).to.equal(3);
    });
  });

  it('keeps the result of each load', async () => {
    const bench = reloadBench();
    await bench.load(withKey(1));
    expect(bench.history.last).to.deep.equal({
      at: '2026-11-20T08:49:00.000Z',
      trigger: 'request',
      outcome: 'success',
      issues: [],
      isTransient: false,
    });
    const issues = [{ path: '', message: 'there is no such file' }];
    bench.source.failWith(new CredentialLoadError('file', issues));
    bench.clock.advance(1000);
    refusalOf(await bench.reloads.reload('watch', null));
    expect(bench.history.last).to.deep.equal({
      at: '2026-11-20T08:49:01.000Z',
      trigger: 'watch',
      outcome: 'failed',
      issues,
      isTransient: false,
    });
    bench.source.failWith(new RangeError('unexpected'));
    refusalOf(await bench.reloads.reload('watch', null));
    expect(bench.history.last).to.deep.include({ outcome: 'failed', isTransient: true });
    expect(bench.history.counts).to.deep.equal({ succeeded: 1, failed: 2 });
  });

  describe('a configuration that cannot be loaded', () => {
    const failures: { readonly [what: string]: (bench: ReloadBench) => void } = {
      'because it cannot be read': ({ source }) =>
        source.failWith(new CredentialLoadError('file', [{ path: '', message: 'there is no such file' }])),
      'because a key is wrong': (bench) => bench.contain(withKey(3), sampleCredential({ publicKey: 'another' })),
      'for a reason that nobody expected': ({ source }) => source.failWith(new RangeError('/secret/path: 0xdeadbeef')),
      'because of a key, for a reason that nobody expected': (bench) => {
        bench.contain(withKey(3), withKey(4));
        bench.source.keyIssues.set('accounts[1]', { when: 'before', error: new RangeError('0xdeadbeef') });
      },
    };
    for (const [what, spoil] of Object.entries(failures)) {
      it(`${what} is refused with CONFIG_LOAD_FAILED and changes nothing`, async () => {
        const bench = reloadBench();
        await bench.load(withKey(1), sampleCredential({ accountId: 'spare' }));
        const before = {
          registry: bench.registry.current,
          loadedAt: bench.registry.loadedAt,
          held: [...bench.keys.held],
        };
        bench.clock.advance(60_000);
        spoil(bench);

        const { code, message, details } = refusalOf(await bench.reloads.reload('request', CONTEXT));
        expect(code).to.equal('CONFIG_LOAD_FAILED');
        expect(message).to.equal('The credentials file could not be loaded; nothing was changed.');
        expect(details['path']).to.equal('staged-credentials');
        expect(details['issues']).to.be.an('array').that.has.length(1);
        expect(`${message} ${JSON.stringify(details)}`).not.to.match(/secret|deadbeef/);

        expect(bench.registry.current).to.equal(before.registry);
        expect(bench.registry.loadedAt).to.equal(before.loadedAt);
        expect([...bench.keys.held]).to.deep.equal(before.held);
        expect(bench.source.openSets).to.equal(0);
        const result = acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
        expect(result.publicKey).to.equal(before.registry.account('alpha', 'main')?.publicKey);
      });
    }

    it('is refused with path and message of each issue', async () => {
      const bench = reloadBench();
      bench.contain(withKey(1), sampleCredential({ accountId: 'spare', publicKey: 'another' }));
      expect(refusalOf(await bench.reloads.reload('request', CONTEXT)).details).to.deep.equal({
        path: 'staged-credentials',
        issues: [
          {
            path: 'accounts[1].key',
            message: 'The key does not match the publicKey in the file. (account alpha/spare)',
          },
        ],
      });
    });

    it('is logged once a minute for one reason, with the number of loads, and at once for another', async () => {
      const { source, reloads, clock, log } = reloadBench();
      const issue = (message: string) => new CredentialLoadError('here', [{ path: 'accounts[0].key', message }]);
      const fail = (message: string, trigger: 'watch' | 'request' = 'watch') => {
        source.failWith(issue(message));
        return reloads.reload(trigger, null);
      };
      for (let nth = 0; nth < 50; nth += 1) await fail('must be sealed');
      await fail('must be present');
      clock.advance(60_000);
      await fail('must be sealed');
      const logged = log.events.filter(({ level }) => level === 'error');
      expect(logged.map(({ message }) => message)).to.deep.equal(Array(3).fill('Credentials could not be loaded.'));
      expect(logged.map(({ facts }) => facts['count'])).to.deep.equal([1, 1, 50]);
    });

    it('is logged for each signal, which an operator sends', async () => {
      const { source, reloads, log } = reloadBench();
      source.failWith(new CredentialLoadError('here', []));
      for (let nth = 0; nth < 3; nth += 1) await reloads.reload('signal', null);
      expect(log.events.filter(({ level }) => level === 'error')).to.have.length(3);
    });

    it('does not prevent the next load', async () => {
      const bench = reloadBench();
      for (const error of [new CredentialLoadError('file', []), new RangeError('unexpected')]) {
        bench.source.failWith(error);
        refusalOf(await bench.reloads.reload('signal', null));
        await bench.load(withKey(1));
        expect(bench.aliases).to.deep.equal(['Alpha main']);
      }
    });

    it('is refused if the keys are purged during the load', async () => {
      const bench = reloadBench();
      const release = bench.source.hold();
      bench.contain(withKey(1));
      const reloading = bench.reloads.reload('signal', null);
      await isSettled(reloading);
      bench.keys.purge();
      release();
      expect(refusalOf(await reloading).code).to.equal('CONFIG_LOAD_FAILED');
      expect(bench.source.openSets).to.equal(0);
    });

    it('leaves a service empty that has loaded nothing yet', async () => {
      const bench = reloadBench();
      bench.source.failWith(new CredentialLoadError('file', []));
      refusalOf(await bench.reloads.reload('signal', null));
      expect(bench.registry.loadedAt).to.equal(null);
      expect(refusalOf(await bench.signing.sign(REQUEST, CONTEXT)).code).to.equal('PLATFORM_NOT_SUPPORTED');
    });
  });

  describe('concurrent reloads', () => {
    it('run sequentially, and a later one sees changes made after an earlier one started', async () => {
      const bench = reloadBench();
      const release = bench.source.hold();
      bench.contain(sampleCredential({ alias: 'first' }));
      const first = bench.reloads.reload('request', CONTEXT);
      await isSettled(first);
      bench.contain(sampleCredential({ alias: 'second' }));
      const second = bench.reloads.reload('request', CONTEXT);
      expect(await isSettled(second)).to.equal(false);
      expect(bench.source.loads).to.equal(1);

      release();
      expect(acceptedValue(await first).changes).to.deep.equal({ added: 1, updated: 0, removed: 0 });
      expect(acceptedValue(await second).changes).to.deep.equal({ added: 0, updated: 1, removed: 0 });
      expect(bench.source.loads).to.equal(2);
      expect(bench.aliases).to.deep.equal(['second']);
      expect(bench.keys.held.size).to.equal(1);
    });

    it('run even if another one fails', async () => {
      const bench = reloadBench();
      const release = bench.source.hold();
      bench.source.failWith(new RangeError('unexpected'));
      const first = bench.reloads.reload('request', CONTEXT);
      await isSettled(first);
      bench.contain(withKey(1));
      const second = bench.reloads.reload('request', CONTEXT);
      release();
      expect(refusalOf(await first).code).to.equal('CONFIG_LOAD_FAILED');
      expect(acceptedValue(await second).accountCount).to.equal(1);
    });

    it('run again after an unexpected error', async () => {
      const bench = reloadBench();
      bench.source.failWith(new RangeError('unexpected'));
      bench.log.error = () => {
        throw new TypeError('the log broke');
      };
      expect(await rejectionOf(bench.reloads.reload('request', CONTEXT))).to.be.instanceOf(TypeError);
      bench.contain(withKey(1));
      expect(acceptedValue(await bench.reloads.reload('request', CONTEXT)).accountCount).to.equal(1);
    });

    it('share the next run, whatever their number, and leave one generation and its keys', async () => {
      const bench = reloadBench();
      const release = bench.source.hold();
      bench.contain(withKey(1), sampleCredential({ accountId: 'spare' }));
      const first = bench.reloads.reload('request', CONTEXT);
      await isSettled(first);
      const later = Array.from({ length: 10 }, () => bench.reloads.reload('request', CONTEXT));
      release();
      expect(acceptedValue(await first).changes.added).to.equal(2);
      const outcomes = await Promise.all(later);
      expect(outcomes.map((outcome) => acceptedValue(outcome).changes.added)).to.deep.equal(Array(10).fill(0));
      expect(bench.source.loads).to.equal(2);
      expect([...bench.keys.held]).to.deep.equal(bench.registry.current.accounts().map(({ key }) => key.id));
    });
  });

  describe('signing continues', () => {
    it('with the current generation while the next one loads, and with the next one right after', async () => {
      const bench = reloadBench();
      await bench.load(withKey(1));
      const before = bench.registry.current.account('alpha', 'main')?.publicKey;
      const release = bench.source.hold();
      bench.contain(withKey(2));
      const reloading = bench.reloads.reload('request', CONTEXT);
      await isSettled(reloading);
      expect(acceptedValue(await bench.signing.sign(REQUEST, CONTEXT)).publicKey).to.equal(before);

      release();
      acceptedValue(await reloading);
      const after = acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
      expect(after.publicKey).not.to.equal(before);
      expect(isValidSignature(after, Buffer.from('{"a":1}'))).to.equal(true);
    });

    it('through many reloads, each request by the key of the returned public key', async () => {
      const bench = new ReloadBench(new MemoryAuditSink(), new BusyClock(6));
      await bench.load(withKey(1), sampleCredential({ platformId: 'beta', algorithm: 'eip191' }));
      let isReloading = true;
      const reloading = (async () => {
        for (let round = 2; round < 12; round += 1) {
          await bench.load(
            withKey(round),
            sampleCredential({ platformId: 'beta', algorithm: 'eip191', privateKey: samplePrivateKey(round) }),
          );
        }
        isReloading = false;
      })();

      const seen = new Set<string>();
      while (isReloading) {
        const outcomes = await Promise.all([
          bench.signing.sign(REQUEST, CONTEXT),
          bench.signing.sign({ ...REQUEST, platformId: 'beta' }, CONTEXT),
        ]);
        for (const outcome of outcomes) {
          const result = acceptedValue(outcome);
          expect(isValidSignature(result, Buffer.from('{"a":1}'))).to.equal(true);
          seen.add(result.publicKey);
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
      await reloading;
      expect(seen.size).to.be.greaterThan(10);
    });
  });

  describe('records', () => {
    it('what was loaded, at whose request, and how long it took', async () => {
      const bench = reloadBench();
      bench.contain(withKey(1));
      const release = bench.source.hold();
      const reloading = bench.reloads.reload('request', CONTEXT);
      await isSettled(reloading);
      bench.clock.advance(250);
      release();
      const result = acceptedValue(await reloading);
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
      expect(bench.log.events.map(({ level, facts }) => [level, facts])).to.deep.equal([
        ['info', { trigger: 'request', ...result }],
      ]);
    });

    it('all changes in one line, even with full lists and names of maximum length', async () => {
      const bench = reloadBench();
      const long = (name: string, index: number) => `${name}-${index}-`.padEnd(128, 'x');
      const many = (name: string, count: number, fields: Partial<FixedAccount> = {}) =>
        Array.from({ length: count }, (_, index) =>
          sampleCredential({
            ...{ platformId: long('platform', 0), accountId: long(name, index), algorithm: 'eip191' },
            ...fields,
          }),
        );
      const contain = (names: readonly string[], rule: 'jcs' | 'raw', ...accounts: readonly FixedAccount[]) => {
        const platforms = ['platform', ...names].flatMap((name) =>
          Array.from({ length: 25 }, (_, index) =>
            samplePlatform({ platformId: long(name, index), payload: { rule } }),
          ),
        );
        bench.source.contain({ platforms, accounts });
        return bench.reloads.reload('signal', null);
      };
      const off = { status: 'disabled' } as const;
      acceptedValue(
        await contain(
          ['old'],
          'jcs',
          ...many('goes', 25),
          ...many('key', 25),
          ...many('off', 25),
          ...many('on', 25, off),
        ),
      );
      const another = { privateKey: samplePrivateKey(2) };
      const outcome = await contain(
        ['new'],
        'raw',
        ...many('comes', 25),
        ...many('key', 25, another),
        ...many('off', 25, off),
        ...many('on', 25),
      );
      const { accounts, platforms } = acceptedValue(outcome);
      expect(accounts.more).to.include({ added: 5, removed: 5, disabled: 5, enabled: 5, changed: 55 });
      expect(accounts.rekeyed.length + accounts.more.rekeyed).to.equal(25);
      expect(platforms.more).to.deep.equal({ added: 5, removed: 5, changed: 5 });
      const entry = bench.sink.entries.at(-1) ?? expect.fail();
      const record = JSON.parse(chainEntry(entry, EMPTY_CHAIN).line);
      expect(record.data).to.deep.equal({ trigger: 'signal', ...acceptedValue(outcome) });
    });

    it('all changes in one line, even where no list has space for all its entries', async () => {
      const bench = reloadBench();
      const long = (name: string, index: number, length = 128) => `${name}-${index}-`.padEnd(length, 'x');
      const list = <Item>(toItem: (index: number) => Item) => Array.from({ length: 25 }, (_, index) => toItem(index));
      const contain = (name: string, max: string, rule: 'jcs' | 'raw', fields: Partial<FixedAccount>) => {
        const accounts = ['key', 'off', name].flatMap((account) =>
          list((index) =>
            sampleCredential({
              ...{ platformId: long('platform', 0), accountId: long(account, index), algorithm: 'eip191' },
              ...fields,
            }),
          ),
        );
        bench.source.contain({
          platforms: ['platform', name].flatMap((platform) =>
            list((index) => samplePlatform({ platformId: long(platform, index), payload: { rule } })),
          ),
          accounts,
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
        return bench.reloads.reload('request', { ...CONTEXT, principal: '\u2028'.repeat(1024) });
      };
      acceptedValue(await contain('old', '1', 'jcs', {}));
      const off = { privateKey: samplePrivateKey(2), status: 'disabled', alias: 'Other' } as const;
      const result = acceptedValue(await contain('new', '2', 'raw', off));
      const lists = [result.accounts, result.keys, result.platforms, result.policies, result.budgets];
      for (const { more } of lists) expect(Object.values(more).filter((count) => count > 0)).not.to.deep.equal([]);
      const entry = bench.sink.entries.at(-1) ?? expect.fail();
      const record = JSON.parse(chainEntry(entry, EMPTY_CHAIN).line);
      expect(record.data).to.deep.equal({ trigger: 'request', ...result });
    });

    it('the number of entries in the permissions list, if one exists', async () => {
      const bench = reloadBench();
      for (const permissions of [[], [{ principals: ['anonymous'], operations: ['reload'] as const }]]) {
        bench.source.contain({ platforms: PLATFORMS, accounts: [], permissions });
        acceptedValue(await bench.reloads.reload('signal', null));
        expect(bench.sink.entries.at(-1)?.data).to.include({ permissionCount: permissions.length });
      }
    });

    it('a failed load with its issues, and logs the reason', async () => {
      const bench = reloadBench();
      const cause = new RangeError('unexpected');
      bench.source.failWith(cause);
      await bench.reloads.reload('signal', null);
      expect(bench.sink.entries).to.have.length(1);
      expect(bench.sink.entries[0]).to.deep.include({
        event: 'reload',
        outcome: 'failed',
        errorCode: 'CONFIG_LOAD_FAILED',
        data: {
          trigger: 'signal',
          issues: [
            {
              path: '',
              message: 'could not be loaded because of an unexpected error; the service log has the cause',
            },
          ],
        },
        correlationId: null,
        principal: null,
        remoteAddress: null,
      });
      expect(bench.log.events.map(({ level }) => level)).to.deep.equal(['error']);
      expect(bench.log.events[0]?.facts['cause']).to.equal(cause);
    });

    it('nothing if records cannot be written, and then the reload changes nothing', async () => {
      const bench = new ReloadBench(new FailingAuditSink());
      bench.contain(withKey(1));
      const refusal = refusalOf(await bench.reloads.reload('request', CONTEXT));
      expect(refusal.code).to.equal('CONFIG_LOAD_FAILED');
      expect(refusal.details['issues']).to.deep.equal([
        { path: '', message: 'the audit record of the reload could not be written' },
      ]);
      expect(bench.aliases).to.deep.equal([]);
      expect([...bench.keys.held]).to.deep.equal([]);
      expect(bench.log.events.map(({ message }) => message)).to.deep.equal([
        'Audit records could not be written; their results are withheld.',
        'Credentials could not be loaded.',
      ]);
    });

    it('a reload before it takes effect and responds', async () => {
      const bench = new ReloadBench(new DelayingAuditSink());
      bench.contain(withKey(1));
      const reloading = bench.reloads.reload('signal', null);
      expect(await isSettled(reloading)).to.equal(false);
      expect(bench.aliases).to.deep.equal([]);
      bench.sink.succeed();
      acceptedValue(await reloading);
    });
  });
});
