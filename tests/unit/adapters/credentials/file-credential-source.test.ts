import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { encryptKeystoreJsonSync, Wallet } from 'ethers';
import type {
  FileCredentialSource,
  FileCredentialSourceOptions,
} from '../../../../src/adapters/credentials/file-credential-source.ts';
import {
  MIN_PASSPHRASE_COST,
  protectMasterKey,
} from '../../../../src/adapters/credentials/keyring/passphrase-protected-key.ts';
import { sealKey } from '../../../../src/adapters/credentials/sealed-key.ts';
import { LARGE_FILE_BYTES } from '../../../../src/adapters/credentials/sliced-credentials.ts';
import { MemoryLockError } from '../../../../src/adapters/vault/locked-buffer.ts';
import type { SecretBytes, SecretDecoding } from '../../../../src/domain/model/account.ts';
import { CredentialLoadError } from '../../../../src/domain/model/errors.ts';
import type { CredentialAccount, CredentialSet } from '../../../../src/ports/credential-source.ts';
import { allAccounts } from '../../../doubles/all-accounts.ts';
import { TypedPassphrases } from '../../../doubles/typed-passphrases.ts';
import { bs58 } from '../../../harness/base58.ts';
import { createMasterKeyFile, plainLine, rejection, useWorkplace } from './credentials-workplace.ts';
import { loadKeys } from './sealed-accounts.ts';

const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const HEX = SEED.toString('hex');
const PLATFORM = { platformId: 'alpha', format: 'any' };
const ACCOUNT = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' };

describe('FileCredentialSource', () => {
  const workplace = useWorkplace();

  function writeAccounts(...accounts: readonly object[]): void {
    workplace().write({ version: 1, platforms: [PLATFORM], accounts });
  }

  /** The first account's key, after a new load. */
  async function firstKey(options: Partial<FileCredentialSourceOptions> = {}): Promise<string> {
    const set = await workplace().source(options).load();
    try {
      const [account] = await allAccounts(set);
      if (account === undefined) throw new Error('There is no account.');
      return await set.withPrivateKey(account, (key) => Buffer.from(key).toString('hex'));
    } finally {
      set.close();
    }
  }

  async function loadIssues(action: Promise<unknown>): Promise<readonly string[]> {
    const error = await rejection(action);
    expect(error).to.be.instanceOf(CredentialLoadError);
    expect(error.message).to.include(workplace().file).and.not.include(HEX.slice(0, 8));
    return (error as CredentialLoadError).issues.map(({ path, message }) => `${path}: ${message}`);
  }

  const threads = () =>
    (process.report.getReport() as unknown as { readonly workers: readonly object[] }).workers.length;

  /** Waits until other threads have ended. */
  async function untilThreads(count: number): Promise<void> {
    const begin = performance.now();
    while (threads() !== count) {
      if (performance.now() - begin > 10_000) expect.fail(`There are ${threads()} threads.`);
      await sleep(10);
    }
  }

  const sealedAccount = (identity: object = {}) => {
    const facts = {
      platformId: 'alpha',
      accountId: 'main',
      algorithm: 'ed25519',
      publicKey: 'Pub',
      ...identity,
    } as const;
    return { ...facts, key: { sealed: workplace().seal(facts, SEED) } };
  };

  it('returns the SHA-256 digest of the file, even if invalid, and null if missing', async () => {
    writeAccounts();
    const { file } = workplace();
    const expected = () => `sha256:${execFileSync('sha256sum', [file], { encoding: 'utf8' }).slice(0, 64)}`;
    const set = await workplace().source().load();
    set.close();
    expect(set.digest).to.equal(expected());
    writeFileSync(file, '{"version": 2}');
    expect(await workplace().source().digest()).to.equal(expected());
    rmSync(file);
    expect(await workplace().source().digest()).to.equal(null);
  });

  it('returns platforms and accounts as configured, in order, with defaults for unset fields', async () => {
    const delta = {
      ...{ platformId: 'delta', format: 'D', algorithms: ['eip191', 'ed25519'], encoding: '0x-hex' },
      payload: { rule: 'prehash', template: '{METHOD}{path}{account.apiKey}' },
      ...{ audit: { clear: ['body.sz', 'note'] }, status: 'disabled' },
    };
    const given = { alias: 'Δ', status: 'disabled', environment: 'staging', values: { apiKey: 'key-1' } };
    const desk = { platformId: 'delta', accountId: 'main', algorithm: 'eip191', publicKey: 'Pub', ...given };
    const accounts = [
      { ...ACCOUNT, createdAt: '2026-11-20T01:02:03Z', key: { file: 'main.key' } },
      { ...desk, key: { file: 'other.key' } },
    ];
    workplace().write({ version: 1, platforms: [PLATFORM, delta], accounts });
    const set = await workplace().source().load();
    expect(set.platforms.slice(1)).to.deep.equal([delta]);
    expect((await allAccounts(set)).map(({ account, path }) => ({ account, path }))).to.deep.equal([
      {
        account: {
          ...{ ...ACCOUNT, alias: 'main', status: 'active', environment: 'production', publicKey: null },
          ...{ createdAt: '2026-11-20T01:02:03.000Z', key: { file: 'main.key' } },
        },
        path: 'accounts[0]',
      },
      { account: { ...desk, createdAt: null, key: { file: 'other.key' } }, path: 'accounts[1]' },
    ]);
    set.close();
  });

  it('returns the permissions list, and the SHA-256 of its canonical JSON, even if empty', async () => {
    const permissions = [{ principals: ['bot'], accounts: ['alpha/*'], operations: ['sign'] }];
    for (const [list, text] of [
      [undefined, null],
      [[], '[]'],
      [permissions, '[{"accounts":["alpha/*"],"operations":["sign"],"principals":["bot"]}]'],
    ] as const) {
      workplace().write({ version: 1, platforms: [PLATFORM], accounts: [], permissions: list });
      const set = await workplace().source().load();
      const digest = text === null ? null : `sha256:${createHash('sha256').update(text).digest('hex')}`;
      expect([set.permissions, set.permissionsDigest]).to.deep.equal([list ?? null, digest]);
      set.close();
    }
  });

  describe('passing keys to a callback', () => {
    let set: CredentialSet;
    let accounts: readonly CredentialAccount[];

    beforeEach(async () => {
      const sealed = sealedAccount({ accountId: 'sealed' });
      writeFileSync(workplace().path('main.key'), Buffer.alloc(32, 0x11));
      writeAccounts({ ...ACCOUNT, key: { file: 'main.key' } }, sealed);
      set = await workplace().source().load();
      accounts = await allAccounts(set);
    });
    afterEach(() => set.close());

    const firstBytes = () => accounts.map((each) => set.withPrivateKey(each, (key) => key[0]));

    it('returns its result, passes on its error, and lends an unchanged key the next time', () => {
      for (const account of accounts) {
        const thrown = new RangeError('from the callback');
        const fail = (key: SecretBytes) => {
          key.fill(0);
          throw thrown;
        };
        expect(() => set.withPrivateKey(account, fail)).to.throw(thrown);
        expect(() => set.withPrivateKey(account, async () => 'late')).to.throw(TypeError);
      }
      expect(firstBytes()).to.deep.equal([0x11, SEED[0]]);
      expect(set.together(firstBytes)).to.deep.equal([0x11, SEED[0]]);
      const thrown = new RangeError('from the work');
      const fail = () => {
        throw thrown;
      };
      expect(() => set.together(fail)).to.throw(thrown);
      expect(firstBytes()).to.deep.equal([0x11, SEED[0]]);
    });

    it('passes none once the set is closed', async () => {
      const other = await workplace().source().load();
      for (let times = 0; times < 2; times += 1) other.close();
      expect(firstBytes()).to.deep.equal([0x11, SEED[0]]);
      set.close();
      for (const account of accounts) {
        expect(() => set.withPrivateKey(account, () => 'reached')).to.throw(CredentialLoadError);
      }
    });
  });

  it('needs no master key if no key is sealed, and returns no master key ids', async () => {
    rmSync(workplace().masterKeyFile);
    writeFileSync(workplace().path('main.key'), SEED);
    writeAccounts({ ...ACCOUNT, key: { file: 'main.key' } });
    expect(await firstKey()).to.equal(HEX);
    const others = threads();
    const set = await workplace().source().load();
    expect(threads(), 'none for a small file').to.equal(others);
    expect(set.masterKeyIds).to.deep.equal([]);
    set.close();
  });

  it('reads all accounts of a large file in order without blocking the event loop, and opens all keys at once', async () => {
    const others = threads();
    const all = Array.from({ length: 1200 }, (_, nth) => sealedAccount({ accountId: `account-${nth}` }));
    const permissions = [{ principals: ['bot'], accounts: ['alpha/*'], operations: ['sign'] }];
    workplace().write({ version: 1, platforms: [PLATFORM], accounts: all, permissions });
    expect(statSync(workplace().file).size).to.be.greaterThan(LARGE_FILE_BYTES);
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    const source = workplace().source();
    const empty = workplace().path('empty.json');
    writeFileSync(empty, ' '.repeat(LARGE_FILE_BYTES + 1));
    const [set, unread, error] = await Promise.all([
      source.load(),
      workplace().source().load(),
      rejection(workplace().source({ file: empty }).load()),
    ]);
    clearInterval(timer);
    expect(ticks).to.be.greaterThan(0);
    expect(error.message).to.match(/is empty/);
    await untilThreads(others + 2);
    unread.close();
    await untilThreads(others + 1);
    expect((await rejection(allAccounts(unread))).message).to.equal('The credentials reader thread has ended.');
    expect(set.digest).to.equal(await source.digest());
    expect(set.masterKeyIds).to.have.length(1);
    expect(set.permissions).to.deep.equal(permissions);
    const accounts = await allAccounts(set);
    expect(accounts.map(({ account, path }) => [account.accountId, path])).to.deep.equal(
      all.map(({ accountId }, index) => [accountId, `accounts[${index}]`]),
    );
    // A few locked pages.
    const keys = await Promise.all(accounts.map((each) => set.withPrivateKey(each, (key) => key[0])));
    expect(new Set(keys)).to.deep.equal(new Set([SEED[0]]));
    set.close();
    await untilThreads(others);
  });

  it('lists credentials, master key, key and password files once each, before opening a key', async () => {
    writeFileSync(workplace().path('main.key'), SEED);
    const key = { file: 'main.key' };
    const keystore = { file: '/keys/main.json', format: 'keystore', passwordFile: 'password' };
    writeAccounts(
      { ...ACCOUNT, key },
      { ...ACCOUNT, accountId: 'other', key },
      { ...ACCOUNT, accountId: 'hot', algorithm: 'eip191', key: keystore },
    );
    const source = workplace().source();
    const files = [workplace().file, workplace().masterKeyFile];
    expect(source.files).to.deep.equal(files);
    let notifications = 0;
    source.onFiles(() => {
      notifications += 1;
    });
    (await source.load()).close();
    const keyFiles = [workplace().path('main.key'), '/keys/main.json', workplace().path('password')];
    expect(source.files).to.deep.equal([...files, ...keyFiles]);
    expect(notifications).to.equal(1);
  });

  describe('with sealed keys', () => {
    it('gives no key a revision while a master key is missing, so that a reload reports it', async () => {
      const old = sealedAccount();
      writeAccounts(old);
      const before = await workplace().source().load();
      expect((await allAccounts(before))[0]?.keyRevision).to.be.a('string');
      before.close();
      rmSync(workplace().masterKeyFile);
      createMasterKeyFile(workplace().masterKeyFile);
      writeAccounts(old, sealedAccount({ accountId: 'new' }));
      const after = await workplace().source().load();
      for (const account of await allAccounts(after)) expect(account.keyRevision).to.equal(undefined);
      after.close();
    });

    it('opens keys under the first and under another master key in one load', async () => {
      const old = sealedAccount();
      workplace().writeRing(plainLine(), workplace().ring());
      const added = { ...ACCOUNT, accountId: 'added', publicKey: 'Added' } as const;
      const sealed = sealKey(workplace().loadMasterKey(), { ...added, algorithm: 'ed25519' }, SEED);
      writeAccounts(old, { ...added, key: { sealed } });
      expect(await loadKeys(workplace().source())).to.deep.equal([HEX, HEX]);
      const both = await workplace().source().load();
      expect(both.masterKeyIds).to.deep.equal(workplace().ids().toSorted());
      both.close();
    });

    it('names the accounts that a missing master key makes unusable, and their number', async () => {
      const accounts = Array.from({ length: 5 }, (_, nth) => sealedAccount({ accountId: `a${nth}` }));
      writeFileSync(workplace().path('main.key'), SEED);
      writeAccounts({ ...ACCOUNT, key: { file: 'main.key' } }, ...accounts);
      rmSync(workplace().masterKeyFile);
      expect((await rejection(workplace().source().load())).message)
        .to.include(`${workplace().masterKeyFile}: no master key; restore it, or set SIGNING_MASTER_KEY_FILE`)
        .and.match(/ Affected: 5 of 6 accounts: alpha\/a0, alpha\/a1, alpha\/a2 and 2 more\.$/);
    });

    describe('under a master key with a passphrase', () => {
      const PASSPHRASE = 'correct horse battery';

      /** Protects the workplace's master key; returns a source with these passphrases typed. */
      function protectedSource(...passphrases: readonly string[]) {
        const { masterKey } = workplace();
        workplace().writeRing(protectMasterKey(masterKey, Buffer.from(PASSPHRASE), MIN_PASSPHRASE_COST));
        const prompt = new TypedPassphrases(...passphrases);
        return { prompt, source: workplace().source({ keyring: workplace().keyring(prompt) }) };
      }

      async function keysOf(source: FileCredentialSource): Promise<readonly string[]> {
        const set = await source.load();
        const keys = await Promise.all(
          (await allAccounts(set)).map((each) => set.withPrivateKey(each, (key) => Buffer.from(key).toString('hex'))),
        );
        set.close();
        return keys;
      }

      it('prompts at the first load only', async () => {
        writeAccounts(sealedAccount());
        const { prompt, source } = protectedSource(PASSPHRASE, PASSPHRASE);
        for (let load = 0; load < 2; load += 1) expect(await keysOf(source)).to.deep.equal([HEX]);
        expect(prompt.questions).to.have.lengthOf(1);
      });
    });

    it('passes on an error of the callback that looks like one of its own', async () => {
      writeAccounts(sealedAccount());
      const set = await workplace().source().load();
      const thrown = new MemoryLockError(new Error('from the callback'));
      const [account] = await allAccounts(set);
      const openKey = () =>
        set.withPrivateKey(account as CredentialAccount, () => {
          throw thrown;
        });
      expect(openKey).to.throw(thrown);
      set.close();
    });
  });

  describe('with key files', () => {
    /** An Ethereum V3 keystore with cheap derivation. */
    function keystore(password: string): string {
      return encryptKeystoreJsonSync(new Wallet(`0x${HEX}`), password, { scrypt: { N: 1024 } });
    }

    it('reads an Ethereum V3 keystore with its password file', async () => {
      writeFileSync(workplace().path('main.json'), keystore('correct horse'));
      writeFileSync(workplace().path('password'), 'correct horse\n');
      writeAccounts({
        ...ACCOUNT,
        algorithm: 'eip191',
        key: { file: 'main.json', format: 'keystore', passwordFile: 'password' },
      });
      expect(await firstKey()).to.equal(HEX);
    }).timeout(60_000);

    it('resolves relative paths from the folder of the credentials file, and absolute paths as is', async () => {
      mkdirSync(workplace().path('keys'));
      writeFileSync(workplace().path('keys/main.key'), SEED);
      for (const file of ['keys/main.key', './keys/../keys/main.key', workplace().path('keys/main.key')]) {
        writeAccounts({ ...ACCOUNT, key: { file } });
        expect(await firstKey()).to.equal(HEX);
      }
    });

    it('reads the key at each load, on demand only', async () => {
      const file = workplace().path('main.key');
      writeAccounts({ ...ACCOUNT, key: { file } });
      (await workplace().source().load()).close();
      writeFileSync(file, SEED);
      expect(await firstKey()).to.equal(HEX);
      writeFileSync(file, plainLine());
      expect(await firstKey()).to.not.equal(HEX);
    });

    it('names the account and the file if it is missing or not a key', async () => {
      writeAccounts({ ...ACCOUNT, key: { file: 'missing.key' } });
      expect((await loadIssues(firstKey()))[0]).to.include('accounts[0].key: has a "file" that does not exist');
      writeFileSync(workplace().path('main.key'), `${HEX.slice(2)}\n`);
      writeAccounts({ ...ACCOUNT, key: { file: 'main.key' } });
      expect((await loadIssues(firstKey()))[0]).to.include(workplace().path('main.key'));
    });

    it('never quotes a secret given instead of its path, not even in the cause', async () => {
      const password = 'correct horse battery staple';
      writeFileSync(workplace().path('main.json'), keystore(password));
      const misplaced = [{ file: HEX }, { file: `${HEX}/`.repeat(60) }, { file: 'main.json', passwordFile: password }];
      for (const key of misplaced) {
        writeAccounts({ ...ACCOUNT, algorithm: 'eip191', key });
        const error = await firstKey().catch((caught: unknown) => caught);
        const field = 'passwordFile' in key ? 'passwordFile' : 'file';
        const shown = inspect(error, { depth: 10, showHidden: true });
        expect(shown).to.include(`has a "${field}" that does not exist`);
        expect(shown).not.to.include(HEX).and.not.include(password);
      }
    }).timeout(60_000);
  });

  describe('with HMAC secrets', () => {
    const TEXT = '00112233445566778899aabbccddeeff';
    const hmacAccount = { ...ACCOUNT, algorithm: 'hmac-sha512' };

    /** The account's secret as configured. */
    async function secretOf(secretDecoding: SecretDecoding | undefined, key: object): Promise<Buffer> {
      const platform = { ...PLATFORM, algorithms: ['hmac-sha512'], ...(secretDecoding && { secretDecoding }) };
      workplace().write({ version: 1, platforms: [platform], accounts: [{ ...hmacAccount, key }] });
      const set = await workplace().source({ allowPlaintextKeys: true }).load();
      try {
        const [account] = await allAccounts(set);
        if (account === undefined) throw new Error('There is no account.');
        return set.withPrivateKey(account, (secret) => Buffer.from(secret));
      } finally {
        set.close();
      }
    }

    it("decodes a file and a plaintext by the platform's secretDecoding, by default as the text itself", async () => {
      writeFileSync(workplace().path('main.key'), `${TEXT}\n`);
      for (const key of [{ file: 'main.key' }, { plaintext: TEXT }]) {
        expect(await secretOf(undefined, key)).to.deep.equal(Buffer.from(TEXT));
        expect(await secretOf('hex', key)).to.deep.equal(Buffer.from(TEXT, 'hex'));
        const base64 = Buffer.from(TEXT).toString('base64');
        expect(await secretOf('base64-text', key)).to.deep.equal(Buffer.from(base64));
      }
    });
  });

  describe('with plaintext keys', () => {
    it('reads hex, with or without 0x, and base58, if allowed', async () => {
      for (const plaintext of [HEX.toUpperCase(), `0x${HEX}`, bs58.encode(SEED)]) {
        writeAccounts({ ...ACCOUNT, key: { plaintext } });
        expect(await firstKey({ allowPlaintextKeys: true }), plaintext).to.equal(HEX);
      }
    });

    it('refuses to load if they are not allowed, and names the accounts and the setting', async () => {
      writeAccounts({ ...ACCOUNT, key: { plaintext: HEX } }, { ...ACCOUNT, accountId: 'b', key: { plaintext: HEX } });
      const found = await loadIssues(workplace().source().load());
      expect(found).to.have.lengthOf(1);
      expect(found[0])
        .to.match(/^accounts\[0\]\.key\.plaintext: is rejected unless SIGNING_ALLOW_PLAINTEXT_KEYS=true/)
        .and.match(/ \(2 of 2 accounts: \w+\/main, \w+\/b\) \(line \d+, column \d+\)$/);
    });

    it('refuses to load in production, allowed or not', async () => {
      writeAccounts({ ...ACCOUNT, key: { plaintext: HEX } });
      for (const allowPlaintextKeys of [true, false]) {
        const source = workplace().source({ production: true, allowPlaintextKeys });
        expect((await loadIssues(source.load()))[0]).to.include('accounts[0].key.plaintext: is rejected in production');
      }
    });

    it('names the account, not the text, of what is not a key', async () => {
      const tooShort = bs58.encode(SEED.subarray(1));
      for (const plaintext of [HEX.slice(2), HEX.replace('9d', 'zz'), `${HEX.slice(4)}é`, tooShort]) {
        writeAccounts({ ...ACCOUNT, key: { plaintext } });
        const [issue] = await loadIssues(firstKey({ allowPlaintextKeys: true }));
        expect(issue)
          .to.match(/^accounts\[0\]\.key: it has/)
          .and.not.include(plaintext);
      }
    });
  });
});
