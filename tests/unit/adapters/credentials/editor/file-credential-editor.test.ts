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
import type {
  AccountAddition,
  AccountChange,
  AccountDraft,
  AdditionOptions,
  CredentialListing,
  KeyOrigin,
  KeyReplacement,
} from '../../../../../src/ports/credential-editor.ts';
import { ed25519PublicKey } from '../../../../process-memory/secrets.ts';
import { addOne, createMasterKeyFile, plainLine, rejection, useWorkplace } from '../credentials-workplace.ts';
import { loadKeys } from '../sealed-accounts.ts';

const EMPTY = { version: 1, platforms: [], accounts: [] };
const PLATFORM = { platformId: 'alpha', format: 'A' } as const;
const ALPHA = { ...PLATFORM, algorithms: ['ed25519'], payload: { rule: 'jcs' } } as const;
const FULL: Platform = {
  ...{ platformId: 'alpha', format: 'any', algorithms: ['hmac-sha256'], payload: { rule: 'raw' }, encoding: 'hex' },
  ...{ rules: { text: { rule: 'raw', encoding: 'base64' } }, audit: { clear: ['message.price', 'memo'] } },
  ...{ secretDecoding: 'hex', verify: { mac: true }, status: 'disabled' },
};
const DRAFT: AccountDraft = {
  ...{ platformId: 'alpha', accountId: 'main', alias: 'main', status: 'active', environment: 'production' },
  ...{ algorithm: 'ed25519', createdAt: '2026-11-20T00:00:00.000Z' },
};

/** Hex of the Ed25519 public key, by libsodium. */
function derivePublicKey(privateKey: SecretBytes): string {
  const publicKey = Buffer.alloc(32);
  sodium.crypto_sign_seed_keypair(publicKey, Buffer.alloc(64), privateKey);
  return publicKey.toString('hex');
}

/** A replacement of the key of {@link DRAFT}. */
function replacementBy(origin: KeyOrigin): KeyReplacement {
  return { origin, derivePublicKey, values: {}, overlapSeconds: 0 };
}

/** The same by OpenSSL. */
const opensslPublicKey = (seed: Buffer) => ed25519PublicKey(seed).toString('hex');

describe('FileCredentialEditor', () => {
  const workplace = useWorkplace();
  const listed = async () => (await workplace().editor().list()).accounts;
  const listedIds = async () => (await listed()).map(({ accountId }) => accountId);

  const add = (draft: AccountDraft = DRAFT, derive: (key: SecretBytes) => string = () => 'PublicKey') =>
    addOne(workplace().editor(), { draft, derivePublicKey: derive });

  async function replaceKey(origin: KeyOrigin): Promise<AccountChange> {
    const change = await workplace()
      .editor()
      .replaceKey(DRAFT, async () => replacementBy(origin), false);
    if ('message' in change) throw new Error(change.message);
    return change;
  }

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
        origin: { kind: 'file', file },
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
    const change = await replaceKey({ kind: 'file', file });
    expect(change.account.publicKey).to.equal(opensslPublicKey(Buffer.alloc(32, 0x42)));
    expect(await listed()).to.deep.equal([change.account]);
    expect(await loadKeys(workplace().source())).to.deep.equal(['42'.repeat(32)]);
  });

  it('applies all changes of concurrent editors, and the last of those that exclude each other', async () => {
    workplace().write({ ...EMPTY, platforms: [PLATFORM] });
    const ids = Array.from({ length: 12 }, (_, index) => `account-${index}`);
    await Promise.all(ids.map((accountId) => add({ ...DRAFT, accountId })));
    expect(await listedIds()).to.have.members(ids);
    const sameId = await Promise.allSettled([add(), add(), add()]);
    expect(sameId.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
    const changes = await Promise.all([1, 2, 3].map(() => replaceKey({ kind: 'generate' })));
    const publicKey = (await listed()).at(-1)?.publicKey;
    expect(changes.map(({ account }) => account.publicKey)).to.include(publicKey);
    const key = (await loadKeys(workplace().source())).at(-1);
    expect(opensslPublicKey(Buffer.from(String(key), 'hex'))).to.equal(publicKey);
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
      () => editor.addAccounts(async () => [], { dryRun: false }),
      () => editor.setStatus('alpha', 'main', 'disabled'),
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
    await workplace().editor().setStatus('alpha', 'a', 'disabled');
    await workplace().configuration().setPlatformStatus('alpha', 'disabled');
    const after = JSON.parse(workplace().text());
    const expected = {
      ...before,
      accounts: [before.accounts[0], { ...before.accounts[1], status: 'disabled' }, after.accounts[2]],
      platforms: [before.platforms[0], { ...PLATFORM, status: 'disabled' }],
    };
    expect(JSON.stringify(after)).to.equal(JSON.stringify(expected));
    await workplace().configuration().setPlatformStatus('alpha', 'active');
    await workplace().editor().removeAccount('alpha', 'a');
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
    const wanted: readonly AccountAddition[] = ['one', 'two'].map((accountId) => ({
      draft: { ...DRAFT, accountId },
      origin: { kind: 'generate' },
      derivePublicKey: () => 'PublicKey',
    }));
    const addMany = (options: Partial<AdditionOptions> = {}) =>
      workplace()
        .editor()
        .addAccounts(async () => wanted.map((addition) => ({ addition })), { dryRun: false, ...options });

    it('adds all of each concurrent call, and those of one if they conflict', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM] });
      const outcomes = await Promise.all([addMany(), addMany(), addMany()]);
      expect(outcomes.map(({ outcome }) => outcome).toSorted()).to.deep.equal(['added', 'refused', 'refused']);
      expect(await listedIds()).to.deep.equal(['one', 'two']);
    });

    it('keeps nobody from stopping a platform meanwhile, and starts again from what it finds', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM] });
      const seen: (string | undefined)[] = [];
      const plan = async ({ platforms }: CredentialListing) => {
        seen.push(platforms[0]?.status);
        if (seen.length === 1) await workplace().configuration().setPlatformStatus('alpha', 'disabled');
        return wanted.map((addition) => ({ addition }));
      };
      const outcome = await workplace().editor().addAccounts(plan, { dryRun: false });
      expect(outcome).to.deep.include({ outcome: 'added' });
      expect(seen).to.deep.equal([undefined, 'disabled']);
      expect((await workplace().editor().list()).platforms).to.have.nested.property('[0].status', 'disabled');
      expect(await listedIds()).to.deep.equal(['one', 'two']);
    });

    it('seals under a key of the ring, also if the one that it opened is retired meanwhile', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM] });
      const later = plainLine();
      let changes = 0;
      const [one] = wanted as [AccountAddition];
      const derive = () => {
        changes += 1;
        if (changes === 1) workplace().writeRing(later);
        return 'PublicKey';
      };
      const plan = async () => [{ addition: { ...one, derivePublicKey: derive } }];
      await workplace().editor().addAccounts(plan, { dryRun: false });
      const [{ key }] = JSON.parse(workplace().text()).accounts;
      expect(getSealingKeyId(key.sealed)).to.equal(workplace().ids()[0]);
      expect(await loadKeys(workplace().source())).to.have.lengthOf(1);
    });

    it('reports issues of the plan together with its own, and needs no master key for that', async () => {
      workplace().write({ ...EMPTY, platforms: [PLATFORM] });
      rmSync(workplace().masterKeyFile);
      const [one] = wanted as [AccountAddition];
      const plan = async () => [
        { addition: null, issue: { field: 'algorithm', message: 'is required' } },
        { addition: one },
        { addition: { ...one, origin: { kind: 'file', file: '/nowhere' } as const } },
      ];
      const outcome = await workplace().editor().addAccounts(plan, { dryRun: false });
      expect(outcome).to.deep.include({ outcome: 'refused' });
      const issues = outcome.outcome === 'refused' ? outcome.issues : [];
      expect(issues.map(({ index, field }) => [index, field])).to.deep.equal([
        [0, 'algorithm'],
        [2, 'accountId'],
        [2, 'keyFile'],
      ]);
    });

    /** Sealed under an unavailable master key. */
    function foreignContent(): object {
      const account = { ...DRAFT, accountId: 'foreign', publicKey: 'PublicKey' };
      const key = { sealed: workplace().seal(account, Buffer.alloc(32, 1)) };
      return { ...EMPTY, platforms: [PLATFORM], accounts: [{ ...account, key }] };
    }

    it('is refused if no master key opens an existing account', async () => {
      const foreign = JSON.stringify(foreignContent());
      workplace().write(foreign);
      rmSync(workplace().masterKeyFile);
      createMasterKeyFile(workplace().masterKeyFile);
      const error = await rejection(addMany());
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.match(/^Keys are sealed under master key [0-9a-f]{16} \(accounts: 1\), but /);
      expect(workplace().text()).to.equal(foreign);
    });
  });
});
