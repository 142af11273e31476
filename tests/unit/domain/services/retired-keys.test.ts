import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { Registry } from '../../../../src/domain/model/registry.ts';
import { RegistryLoader } from '../../../../src/domain/services/registry-loader.ts';
import { ReloadHistory, ReloadService } from '../../../../src/domain/services/reload-service.ts';
import { sampleCredential, samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import type { FixedAccount, FixedConfiguration } from '../../../doubles/fixed-credential-source.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { StagedCredentialSource } from '../../../doubles/staged-credential-source.ts';
import { TrackingKeyStore } from '../../../doubles/tracking-key-store.ts';
import { acceptedValue } from './outcome-expectations.ts';
import { CONTEXT, SIGNERS, SigningWorkbench } from './signing-workbench.ts';

const PLATFORM = samplePlatform({ verify: { mac: true } });
const BUDGET = { name: 'count', accounts: ['alpha/*'], sum: '1', max: 100, windowSeconds: 3600 };
const REQUEST = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };
const OVERLAP = 60;

/** A workbench whose configuration is loaded by reloads. */
class OverlapBench extends SigningWorkbench {
  readonly source = new StagedCredentialSource();
  readonly keys: TrackingKeyStore;
  readonly #reloads: ReloadService;

  constructor() {
    const clock = new FixedClock();
    const keys = new TrackingKeyStore();
    super({ makeSink: (usage) => new MemoryAuditSink(usage), keyStore: keys, clock });
    this.keys = keys;
    const loader = new RegistryLoader(this.source, keys, SIGNERS, clock, policyCompiler(), new NodeHasher());
    const { registry, audit, log, retiredKeys } = this;
    this.#reloads = new ReloadService({
      ...{
        registry,
        loader,
        keyStore: keys,
        retiredKeys,
        audit,
        hasher: new NodeHasher(),
        history: new ReloadHistory(),
        clock,
        log,
      },
      maxRemoved: null,
    });
  }

  /** Puts this account in force, with a budget so that each signature continues in a later tick. */
  async load(account: FixedAccount, others: Partial<FixedConfiguration> = {}): Promise<void> {
    this.source.contain({ platforms: [PLATFORM], accounts: [account], budgets: [BUDGET], ...others });
    acceptedValue(await this.#reloads.reload('request', CONTEXT));
  }

  /** Signs while `change` happens between the charge and the signature. */
  async signDuring(change: () => Promise<void>) {
    this.budgets.onCharge = async () => {
      this.budgets.onCharge = () => undefined;
      await change();
    };
    return acceptedValue(await this.signing.sign(REQUEST, CONTEXT));
  }

  async isValid(signature: string): Promise<boolean> {
    return acceptedValue(await this.verification.verify({ ...REQUEST, signature }, CONTEXT)).valid;
  }

  /** Key ids of the records of signatures. */
  get signKeyIds(): readonly (string | null)[] {
    return this.sink.entries.filter(({ event }) => event === 'sign').map(({ keyId }) => keyId);
  }

  get publicKey(): string | undefined {
    return this.registry.current.account('alpha', 'main')?.publicKey;
  }
}

const keyIdOf = (publicKey: string) => createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
const withKey = (number: number, fields: Partial<FixedAccount> = {}) =>
  sampleCredential({ privateKey: samplePrivateKey(number), ...fields });
const overlapping = (number: number, fields: Partial<FixedAccount> = {}) =>
  withKey(number, { overlapSeconds: OVERLAP, ...fields });

describe('A replaced key', () => {
  let bench: OverlapBench;
  let first = '';
  let oldKey = '';

  beforeEach(async () => {
    bench = new OverlapBench();
    await bench.load(withKey(1));
    first = bench.publicKey ?? '';
    [oldKey = ''] = bench.keys.held;
  });

  it('is wiped at once without an overlap: a charged request is checked again and gets the new key', async () => {
    const { publicKey } = await bench.signDuring(() => bench.load(withKey(2)));
    expect(publicKey).to.equal(bench.publicKey).and.not.equal(first);
    expect(bench.keys.discarded).to.deep.equal([oldKey]);
  });

  it('finishes a charged request in its overlap, and signs no later one', async () => {
    const { publicKey, signature } = await bench.signDuring(() => bench.load(overlapping(2)));
    expect(publicKey).to.equal(first);
    expect(bench.keys.discarded).to.deep.equal([]);
    expect(await bench.isValid(signature)).to.equal(true);
    expect(bench.sink.entries.at(-1)?.keyId).to.equal(keyIdOf(first));
    expect(bench.signKeyIds).to.deep.equal([keyIdOf(first)]);
    const later = acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
    expect(later.publicKey).to.equal(bench.publicKey).and.not.equal(first);
    expect(bench.signKeyIds).to.deep.equal([keyIdOf(first), keyIdOf(later.publicKey)]);
  });

  it('is wiped when its overlap is over, and its signatures no longer verify', async () => {
    const { signature } = acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
    await bench.load(overlapping(2));
    bench.clock.advance(OVERLAP * 1000 - 1);
    bench.retiredKeys.wipeExpired();
    expect(await bench.isValid(signature)).to.equal(true);
    expect(bench.keys.discarded).to.deep.equal([]);
    bench.clock.advance(1);
    expect(await bench.isValid(signature)).to.equal(false);
    bench.retiredKeys.wipeExpired();
    expect(bench.keys.discarded).to.deep.equal([oldKey]);
    expect(bench.retiredKeys.size).to.equal(0);
  });

  it('is wiped without a request when its overlap is over', async () => {
    await bench.load(overlapping(2));
    bench.clock.advance(OVERLAP * 1000);
    bench.retiredKeys.wipeExpired();
    expect(bench.keys.discarded).to.deep.equal([oldKey]);
  });

  it('stays through later reloads that do not concern it', async () => {
    await bench.load(overlapping(2));
    await bench.load(overlapping(2, { alias: 'Another label' }));
    expect(bench.keys.held.has(oldKey)).to.equal(true);
    expect(bench.retiredKeys.size).to.equal(1);
  });

  const ends: { readonly [end: string]: (one: OverlapBench) => Promise<void> } = {
    'the account is disabled': (one) => one.load(overlapping(2, { status: 'disabled' })),
    'its platform is disabled': (one) => one.load(overlapping(2), { platforms: [{ ...PLATFORM, status: 'disabled' }] }),
    'the account is removed': (one) => one.load(withKey(3, { accountId: 'other' })),
    'the account gets another key without an overlap': (one) => one.load(withKey(3)),
    'the account gets another key with an overlap': (one) => one.load(overlapping(3)),
  };
  for (const [end, change] of Object.entries(ends)) {
    it(`is wiped at once when ${end}`, async () => {
      await bench.load(overlapping(2));
      await change(bench);
      expect(bench.keys.discarded).to.include(oldKey);
      expect(bench.keys.held.has(oldKey)).to.equal(false);
    });
  }

  const otherwise: { readonly [change: string]: Partial<FixedConfiguration> } = {
    'the policies': { policies: [{ name: 'p', accounts: ['alpha/*'], effect: 'allow', when: 'true' }] },
    'the permissions': { permissions: [{ principals: ['*', 'anonymous'], operations: ['*'], accounts: ['*/*'] }] },
    'the budgets': { budgets: [{ ...BUDGET, max: 99 }] },
    'the platform': { platforms: [{ ...PLATFORM, audit: { clear: ['a'] } }] },
  };
  for (const [change, others] of Object.entries(otherwise)) {
    it(`does not finish a charged request if the same reload changes ${change}`, async () => {
      const { publicKey } = await bench.signDuring(() => bench.load(overlapping(2), others));
      expect(publicKey).to.equal(bench.publicKey).and.not.equal(first);
    });
  }

  it('of an HMAC account also verifies with its previous fixed values', async () => {
    const rule = { rule: 'prehash', template: '{account.apiKey}{data.a}' } as const;
    const platforms = [samplePlatform({ verify: { mac: true }, payload: rule })];
    const mac = (number: number, apiKey: string, fields: Partial<FixedAccount> = {}) =>
      withKey(number, { algorithm: 'hmac-sha256', values: { apiKey }, ...fields });
    await bench.load(mac(4, 'old'), { platforms });
    const { signature } = acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
    await bench.load(mac(5, 'new', { overlapSeconds: OVERLAP }), { platforms });
    expect(await bench.isValid(signature)).to.equal(true);
    expect(await bench.isValid(signature.replace(/./, (digit) => (digit === '0' ? '1' : '0')))).to.equal(false);
    bench.clock.advance(OVERLAP * 1000);
    expect(await bench.isValid(signature)).to.equal(false);
  });

  it('is not kept for an account of another algorithm', () => {
    const account = bench.registry.current.account('alpha', 'main') ?? expect.fail();
    const after = new Registry([PLATFORM], [{ ...account, algorithm: 'eip191', overlapSeconds: OVERLAP }]);
    expect(bench.retiredKeys.retire([account], after)).to.deep.equal([account]);
  });
});
