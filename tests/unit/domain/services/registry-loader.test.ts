import { expect } from 'chai';
import fc from 'fast-check';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { CredentialLoadError, type Issue } from '../../../../src/domain/model/errors.ts';
import { EMPTY_REGISTRY, type Registry } from '../../../../src/domain/model/registry.ts';
import { RegistryLoader } from '../../../../src/domain/services/registry-loader.ts';
import type { SignerTable } from '../../../../src/ports/signer.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { sampleCredential, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import type { FixedAccount, FixedConfiguration } from '../../../doubles/fixed-credential-source.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { StagedCredentialSource } from '../../../doubles/staged-credential-source.ts';
import { TrackingKeyStore } from '../../../doubles/tracking-key-store.ts';
import { rejectionOf } from './outcome-expectations.ts';
import { PLATFORMS } from './reload-workbench.ts';
import { SIGNERS } from './signing-workbench.ts';

const NOW = '2026-11-20T08:49:00.000Z';
const LATER = '2027-01-01T00:00:00.000Z';

/** Invalid for secp256k1. */
const ZERO_KEY = new Uint8Array(32);

const MISMATCH = 'The key does not match the publicKey in the file.';

function setUp(accounts: readonly FixedAccount[], signers: SignerTable = SIGNERS, clock = new FixedClock()) {
  const source = new StagedCredentialSource({ platforms: PLATFORMS, accounts });
  const keyStore = new TrackingKeyStore();
  const loader = new RegistryLoader({
    source,
    keyStore,
    signers,
    clock,
    compiler: policyCompiler(),
    hasher: new NodeHasher(),
  });
  const contain = (changed: readonly FixedAccount[], others: Partial<FixedConfiguration> = {}) =>
    source.contain({ platforms: PLATFORMS, accounts: changed, ...others });
  return { source, keyStore, loader, contain };
}

/** `count` accounts with distinct keys. */
function numbered(count: number, fields: Partial<FixedAccount> = {}): readonly FixedAccount[] {
  return Array.from({ length: count }, (_, index) =>
    sampleCredential({ accountId: `account-${index}`, privateKey: samplePrivateKey(index + 1), ...fields }),
  );
}

async function issuesOf(load: Promise<Registry>): Promise<readonly Issue[]> {
  const error = await rejectionOf(load);
  expect(error).to.be.instanceOf(CredentialLoadError);
  return (error as CredentialLoadError).issues;
}

const pathsOf = (issues: readonly Issue[]) => issues.map(({ path }) => path);

describe('RegistryLoader', () => {
  it('yields to other work while loading accounts and permissions', async () => {
    const permissions = Array.from({ length: 20 }, (_, index) => ({
      ...{ principals: [`bot-${index}`], operations: ['status'] as const },
    }));
    for (const configuration of [{ accounts: numbered(20) }, { accounts: [], permissions }]) {
      const clock = new BusyClock(3);
      const { loader, contain } = setUp([], SIGNERS, clock);
      contain(configuration.accounts, configuration);
      await loader.load(EMPTY_REGISTRY, NOW);
      expect(clock.turns).to.be.at.least(5);
    }
  });

  it('finds each previous account at any index, keeping its key and creation time', async () => {
    // Key files from one template: the same revision for every account.
    const accounts = numbered(6, { keyRevision: 'r1' });
    const sameOnBeta = sampleCredential({ platformId: 'beta', accountId: 'account-0', keyRevision: 'r1' });
    const { loader, contain, keyStore } = setUp(accounts);
    const first = await loader.load(EMPTY_REGISTRY, NOW);
    let previous = first;
    for (const order of [
      [sameOnBeta, ...accounts],
      accounts.toReversed(),
      [...accounts.slice(3), sameOnBeta, ...accounts.slice(0, 3)],
    ]) {
      contain(order);
      previous = await loader.load(previous, LATER);
      for (const { platformId, accountId } of accounts) {
        expect(previous.account(platformId, accountId), accountId).to.equal(first.account(platformId, accountId));
      }
    }
    expect(previous.account('beta', 'account-0')?.createdAt).to.equal(LATER);
    // The account of beta was added, removed and added again.
    expect(keyStore.held.size).to.equal(8);
  });

  describe('keeps the key of a previously loaded account', () => {
    const BEFORE = sampleCredential({ keyRevision: 'r1' });
    const reload = async (account: FixedAccount) => {
      const { loader, contain, keyStore } = setUp([BEFORE]);
      const previous = await loader.load(EMPTY_REGISTRY, NOW);
      contain([account]);
      const next = await loader.load(previous, LATER);
      return { before: previous.accounts()[0], after: next.accounts()[0], keyStore };
    };

    it('without opening it, if its key revision is unchanged, whatever else changed', async () => {
      const changed = {
        ...({ alias: 'Other', status: 'disabled', overlapSeconds: 9, values: { a: 'b' } } as const),
        createdAt: '2026-01-02T03:04:05.678Z',
      };
      const { before, after, keyStore } = await reload({ ...BEFORE, ...changed });
      expect(after).to.deep.equal({ ...before, ...changed });
      expect(keyStore.held.size).to.equal(1);
    });

    const others: { readonly [what: string]: FixedAccount } = {
      'another name for it': { ...BEFORE, keyRevision: 'r2', privateKey: samplePrivateKey(2) },
      'no name for it': sampleCredential(),
      'another algorithm': { ...BEFORE, algorithm: 'eip191' },
    };
    for (const [what, account] of Object.entries(others)) {
      it(`but not with ${what}`, async () => {
        const { before, after, keyStore } = await reload(account);
        expect(after?.key).to.not.equal(before?.key);
        expect(after?.createdAt).to.equal(NOW);
        expect(keyStore.held.size).to.equal(2);
      });
    }

    it('and rejects it with a public key that does not match', async () => {
      expect(pathsOf(await issuesOf(reload({ ...BEFORE, publicKey: 'another' }).then(() => EMPTY_REGISTRY))))
        .to //
        .deep.equal(['accounts[0].key']);
    });
  });

  describe('a load that fails', () => {
    it('reports each issue, in the order of the configuration, and nothing of any key', async () => {
      const { loader, source } = setUp([
        ...numbered(1),
        sampleCredential({ accountId: 'zero', algorithm: 'eip191', privateKey: ZERO_KEY }),
        sampleCredential({ accountId: 'short', privateKey: new Uint8Array(31).fill(0xab) }),
        sampleCredential({ accountId: 'unreadable' }),
        sampleCredential({ accountId: 'mismatch', publicKey: 'another', privateKey: new Uint8Array(32).fill(0xab) }),
      ]);
      const issue = { path: 'accounts[3].key.file', message: 'is not there' };
      source.keyIssues.set('accounts[3]', { when: 'before', error: new CredentialLoadError('file', [issue]) });
      const issues = await issuesOf(loader.load(EMPTY_REGISTRY, NOW));
      expect(pathsOf(issues)).to.deep.equal([
        'accounts[1].key',
        'accounts[2].key',
        'accounts[3].key.file',
        'accounts[4].key',
      ]);
      expect(issues[2]?.message).to.equal('is not there (account alpha/unreadable)');
      expect(issues[3]?.message).to.equal(`${MISMATCH} (account alpha/mismatch)`);
      expect(JSON.stringify(issues)).not.to.match(/abab|171|q6ur/i);
    });

    it('reports an issue of many accounts once, with the first of them and their number', async () => {
      expect(
        await issuesOf(setUp(numbered(200, { publicKey: 'another' })).loader.load(EMPTY_REGISTRY, NOW)),
      ).to.deep.equal([
        {
          path: 'accounts[0].key',
          message: `${MISMATCH} (200 of 200 accounts: alpha/account-0, alpha/account-1, alpha/account-2 and 197 more)`,
        },
      ]);
    });

    it('reports at most 20 different issues, and the number of others', async () => {
      const { loader, source } = setUp(numbered(1));
      const several = Array.from({ length: 25 }, (_, index) => ({ path: `fault ${index}`, message: 'is wrong' }));
      source.keyIssues.set('accounts[0]', { when: 'before', error: new CredentialLoadError('file', several) });
      const issues = await issuesOf(loader.load(EMPTY_REGISTRY, NOW));
      expect(issues).to.deep.equal([...several.slice(0, 20), { path: '', message: 'and 5 more issues' }]);
    });

    for (const when of ['before', 'after'] as const) {
      for (const error of [
        new RangeError('unexpected'),
        new CredentialLoadError('file', [{ path: 'p', message: 'm' }]),
      ]) {
        it(`passes on a ${error.name} ${when} a key is used, and keeps no key and no open source`, async () => {
          const { loader, source, keyStore } = setUp(numbered(3));
          source.keyIssues.set('accounts[2]', { when, error });
          const rejection = await rejectionOf(loader.load(EMPTY_REGISTRY, NOW));
          expect(rejection).to.be.instanceOf(error.constructor);
          expect(keyStore.discarded).to.have.length(when === 'before' ? 2 : 3);
          expect(keyStore.held.size).to.equal(0);
          expect(source.openSets).to.equal(0);
        });
      }
    }

    it('discards exactly the keys that it created, each once, whichever accounts are invalid', async () => {
      const spoilt: { readonly [kind: string]: (account: FixedAccount) => FixedAccount } = {
        none: (account) => account,
        mismatch: (account) => ({ ...account, publicKey: 'another' }),
        short: (account) => ({ ...account, privateKey: new Uint8Array(31) }),
        zero: (account) => ({ ...account, algorithm: 'eip191', privateKey: ZERO_KEY }),
      };
      const kind = fc.constantFrom(...Object.keys(spoilt));
      await fc.assert(
        fc.asyncProperty(fc.array(kind, { minLength: 1, maxLength: 8 }), async (kinds) => {
          const { loader, contain, keyStore } = setUp(numbered(2));
          const previous = await loader.load(EMPTY_REGISTRY, NOW);
          const kept = [...keyStore.held];
          contain(numbered(kinds.length).map((account, index) => spoilt[kinds[index] ?? '']?.(account) ?? account));
          const wrong = kinds.flatMap((each, index) => (each === 'none' ? [] : [`accounts[${index}].key`]));
          if (wrong.length === 0) {
            const registry = await loader.load(previous, NOW);
            expect([...keyStore.held]).to.deep.equal([...kept, ...registry.accounts().map(({ key }) => key.id)]);
            return;
          }
          const issues = await issuesOf(loader.load(previous, NOW));
          expect(issues[0]?.path).to.equal(wrong[0]);
          expect([...keyStore.held]).to.deep.equal(kept);
          expect(new Set(keyStore.discarded).size).to.equal(keyStore.discarded.length);
          expect(keyStore.discarded.filter((id) => kept.includes(id))).to.deep.equal([]);
        }),
        { numRuns: 50 },
      );
    });
  });
});
