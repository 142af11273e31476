import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { CredentialLoadError } from '../../src/domain/model/errors.ts';
import type { PermissionEntry } from '../../src/domain/model/permissions.ts';
import type { Platform } from '../../src/domain/model/platform.ts';
import type { CredentialAccount, CredentialSet, CredentialSource } from '../../src/ports/credential-source.ts';
import { allAccounts } from '../doubles/all-accounts.ts';
import { LENGTH_32 } from '../doubles/credential-builder.ts';
import type { FixedAccount, FixedConfiguration } from '../doubles/fixed-credential-source.ts';

/** Storage for sources. */
export interface CredentialSourceHarness {
  /** A source of this configuration, in this order. */
  make(configuration: FixedConfiguration): Promise<CredentialSource>;
  /** A source with an invalid configuration. */
  makeWrong(): Promise<CredentialSource>;
  /** Releases the sources' resources. */
  dispose(): Promise<void>;
}

const BASE: Omit<FixedAccount, 'accountId' | 'privateKey'> = {
  platformId: 'alpha',
  alias: 'Alpha main',
  status: 'active',
  environment: 'production',
  algorithm: 'ed25519',
  publicKey: 'PublicKeyOfTheFirst',
  createdAt: '2026-11-20T00:00:00.000Z',
};

const CONFIGURATION: FixedConfiguration = {
  platforms: [
    { platformId: 'alpha', format: 'A', algorithms: ['ed25519'], payload: { rule: 'jcs' } },
    {
      platformId: 'delta',
      format: 'D',
      algorithms: ['eip191', 'ed25519'],
      encoding: '0x-hex',
      payload: { rule: 'prehash', template: '{METHOD}{path}{account.apiKey}{account.recvWindow}' },
      audit: { clear: ['body.sz', 'note'] },
    },
  ],
  accounts: [
    { ...BASE, accountId: 'main', privateKey: new Uint8Array(32).fill(0x11) },
    {
      ...BASE,
      platformId: 'delta',
      accountId: 'main',
      status: 'disabled',
      environment: 'staging',
      algorithm: 'eip191',
      publicKey: null,
      createdAt: null,
      values: { apiKey: 'key-1', recvWindow: '5000' },
      privateKey: Uint8Array.from({ length: 32 }, (_, index) => index),
    },
  ],
};

const PERMISSIONS: readonly PermissionEntry[] = [
  { principals: ['bot-*', 'anonymous'], accounts: ['alpha/main', 'delta/*'], operations: ['sign', 'verify'] },
  { principals: ['CN=Desk 7, O=Firm'], accounts: ['*/*'], operations: ['*'] },
  { principals: ['*'], operations: ['status'] },
];

const HMAC_PLATFORM: Platform = {
  platformId: 'theta',
  format: 'any',
  algorithms: ['hmac-sha256'],
  payload: { rule: 'jcs' },
  secretDecoding: 'hex',
};
const HMAC_ACCOUNT = {
  ...BASE,
  platformId: 'theta',
  algorithm: 'hmac-sha256',
  publicKey: 'hmac:0123456789abcdef',
} as const;

/** An account without its key and path. */
function factsOf({ path: _, keyRevision: __, ...rest }: CredentialAccount) {
  return Object.fromEntries(Object.entries(rest).filter(([name]) => name !== 'withPrivateKey'));
}

/** Contract of every CredentialSource. `makeHarness` returns fresh storage. */
export function describeCredentialSourceContract(
  name: string,
  makeHarness: () => Promise<CredentialSourceHarness>,
): void {
  describe(`CredentialSource contract: ${name}`, () => {
    let harness: CredentialSourceHarness;
    let source: CredentialSource;
    let set: CredentialSet;
    let accounts: readonly CredentialAccount[];

    beforeEach(async () => {
      harness = await makeHarness();
      source = await harness.make(CONFIGURATION);
      set = await source.load();
      accounts = await allAccounts(set);
    });
    afterEach(async () => {
      set.close();
      await harness.dispose();
    });

    function account(index: number) {
      const found = accounts[index];
      if (found === undefined) throw new Error(`No such account: ${index}.`);
      return found;
    }

    it('reports the location of its configuration', () => {
      expect(source.location).to.be.a('string').that.is.not.empty;
    });

    it('reports the files to watch, its location first', () => {
      expect(source.files[0]).to.equal(source.location);
      expect(new Set(source.files).size).to.equal(source.files.length);
    });

    it('reports the same key revision only for an unchanged key, if it reports one', async () => {
      const again = await source.load();
      const changed = CONFIGURATION.accounts.map((each) => ({ ...each, privateKey: new Uint8Array(32).fill(0x77) }));
      const other = await (await harness.make({ ...CONFIGURATION, accounts: changed })).load();
      const revisionsOf = (list: readonly CredentialAccount[]) => list.map(({ keyRevision }) => keyRevision);
      const revisions = [accounts, await allAccounts(again), await allAccounts(other)].map(revisionsOf);
      expect(revisions[1]).to.deep.equal(revisions[0]);
      for (const [index, revision] of (revisions[0] ?? []).entries()) {
        if (revision !== undefined) expect(revisions[2]?.[index]).to.not.equal(revision);
      }
      again.close();
      other.close();
    });

    it('returns platforms and accounts as configured, in order, with null for unset fields', () => {
      expect(set.platforms).to.deep.equal(CONFIGURATION.platforms);
      const facts = accounts.map(factsOf);
      expect(facts).to.deep.equal(CONFIGURATION.accounts.map(({ privateKey: _, ...rest }) => rest));
    });

    it('returns the permissions list as configured, in order, even if empty, and null if unset', async () => {
      expect(set.permissions).to.equal(null);
      for (const permissions of [[], PERMISSIONS]) {
        const listed = await (await harness.make({ ...CONFIGURATION, permissions })).load();
        expect(listed.permissions).to.deep.equal(permissions);
        listed.close();
      }
    });

    it('reports the SHA-256 of the canonical JSON of the permissions list, if set', async () => {
      expect(set.permissionsDigest).to.equal(null);
      const permissions = [{ principals: ['bot'], accounts: ['alpha/*'], operations: ['sign'] as const }];
      const texts = ['[]', '[{"accounts":["alpha/*"],"operations":["sign"],"principals":["bot"]}]'];
      for (const [index, list] of [[], permissions].entries()) {
        const listed = await (await harness.make({ ...CONFIGURATION, permissions: list })).load();
        const digest = createHash('sha256')
          .update(texts[index] ?? '')
          .digest('hex');
        expect(listed.permissionsDigest).to.equal(`sha256:${digest}`);
        listed.close();
      }
    });

    it('reports the same digest for an unchanged configuration, and another for another', async () => {
      expect(set.digest).to.match(/^sha256:[0-9a-f]{64}$/);
      expect(await source.digest()).to.equal(set.digest);
      const other = await harness.make({ ...CONFIGURATION, accounts: CONFIGURATION.accounts.slice(1) });
      expect(await other.digest())
        .to.match(/^sha256:[0-9a-f]{64}$/)
        .and.not.equal(set.digest);
    });

    it('reports the path of each account', () => {
      expect(accounts.map(({ path }) => path)).to.deep.equal(['accounts[0]', 'accounts[1]']);
    });

    it("passes each account's own key, of its exact length, any number of times", async () => {
      for (const [index, { privateKey }] of [...CONFIGURATION.accounts, ...CONFIGURATION.accounts].entries()) {
        const lent = await account(index % CONFIGURATION.accounts.length).withPrivateKey(LENGTH_32, (key) => [...key]);
        expect(lent).to.deep.equal([...privateKey]);
      }
    });

    it('passes several keys concurrently', async () => {
      const lent = await Promise.all(accounts.map((each) => each.withPrivateKey(LENGTH_32, (key) => [...key])));
      expect(lent).to.deep.equal(CONFIGURATION.accounts.map(({ privateKey }) => [...privateKey]));
    });

    it('passes the unchanged key after a callback wrote to it', async () => {
      await account(0).withPrivateKey(LENGTH_32, (key) => key.fill(0));
      expect(account(0).withPrivateKey(LENGTH_32, (key) => key[0])).to.equal(0x11);
    });

    it('passes a key of any length within the bounds, unpadded', async () => {
      const secrets = [1, 64, 65, 1024].map((length) => Uint8Array.from({ length }, (_, index) => 0x21 + (index % 94)));
      const configuration = {
        platforms: [HMAC_PLATFORM],
        accounts: secrets.map((privateKey, index) => ({ ...HMAC_ACCOUNT, accountId: `secret-${index}`, privateKey })),
      };
      const hmacSet = await (await harness.make(configuration)).load();
      try {
        const hmacAccounts = await allAccounts(hmacSet);
        expect(hmacSet.platforms).to.deep.equal([HMAC_PLATFORM]);
        for (const [index, privateKey] of secrets.entries()) {
          const secret = hmacAccounts[index];
          expect(secret?.withPrivateKey({ min: 1, max: 1024 }, (key) => [...key])).to.deep.equal([...privateKey]);
          const lengths = { min: 1, max: privateKey.length - 1 };
          expect(() => secret?.withPrivateKey(lengths, () => 'reached')).to.throw(CredentialLoadError);
        }
      } finally {
        hmacSet.close();
      }
    });

    it('returns the result of the callback, and rethrows its error unchanged', async () => {
      expect(account(0).withPrivateKey(LENGTH_32, () => 'result')).to.equal('result');
      const thrown = new RangeError('from the callback');
      const openKey = () =>
        account(0).withPrivateKey(LENGTH_32, () => {
          throw thrown;
        });
      expect(openKey).to.throw(thrown);
      expect(account(0).withPrivateKey(LENGTH_32, (key) => key.length)).to.equal(32);
    });

    it('refuses a callback that returns a promise', async () => {
      expect(() => account(0).withPrivateKey(LENGTH_32, async () => 'late')).to.throw(TypeError);
    });

    it('throws CredentialLoadError naming the key if its length is out of bounds', async () => {
      for (const lengths of [
        { min: 31, max: 31 },
        { min: 33, max: 33 },
        { min: 64, max: 64 },
        { min: 33, max: 1024 },
      ]) {
        const openKey = () => account(0).withPrivateKey(lengths, () => 'reached');
        expect(openKey).to.throw(CredentialLoadError).with.nested.property('issues[0].path', 'accounts[0].key');
      }
    });

    it('passes several keys in one batch, and works after a failure', () => {
      const read = () => accounts.map((each) => each.withPrivateKey(LENGTH_32, (key) => key[31]));
      expect(set.together(read)).to.deep.equal([0x11, 31]);
      const failure = new RangeError('from the work');
      const fail = () => {
        throw failure;
      };
      expect(() => set.together(fail)).to.throw(failure);
      expect(read()).to.deep.equal([0x11, 31]);
    });

    it('passes no key after close, which is idempotent', async () => {
      set.close();
      set.close();
      expect(() => account(0).withPrivateKey(LENGTH_32, () => 'reached')).to.throw(CredentialLoadError);
    });

    it('returns independent sets', async () => {
      const other = await source.load();
      other.close();
      expect(account(0).withPrivateKey(LENGTH_32, (key) => key[0])).to.equal(0x11);
    });

    it('can be purged at any time, and twice: open sets stay usable, and it can be loaded again', async () => {
      source.purge();
      source.purge();
      expect(account(0).withPrivateKey(LENGTH_32, (key) => key[0])).to.equal(0x11);
      const other = await source.load();
      expect(await allAccounts(other)).to.have.lengthOf(CONFIGURATION.accounts.length);
      other.close();
    });

    it('rejects an invalid configuration with CredentialLoadError and its issues', async () => {
      const error = await rejection((await harness.makeWrong()).load());
      expect(error).to.be.instanceOf(CredentialLoadError);
      expect((error as CredentialLoadError).issues).to.not.be.empty;
    });
  });
}

async function rejection(promise: Promise<unknown> | undefined): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => expect.fail('It should have been rejected.'),
    (error: unknown) => error,
  );
}
