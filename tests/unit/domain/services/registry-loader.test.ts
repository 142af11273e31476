import { expect } from 'chai';
import { computeAddress } from 'ethers';
import fc from 'fast-check';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { CredentialLoadError } from '../../../../src/domain/model/errors.ts';
import type { Issue } from '../../../../src/domain/model/refusal.ts';
import { EMPTY_REGISTRY, type Registry } from '../../../../src/domain/model/registry.ts';
import { RegistryLoader } from '../../../../src/domain/services/registry-loader.ts';
import type { SignerTable } from '../../../../src/ports/signer.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { sampleCredential, samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import type { FixedAccount } from '../../../doubles/fixed-credential-source.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { StagedCredentialSource } from '../../../doubles/staged-credential-source.ts';
import { TrackingKeyStore } from '../../../doubles/tracking-key-store.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { rejectionOf } from './outcome-expectations.ts';
import { SIGNERS } from './signing-workbench.ts';

const NOW = '2026-11-20T08:49:00.000Z';
const PLATFORMS = [samplePlatform(), samplePlatform({ platformId: 'beta' })];

/** Invalid for secp256k1. */
const ZERO_KEY = new Uint8Array(32);

function setUp(accounts: readonly FixedAccount[], signers: SignerTable = SIGNERS, clock = new FixedClock()) {
  const source = new StagedCredentialSource({ platforms: PLATFORMS, accounts });
  const keyStore = new TrackingKeyStore();
  const loader = new RegistryLoader(source, keyStore, signers, clock, policyCompiler(), new NodeHasher());
  return { source, keyStore, loader };
}

/** `count` accounts with distinct keys. */
function numbered(count: number): readonly FixedAccount[] {
  return Array.from({ length: count }, (_, index) =>
    sampleCredential({ accountId: `account-${index}`, privateKey: samplePrivateKey(index + 1) }),
  );
}

async function issuesOf(load: Promise<Registry>): Promise<readonly Issue[]> {
  const error = await rejectionOf(load);
  expect(error).to.be.instanceOf(CredentialLoadError);
  return (error as CredentialLoadError).issues;
}

const pathsOf = (issues: readonly Issue[]) => issues.map(({ path }) => path);

describe('RegistryLoader', () => {
  it('returns the location of the configuration', () => {
    expect(setUp([]).loader.location).to.equal('staged-credentials');
  });

  it('yields to other work while loading', async () => {
    const clock = new BusyClock(3);
    await setUp(numbered(20), SIGNERS, clock).loader.load(EMPTY_REGISTRY, NOW);
    expect(clock.turns).to.be.at.least(5);
  });

  it('loads permissions with the accounts, allowing every caller everything without a list', async () => {
    const { source, loader } = setUp(numbered(1));
    const first = await loader.load(EMPTY_REGISTRY, NOW);
    expect(first.permissions.allowsOn(null, 'sign', 'alpha', 'account-0')).to.equal(true);

    const accounts = numbered(1);
    source.contain({ platforms: PLATFORMS, accounts, permissions: [] });
    const second = await loader.load(first, NOW);
    expect(second.permissions.allowsOn('bot-7', 'sign', 'alpha', 'account-0')).to.equal(false);

    const operations = ['sign'] as const;
    source.contain({
      platforms: PLATFORMS,
      accounts,
      permissions: [{ principals: ['bot-*'], accounts: ['alpha/*'], operations }],
    });
    const third = await loader.load(second, NOW);
    expect(third.permissions.allowsOn('bot-7', 'sign', 'alpha', 'account-0')).to.equal(true);
    expect(third.permissions.allowsOn('desk-7', 'sign', 'alpha', 'account-0')).to.equal(false);
    // Permissions in force stay unchanged.
    expect(second.permissions.allowsOn('bot-7', 'sign', 'alpha', 'account-0')).to.equal(false);
  });

  it('yields to other work while loading a long permissions list', async () => {
    const clock = new BusyClock(3);
    const { source, loader } = setUp([], SIGNERS, clock);
    const permissions = Array.from({ length: 50 }, (_, index) => ({
      principals: [`bot-${index}`],
      operations: ['status'] as const,
    }));
    source.contain({ platforms: PLATFORMS, accounts: [], permissions });
    const { permissions: loaded } = await loader.load(EMPTY_REGISTRY, NOW);
    expect(clock.turns).to.be.at.least(10);
    expect(loaded.allows('bot-49', 'status')).to.equal(true);
  });

  it('matches each account at any index, keeping its key and creation time', async () => {
    // Key files from one template: the same revision for every account.
    const accounts = numbered(6).map((account) => ({ ...account, keyRevision: 'r1' }));
    const sameOnBeta = { ...sampleCredential({ platformId: 'beta', accountId: 'account-0' }), keyRevision: 'r1' };
    const { loader, source, keyStore } = setUp([...accounts, sameOnBeta]);
    let previous = await loader.load(EMPTY_REGISTRY, NOW);
    const first = previous;
    const orders: readonly (readonly FixedAccount[])[] = [
      [sameOnBeta, ...accounts],
      [...accounts].reverse(),
      [...accounts.slice(3), sameOnBeta, ...accounts.slice(0, 3)],
      [...accounts, sameOnBeta],
    ];
    for (const order of orders) {
      source.contain({ platforms: PLATFORMS, accounts: [...order] });
      previous = await loader.load(previous, '2027-01-01T00:00:00.000Z');
      for (const { platformId, accountId } of accounts) {
        const before = first.account(platformId, accountId);
        expect(previous.account(platformId, accountId), accountId).to.equal(before);
        expect(before?.createdAt).to.equal(NOW);
      }
    }
    // The account of beta was removed and added again.
    expect(keyStore.held.size).to.equal(8);
  });

  it('reopens no key if an account is inserted before all others', async () => {
    const accounts = numbered(5).map((account) => ({ ...account, keyRevision: 'r1' }));
    const { loader, source, keyStore } = setUp(accounts);
    const previous = await loader.load(EMPTY_REGISTRY, NOW);
    const added = sampleCredential({ accountId: 'added', privateKey: samplePrivateKey(99) });
    source.contain({ platforms: PLATFORMS, accounts: [added, ...accounts] });
    const next = await loader.load(previous, NOW);
    expect(keyStore.held.size).to.equal(6);
    expect(next.accounts().slice(1)).to.deep.equal(previous.accounts());
  });

  describe('keeps the key of a previously loaded account', () => {
    const BEFORE = sampleCredential({ keyRevision: 'r1' });
    const reload = async (after: FixedAccount) => {
      const { loader, source, keyStore } = setUp([BEFORE]);
      const previous = await loader.load(EMPTY_REGISTRY, NOW);
      source.contain({ platforms: PLATFORMS, accounts: [after] });
      const next = await loader.load(previous, NOW);
      return { before: previous.accounts()[0], after: next.accounts()[0], keyStore };
    };

    it('without opening it, if its key revision is unchanged, whatever else changed', async () => {
      const { before, after, keyStore } = await reload({ ...BEFORE, alias: 'Other', status: 'disabled' });
      expect(after?.key).to.equal(before?.key);
      expect(after).to.deep.include({ alias: 'Other', status: 'disabled', publicKey: before?.publicKey });
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
        expect(keyStore.held.size).to.equal(2);
      });
    }

    it('and rejects it with a public key that does not match', async () => {
      const { loader, source } = setUp([BEFORE]);
      const previous = await loader.load(EMPTY_REGISTRY, NOW);
      source.contain({ platforms: PLATFORMS, accounts: [{ ...BEFORE, publicKey: 'another' }] });
      expect(pathsOf(await issuesOf(loader.load(previous, NOW)))).to.deep.equal(['accounts[0].key']);
    });
  });

  it('loads every platform and account as configured, in order', async () => {
    const { loader } = setUp([
      sampleCredential({ createdAt: '2026-01-02T03:04:05.678Z' }),
      sampleCredential({
        platformId: 'beta',
        alias: 'Beta',
        status: 'disabled',
        environment: 'staging',
        algorithm: 'eip191',
      }),
    ]);
    const registry = await loader.load(EMPTY_REGISTRY, NOW);
    expect(registry.platform('alpha')).to.deep.equal(PLATFORMS[0]);
    expect(registry.platform('beta')).to.deep.equal(PLATFORMS[1]);
    const [ed25519, eip191] = registry.accounts();
    expect(ed25519).to.not.have.property('address');
    expect(eip191?.address).to.equal(computeAddress(eip191?.publicKey ?? ''));
    const reloaded = await loader.load(registry, NOW);
    expect(reloaded.accounts()[1]?.address).to.equal(eip191?.address);
    expect(
      registry.accounts().map(({ key: _, publicKey: __, keyId: ___, address: ____, ...facts }) => facts),
    ).to.deep.equal([
      {
        platformId: 'alpha',
        accountId: 'main',
        alias: 'Alpha main',
        status: 'active',
        environment: 'production',
        algorithm: 'ed25519',
        createdAt: '2026-01-02T03:04:05.678Z',
      },
      {
        platformId: 'beta',
        accountId: 'main',
        alias: 'Beta',
        status: 'disabled',
        environment: 'staging',
        algorithm: 'eip191',
        createdAt: NOW,
      },
    ]);
  });

  it('sets the public key of every account from its own key, each stored once', async () => {
    const { loader, keyStore } = setUp([...numbered(3), sampleCredential({ platformId: 'beta', algorithm: 'eip191' })]);
    const registry = await loader.load(EMPTY_REGISTRY, NOW);
    const message = Buffer.from('message');
    for (const { algorithm, publicKey, key } of registry.accounts()) {
      const signature = keyStore.use(key, (secret) => SIGNERS[algorithm].sign(secret, message, 'hex'));
      const released = { signature, algorithm, encoding: 'hex', publicKey } as const;
      expect(isValidSignature(released, message)).to.equal(true);
    }
    expect([...keyStore.held]).to.deep.equal(registry.accounts().map(({ key }) => key.id));
  });

  describe('the creation time', () => {
    const later = '2027-01-01T00:00:00.000Z';

    it('is the time of the first load if none is configured, and survives later loads', async () => {
      const { loader, source } = setUp([sampleCredential()]);
      const first = await loader.load(EMPTY_REGISTRY, NOW);
      expect(first.account('alpha', 'main')?.createdAt).to.equal(NOW);

      source.contain({
        platforms: PLATFORMS,
        accounts: [sampleCredential({ alias: 'New', privateKey: samplePrivateKey(2) }), ...numbered(1)],
      });
      const second = await loader.load(first, later);
      expect(second.account('alpha', 'main')?.createdAt).to.equal(NOW);
      expect(second.account('alpha', 'account-0')?.createdAt).to.equal(later);
    });

    it('is not copied from an account with the same id on another platform', async () => {
      const { loader, source } = setUp([sampleCredential()]);
      const first = await loader.load(EMPTY_REGISTRY, NOW);
      source.contain({ platforms: PLATFORMS, accounts: [sampleCredential({ platformId: 'beta' })] });
      expect((await loader.load(first, later)).account('beta', 'main')?.createdAt).to.equal(later);
    });

    it('is the configured one, even if it is configured later', async () => {
      const { loader, source } = setUp([sampleCredential()]);
      const first = await loader.load(EMPTY_REGISTRY, NOW);
      const createdAt = '2020-02-02T02:02:02.000Z';
      source.contain({ platforms: PLATFORMS, accounts: [sampleCredential({ createdAt })] });
      expect((await loader.load(first, later)).account('alpha', 'main')?.createdAt).to.equal(createdAt);
    });
  });

  describe('a public key in the configuration', () => {
    it('is accepted if it matches the key', async () => {
      const { loader, source } = setUp(numbered(2));
      const [first, second] = (await loader.load(EMPTY_REGISTRY, NOW)).accounts();
      const publicKeys = [String(first?.publicKey), String(second?.publicKey)] as const;
      const accounts = numbered(2).map((account, index) => ({ ...account, publicKey: publicKeys[index] ?? null }));
      source.contain({ platforms: PLATFORMS, accounts });
      const again = await loader.load(EMPTY_REGISTRY, NOW);
      expect(again.accounts().map(({ publicKey }) => publicKey)).to.deep.equal(publicKeys);
    });

    it('is reported as an issue of the key if it belongs to another', async () => {
      const { loader: other } = setUp([sampleCredential({ privateKey: samplePrivateKey(99) })]);
      const foreign = (await other.load(EMPTY_REGISTRY, NOW)).account('alpha', 'main')?.publicKey ?? null;
      const { loader, keyStore } = setUp([...numbered(1), sampleCredential({ publicKey: foreign }), ...numbered(1)]);
      const issues = await issuesOf(loader.load(EMPTY_REGISTRY, NOW));
      expect(pathsOf(issues)).to.deep.equal(['accounts[1].key']);
      expect(issues[0]?.message).to.match(/publicKey/);
      expect(keyStore.held.size).to.equal(0);
    });
  });

  describe('a load that fails', () => {
    it('reports each issue, in the order of the configuration', async () => {
      const [first, ...others] = numbered(4);
      const { loader, source } = setUp([
        ...(first === undefined ? [] : [first]),
        sampleCredential({ accountId: 'zero', algorithm: 'eip191', privateKey: ZERO_KEY }),
        ...others,
        sampleCredential({ accountId: 'short', privateKey: new Uint8Array(31) }),
        sampleCredential({ accountId: 'unreadable' }),
        sampleCredential({ accountId: 'mismatch', publicKey: 'another' }),
      ]);
      const issue = { path: 'accounts[6].key.file', message: 'is not there' };
      source.keyIssues.set('accounts[6]', { when: 'before', error: new CredentialLoadError('file', [issue]) });
      const issues = await issuesOf(loader.load(EMPTY_REGISTRY, NOW));
      expect(pathsOf(issues)).to.deep.equal([
        'accounts[1].key',
        'accounts[5].key',
        'accounts[6].key.file',
        'accounts[7].key',
      ]);
      expect(issues[2]).to.deep.equal({ ...issue, message: 'is not there (account alpha/unreadable)' });
    });

    it('reports a key whose signatures do not verify', async () => {
      const misprinting = alteredSigner(SIGNERS.ed25519, {
        sign: (key, message, encoding) => SIGNERS.ed25519.sign(key, Uint8Array.of(...message, 0), encoding),
      });
      const { loader, keyStore } = setUp(
        [sampleCredential({ algorithm: 'eip191' }), sampleCredential({ accountId: 'ed' })],
        { ...SIGNERS, ed25519: misprinting },
      );
      expect(pathsOf(await issuesOf(loader.load(EMPTY_REGISTRY, NOW)))).to.deep.equal(['accounts[1].key']);
      expect(keyStore.held.size).to.equal(0);
    });

    it('reports an issue of many accounts once, with the first of them and their number', async () => {
      const wrong = numbered(200).map((account) => ({ ...account, publicKey: 'another' }));
      const message = 'The key does not match the publicKey in the file.';
      expect(await issuesOf(setUp(wrong).loader.load(EMPTY_REGISTRY, NOW))).to.deep.equal([
        {
          path: 'accounts[0].key',
          message: `${message} (200 of 200 accounts: alpha/account-0, alpha/account-1, alpha/account-2 and 197 more)`,
        },
      ]);
      const one = numbered(18).map((account, index) => (index === 17 ? { ...account, publicKey: 'another' } : account));
      expect(await issuesOf(setUp(one).loader.load(EMPTY_REGISTRY, NOW))).to.deep.equal([
        { path: 'accounts[17].key', message: `${message} (account alpha/account-17)` },
      ]);
    });

    it('reports at most 20 different issues, and the number of others', async () => {
      const { loader, source } = setUp(numbered(1));
      const several = Array.from({ length: 25 }, (_, index) => ({ path: `fault ${index}`, message: 'is wrong' }));
      source.keyIssues.set('accounts[0]', { when: 'before', error: new CredentialLoadError('file', several) });
      const issues = await issuesOf(loader.load(EMPTY_REGISTRY, NOW));
      expect(issues.slice(0, 20)).to.deep.equal(several.slice(0, 20));
      expect(issues.slice(20)).to.deep.equal([{ path: '', message: 'and 5 more issues' }]);
    });

    it('reveals nothing of any key', async () => {
      const { loader } = setUp([
        sampleCredential({ accountId: 'mismatch', publicKey: 'another', privateKey: new Uint8Array(32).fill(0xab) }),
        sampleCredential({ accountId: 'short', privateKey: new Uint8Array(31).fill(0xab) }),
        sampleCredential({ accountId: 'high', algorithm: 'eip191', privateKey: new Uint8Array(32).fill(0xff) }),
      ]);
      const error = (await rejectionOf(loader.load(EMPTY_REGISTRY, NOW))) as CredentialLoadError;
      expect(error.issues).to.have.length(3);
      expect(`${error.message} ${JSON.stringify(error.issues)}`).not.to.match(/abab|ffff|171|255|q6ur/i);
    });

    it('passes on the reason why the configuration cannot be read at all', async () => {
      const { loader, source } = setUp(numbered(2));
      const issues = [{ path: '', message: 'there is no such file' }];
      source.failWith(new CredentialLoadError('file', issues));
      expect(await issuesOf(loader.load(EMPTY_REGISTRY, NOW))).to.deep.equal(issues);
    });

    it('passes on unexpected errors, and stores no key', async () => {
      const { loader, source, keyStore } = setUp(numbered(3));
      const error = new RangeError('unexpected');
      source.keyIssues.set('accounts[2]', { when: 'before', error });
      expect(await rejectionOf(loader.load(EMPTY_REGISTRY, NOW))).to.equal(error);
      expect(keyStore.discarded).to.have.length(2);
      expect(keyStore.held.size).to.equal(0);
    });

    it('keeps no key that was loaded before an error', async () => {
      for (const error of [
        new RangeError('unexpected'),
        new CredentialLoadError('file', [{ path: 'p', message: 'm' }]),
      ]) {
        const { loader, source, keyStore } = setUp(numbered(2));
        source.keyIssues.set('accounts[1]', { when: 'after', error });
        await rejectionOf(loader.load(EMPTY_REGISTRY, NOW));
        expect(keyStore.held.size, error.name).to.equal(0);
      }
    });

    it('discards exactly the keys that it created, each once, whichever accounts are invalid', async () => {
      const allIssues = fc.constantFrom('none', 'mismatch', 'short', 'zero', 'unreadable');
      await fc.assert(
        fc.asyncProperty(fc.array(allIssues, { minLength: 1, maxLength: 8 }), async (kinds) => {
          const { loader, source, keyStore } = setUp(numbered(2));
          const previous = await loader.load(EMPTY_REGISTRY, NOW);
          const kept = [...keyStore.held];

          const accounts = numbered(kinds.length).map((account, index) => spoilt(account, kinds[index]));
          source.contain({ platforms: PLATFORMS, accounts });
          for (const [index, kind] of kinds.entries()) {
            const error = new CredentialLoadError('file', [{ path: `accounts[${index}].key`, message: 'unreadable' }]);
            if (kind === 'unreadable') source.keyIssues.set(`accounts[${index}]`, { when: 'before', error });
          }
          const wrong = kinds.flatMap((kind, index) => (kind === 'none' ? [] : [`accounts[${index}].key`]));
          if (wrong.length === 0) {
            const registry = await loader.load(previous, NOW);
            expect([...keyStore.held]).to.deep.equal([...kept, ...registry.accounts().map(({ key }) => key.id)]);
            return;
          }
          const issues = await issuesOf(loader.load(previous, NOW));
          expect(issues[0]?.path).to.equal(wrong[0]);
          const counts = issues.map(({ message }) => Number(/\((\d+) of /.exec(message)?.[1] ?? 1));
          expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(wrong.length);
          expect([...keyStore.held]).to.deep.equal(kept);
          expect(new Set(keyStore.discarded).size).to.equal(keyStore.discarded.length);
          expect(keyStore.discarded.filter((id) => kept.includes(id))).to.deep.equal([]);
        }),
      );
    });

    function spoilt(account: FixedAccount, kind: string | undefined): FixedAccount {
      if (kind === 'mismatch') return { ...account, publicKey: 'another' };
      if (kind === 'short') return { ...account, privateKey: new Uint8Array(31) };
      if (kind === 'zero') return { ...account, algorithm: 'eip191', privateKey: ZERO_KEY };
      return account;
    }
  });

  describe('closes the opened source', () => {
    const failures = {
      'after a load': undefined,
      'after a fault of a key': new CredentialLoadError('file', [{ path: 'accounts[0].key', message: 'unreadable' }]),
      'after what nobody expected': new RangeError('unexpected'),
    };
    for (const [when, error] of Object.entries(failures)) {
      it(when, async () => {
        const { loader, source } = setUp(numbered(2));
        if (error !== undefined) source.keyIssues.set('accounts[0]', { when: 'before', error });
        await loader.load(EMPTY_REGISTRY, NOW).catch(() => undefined);
        expect(source.loads).to.equal(1);
        expect(source.openSets).to.equal(0);
      });
    }
  });
});
