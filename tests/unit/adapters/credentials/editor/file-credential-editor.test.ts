import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { expect } from 'chai';
import sodium from 'sodium-native';
import { getSealingKeyId } from '../../../../../src/adapters/credentials/sealed-key-text.ts';
import type { SecretBytes } from '../../../../../src/domain/model/account.ts';
import { CredentialLoadError, InvalidPrivateKeyError, OperatorError } from '../../../../../src/domain/model/errors.ts';
import type { Platform } from '../../../../../src/domain/model/platform.ts';
import type { PolicyEntry } from '../../../../../src/domain/model/policy.ts';
import type { AccountIssuesError } from '../../../../../src/domain/services/account-administration-service.ts';
import type { KeyOrigin } from '../../../../../src/ports/credential-editor.ts';
import { bs58 } from '../../../../harness/base58.ts';
import { ed25519PublicKey } from '../../../../process-memory/secrets.ts';
import {
  type AccountDraft,
  addOne,
  createMasterKeyFile,
  plainLine,
  rejection,
  useWorkplace,
} from '../credentials-workplace.ts';
import { loadKeys } from '../sealed-accounts.ts';

const EMPTY = { version: 1, platforms: [], accounts: [] };
const PLATFORM = { platformId: 'alpha', format: 'A' } as const;
const ALPHA = { ...PLATFORM, algorithms: ['ed25519'], payload: { rule: 'jcs' } } as const;
const FULL: Platform = {
  ...{ platformId: 'alpha', format: 'any', algorithms: ['hmac-sha256'], payload: { rule: 'raw' }, encoding: 'hex' },
  ...{ rules: { text: { rule: 'raw', encoding: 'base64' } }, audit: { clear: ['message.price', 'memo'] } },
  ...{ secretDecoding: 'hex', verify: { mac: true }, status: 'disabled' },
};
const MAIN = { platformId: 'alpha', accountId: 'main' };
const DRAFT: AccountDraft = {
  ...{ ...MAIN, alias: 'main', status: 'active', environment: 'production' },
  ...{ algorithm: 'ed25519', publicKey: undefined, createdAt: '2026-11-20T00:00:00.000Z' },
};

/** Hex of the Ed25519 public key, by libsodium. */
function derivePublicKey(privateKey: SecretBytes): string {
  const publicKey = Buffer.alloc(32);
  sodium.crypto_sign_seed_keypair(publicKey, Buffer.alloc(64), privateKey);
  return publicKey.toString('hex');
}

/** The same by OpenSSL. */
const opensslPublicKey = (seed: Buffer) => ed25519PublicKey(seed).toString('hex');

describe('FileCredentialEditor', () => {
  const workplace = useWorkplace();
  const listed = async () => (await workplace().editor().list()).accounts;
  const listedIds = async () => (await listed()).map(({ accountId }) => accountId);

  const add = (draft: AccountDraft = DRAFT, derive: (key: SecretBytes) => string = () => 'PublicKey') =>
    addOne(workplace().editor(), { draft, derivePublicKey: derive });

  const replaceKey = (origin: KeyOrigin = {}) =>
    workplace()
      .accounts()
      .replaceKey({ ...MAIN, ...origin, overlap: 0 });

  async function expectRefused(action: Promise<unknown>, part: string): Promise<void> {
    const before = workplace().text();
    const error = await rejection(action);
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.include(part);
    expect(workplace().text()).to.equal(before);
  }

  it('generates a key of its own for each account, and lists the account with its public key', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const profiles = [await add(DRAFT, derivePublicKey), await add({ ...DRAFT, accountId: 'b' }, derivePublicKey)];
    expect((await listed()).map(({ key: _, ...account }) => account)).to.deep.equal(profiles);
    const keys = await loadKeys(workplace().source());
    expect(new Set(keys).size).to.equal(2);
    expect(profiles).to.deep.equal(
      [DRAFT, { ...DRAFT, accountId: 'b' }].map((draft, index) => ({
        ...draft,
        publicKey: opensslPublicKey(Buffer.from(keys[index] ?? '', 'hex')),
      })),
    );
  });

  it('generates another key while the generated one is invalid', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const seen: string[] = [];
    const { publicKey } = await add(DRAFT, (privateKey) => {
      seen.push(derivePublicKey(privateKey));
      if (seen.length < 3) throw new InvalidPrivateKeyError('no key');
      return String(seen.at(-1));
    });
    expect(new Set(seen).size).to.equal(3);
    expect(publicKey).to.equal(seen[2]);
  });

  it('names the way to a key that it cannot generate', async () => {
    const algorithms = ['hmac-sha256', 'rsa-sha256'] as const;
    workplace().write({ ...EMPTY, platforms: [{ platformId: 'alpha', format: 'any', algorithms }] });
    for (const [algorithm, advice] of [
      ['hmac-sha256', 'keyFile is required: a key for hmac-sha256 cannot be generated, because the platform issues it'],
      ['rsa-sha256', 'create it with `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out FILE`'],
    ] as const) {
      const addition = { draft: { ...DRAFT, algorithm } };
      await expectRefused(addOne(workplace().editor(), addition), advice);
    }
  });

  it('refuses a file whose key the algorithm does not accept, and passes other errors on', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const file = workplace().path('a.key');
    writeFileSync(file, '42'.repeat(32));
    const addFailing = (error: Error) =>
      addOne(workplace().editor(), {
        origin: { keyFile: file },
        derivePublicKey: () => {
          throw error;
        },
      });
    const invalid = new InvalidPrivateKeyError('The key is beyond the group order.');
    await expectRefused(addFailing(invalid), `${file}: The key is beyond the group order`);
    const thrown = new RangeError('from derivePublicKey');
    expect(await rejection(addFailing(thrown))).to.equal(thrown);
    expect(await listed()).to.deep.equal([]);
  });

  it('adds a platform as given, and policies with it or behind those that are there, all or none', async () => {
    workplace().write(EMPTY);
    const [first, second, third] = ['a', 'b', 'c'].map(
      (name): PolicyEntry => ({ name, accounts: ['alpha/*'], effect: 'deny', when: `"${name}" == principal` }),
    ) as [PolicyEntry, PolicyEntry, PolicyEntry];
    const editor = workplace().editor();
    await workplace().configuration().addPlatform(FULL, [first]);
    expect((await editor.list()).platforms).to.deep.equal([FULL]);
    await workplace().configuration().addPolicies([third, second]);
    expect((await editor.list()).policies).to.deep.equal([first, third, second]);
    const again = 'Policy "b" already exists';
    await expectRefused(
      workplace()
        .configuration()
        .addPolicies([{ ...first, name: 'd' }, second]),
      again,
    );
    await expectRefused(
      workplace()
        .configuration()
        .addPlatform({ ...ALPHA, platformId: 'beta' }, [second]),
      again,
    );
    await expectRefused(
      workplace()
        .configuration()
        .addPolicies([{ ...first, name: 'A b' }]),
      'policies[3].name must',
    );
  });

  it('replaces the sealed key by that of a file', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    await add();
    const file = workplace().path('new.key');
    writeFileSync(file, '42'.repeat(32));
    const { account } = await replaceKey({ keyFile: file });
    expect(account.publicKey).to.equal(bs58.encode(ed25519PublicKey(Buffer.alloc(32, 0x42))));
    expect((await workplace().accounts().list()).accounts).to.deep.equal([account]);
    expect(await loadKeys(workplace().source())).to.deep.equal(['42'.repeat(32)]);
  });

  it('applies all changes of concurrent editors, and the last of those that exclude each other', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const ids = Array.from({ length: 12 }, (_, index) => `account-${index}`);
    await Promise.all(ids.map((accountId) => add({ ...DRAFT, accountId })));
    expect(await listedIds()).to.have.members(ids);
    const sameId = await Promise.allSettled([add(), add(), add()]);
    expect(sameId.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
    const changes = await Promise.all([1, 2, 3].map(() => replaceKey()));
    const publicKey = (await listed()).at(-1)?.publicKey;
    expect(changes.map(({ account }) => account.publicKey)).to.include(publicKey);
    const key = (await loadKeys(workplace().source())).at(-1);
    expect(bs58.encode(ed25519PublicKey(Buffer.from(String(key), 'hex')))).to.equal(publicKey);
  });

  it('rejects every change of an invalid configuration with CredentialLoadError', async () => {
    workplace().write({ ...EMPTY, platforms: [{ platformId: 'alpha' }] });
    const editor = workplace().editor();
    for (const call of [
      () => editor.list(),
      () =>
        workplace()
          .configuration()
          .addPlatform({ ...ALPHA, platformId: 'beta' }),
      () => add(),
      () => workplace().accounts().setStatus(MAIN, 'disabled'),
    ]) {
      expect(await rejection(call())).to.be.instanceOf(CredentialLoadError);
    }
  });

  it('writes indented JSON with a final newline, keeps mode 600, orders fields and shows no key', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    chmodSync(workplace().file, 0o600);
    const seen: string[] = [];
    await add(DRAFT, (privateKey) => {
      seen.push(Buffer.from(privateKey).toString('hex'), Buffer.from(privateKey).toString('base64url'));
      return 'PublicKey';
    });
    const text = workplace().text();
    expect(text).to.equal(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
    expect(statSync(workplace().file).mode & 0o7777).to.equal(0o600);
    const [{ key, ...facts }] = JSON.parse(text).accounts;
    expect(Object.keys(facts).join()).to.equal(
      'platformId,accountId,alias,status,environment,algorithm,publicKey,createdAt',
    );
    expect(key.sealed).to.match(/^v1\./);
    expect(seen).to.have.lengthOf(2);
    for (const secret of seen) expect(text).to.not.include(secret.slice(0, 12));
  });

  it('keeps order and fields of unchanged entries, without adding defaults', async () => {
    const created = { createdAt: '2020-01-01T00:00:00Z', key: { file: 'x' } };
    const before = {
      $schema: './credentials.schema.json',
      accounts: [
        { key: { plaintext: 'not looked at' }, algorithm: 'ed25519', accountId: 'z', platformId: 'zeta' },
        { platformId: 'alpha', accountId: 'a', algorithm: 'ed25519', ...created },
      ],
      version: 1,
      platforms: [
        {
          ...{ audit: { clear: ['b', 'a.c'] }, format: 'any', platformId: 'zeta' },
          rules: { raw: { rule: 'raw', encoding: 'base64' } },
        },
        PLATFORM,
      ],
      permissions: [{ principals: ['ops'], operations: ['reload', 'status'] }],
      policies: [{ effect: 'deny', name: 'bots', accounts: ['*/*'], when: 'false', mode: 'audit' }],
    };
    workplace().write(before);
    await add();
    const ids = { platformId: 'alpha', accountId: 'a' };
    await workplace().accounts().setStatus(ids, 'disabled');
    await workplace().configuration().setPlatformStatus('alpha', 'disabled');
    const after = JSON.parse(workplace().text());
    const expected = {
      ...before,
      accounts: [before.accounts[0], { ...before.accounts[1], status: 'disabled' }, after.accounts[2]],
      platforms: [before.platforms[0], { ...PLATFORM, status: 'disabled' }],
    };
    expect(JSON.stringify(after)).to.equal(JSON.stringify(expected));
    await workplace().configuration().setPlatformStatus('alpha', 'active');
    await workplace().accounts().removeAccount(ids);
    const { platforms, accounts } = JSON.parse(workplace().text());
    expect(platforms).to.deep.equal(before.platforms);
    expect(accounts).to.deep.equal([expected.accounts[0], expected.accounts[2]]);
  });

  it('refuses a master key other than the one of the keys in the file, naming both', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    await add();
    const before = workplace().text();
    const [old] = /[0-9a-f]{16}/.exec(JSON.parse(before).accounts[0].key.sealed) ?? [];
    rmSync(workplace().masterKeyFile);
    createMasterKeyFile(workplace().masterKeyFile);
    const error = await rejection(add({ ...DRAFT, accountId: 'second' }));
    expect(error.message).to.include(workplace().masterKeyFile);
    await expectRefused(add({ ...DRAFT, accountId: 'second' }), String(old));
  });

  it('seals under the first master key while keys under an earlier one exist', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    await add();
    workplace().writeRing(plainLine(), workplace().ring());
    await add({ ...DRAFT, accountId: 'second' });
    const [first, second] = JSON.parse(workplace().text()).accounts;
    expect(getSealingKeyId(second.key.sealed)).to.equal(workplace().ids()[0]);
    expect(getSealingKeyId(second.key.sealed)).to.not.equal(getSealingKeyId(first.key.sealed));
    expect(await loadKeys(workplace().source())).to.have.lengthOf(2);
  });

  it('refuses an algorithm or an encoding that the platform does not allow, with what it allows', async () => {
    const other = { platformId: 'other', format: 'any' };
    for (const [platform, message] of [
      [PLATFORM, "algorithm must be one of its platform's algorithms (ed25519)"],
      [
        { platformId: 'alpha', format: 'any', encoding: 'hex' },
        'algorithm does not match the encoding of its platform: signatures of eip191 have a 0x prefix, which the encoding hex lacks; ' +
          'write "encoding": "0x-hex" for platform alpha, or omit encoding',
      ],
    ] as const) {
      workplace().write({ ...EMPTY, platforms: [other, platform] });
      const error = await rejection(add({ ...DRAFT, algorithm: 'eip191' }));
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.equal(message);
      expect(await listedIds()).to.deep.equal([]);
    }
    workplace().write({ ...EMPTY, platforms: [other, { ...PLATFORM, algorithms: ['ed25519', 'eip191'] }] });
    await add({ ...DRAFT, algorithm: 'eip191' });
    expect(await listedIds()).to.deep.equal(['main']);
  });

  it('rejects a missing credentials file or master key with a remedy', async () => {
    const missing = await rejection(workplace().editor().list());
    expect(missing).to.be.instanceOf(CredentialLoadError);
    expect(missing.message).to.include('run `signing-service init`');
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    rmSync(workplace().masterKeyFile);
    const error = await rejection(add());
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.include(workplace().masterKeyFile).and.include('run `signing-service init`');
  });

  it('edits the file behind a symbolic link and keeps the link', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const link = workplace().path('link.json');
    symlinkSync(workplace().file, link);
    const editor = workplace().editor(workplace().keyring(), link);
    await addOne(editor);
    expect(await listedIds()).to.deep.equal(['main']);
    expect(readFileSync(link, 'utf8')).to.equal(workplace().text());
  });

  it('does not overwrite a concurrent change between reading and writing', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const byHand = JSON.stringify({ ...EMPTY, platforms: [PLATFORM, { platformId: 'by-hand', format: 'B' }] });
    const { open } = fs;
    fs.open = async (path, ...rest) => {
      if (String(path).endsWith('.tmp')) workplace().write(byHand);
      return open(path, ...rest);
    };
    syncBuiltinESMExports();
    try {
      const error = await rejection(add());
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.include('was changed by another process').and.include('Run the command again');
      expect(workplace().text()).to.equal(byHand);
    } finally {
      fs.open = open;
      syncBuiltinESMExports();
    }
  });

  describe('adding many accounts', () => {
    const wanted = ['one', 'two'].map((accountId) => ({ platformId: 'alpha', accountId }));
    const addMany = () => workplace().accounts().addAccounts(wanted);

    it('adds all of each concurrent call, and those of one if they conflict', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM] });
      const outcomes = await Promise.allSettled([addMany(), addMany(), addMany()]);
      expect(outcomes.map(({ status }) => status).toSorted()).to.deep.equal(['fulfilled', 'rejected', 'rejected']);
      expect(await listedIds()).to.deep.equal(['one', 'two']);
    });

    it('keeps nobody from stopping a platform meanwhile, and starts again from what it finds', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM] });
      let changes = 0;
      const onProgress = () => {
        changes += 1;
        if (changes === 1) workplace().write({ ...EMPTY, platforms: [{ ...PLATFORM, status: 'disabled' }] });
      };
      await workplace().accounts().addAccounts(wanted, { onProgress });
      expect((await workplace().editor().list()).platforms).to.have.nested.property('[0].status', 'disabled');
      expect(await listedIds()).to.deep.equal(['one', 'two']);
    });

    it('seals under a key of the ring, also if the one that it opened is retired meanwhile', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM] });
      const later = plainLine();
      let changes = 0;
      const derive = () => {
        changes += 1;
        if (changes === 1) workplace().writeRing(later);
        return 'PublicKey';
      };
      await add(DRAFT, derive);
      const [{ key }] = JSON.parse(workplace().text()).accounts;
      expect(getSealingKeyId(key.sealed)).to.equal(workplace().ids()[0]);
      expect(await loadKeys(workplace().source())).to.have.lengthOf(1);
    });

    it('reports every issue, and needs no master key for that', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM, { platformId: 'both', format: 'any' }] });
      await add();
      rmSync(workplace().masterKeyFile);
      const specs = [{ platformId: 'both', accountId: 'a' }, MAIN, { ...MAIN, accountId: 'b', keyFile: '/nowhere' }];
      const error = await rejection(workplace().accounts().addAccounts(specs));
      const { issues } = error as AccountIssuesError;
      expect(issues.map(({ account, field }) => [account, field])).to.deep.equal([
        [specs[0], 'algorithm'],
        [specs[1], 'accountId'],
        [specs[2], 'keyFile'],
      ]);
    });

    it('is refused if no master key opens an existing account', async () => {
      const account = { ...DRAFT, accountId: 'foreign', publicKey: 'PublicKey' };
      const key = { sealed: workplace().seal(account, Buffer.alloc(32, 1)) };
      workplace().write({ ...EMPTY, platforms: [PLATFORM], accounts: [{ ...account, key }] });
      rmSync(workplace().masterKeyFile);
      createMasterKeyFile(workplace().masterKeyFile);
      await expectRefused(addMany(), 'Keys are sealed under master key ');
    });
  });
});
