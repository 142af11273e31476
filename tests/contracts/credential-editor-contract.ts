import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { expect } from 'chai';
import sodium from 'sodium-native';
import { type KeyLengths, SECRET_DECODINGS, type SecretBytes } from '../../src/domain/model/account.ts';
import { CredentialLoadError, EditRefusedError, InvalidPrivateKeyError } from '../../src/domain/model/errors.ts';
import type { PermissionEntry } from '../../src/domain/model/permissions.ts';
import type { Platform } from '../../src/domain/model/platform.ts';
import type { PolicyEntry } from '../../src/domain/model/policy.ts';
import type {
  AccountAddition,
  AccountDraft,
  AccountEdit,
  AdditionIssue,
  AdditionOptions,
  CredentialEditor,
  KeyFileFormat,
  KeyOrigin,
  KeyReplacement,
} from '../../src/ports/credential-editor.ts';
import { LENGTH_32 } from '../doubles/credential-builder.ts';

/** An editable configuration. */
export interface CredentialEditorHarness {
  /** An editor of the configuration, which is empty at first. */
  makeEditor(): CredentialEditor;
  /** Writes a file, the same one for the same name, and returns its path. */
  writeKeyFile(content: string | Uint8Array, name?: string): Promise<string>;
  /** The private key that a service would load: a known test key, so plain memory is fine. */
  loadKey(platformId: string, accountId: string, lengths: KeyLengths): Promise<Buffer>;
  /** Writes a permissions list into the configuration. */
  permit(permissions: readonly PermissionEntry[]): Promise<void>;
  /** Writes policies into the configuration. */
  restrict(policies: readonly PolicyEntry[]): Promise<void>;
  /** Makes the configuration invalid. */
  spoil(): Promise<void>;
  dispose(): Promise<void>;
}

const ALPHA: Platform = { platformId: 'alpha', format: 'A', algorithms: ['ed25519'], payload: { rule: 'jcs' } };
const BETA: Platform = {
  platformId: 'beta',
  format: 'B',
  algorithms: ['eip191'],
  encoding: '0x-hex',
  payload: { rule: 'jcs', field: 'message' },
};
const DRAFT: AccountDraft = {
  platformId: 'alpha',
  accountId: 'main',
  alias: 'Alpha main',
  status: 'active',
  environment: 'staging',
  algorithm: 'ed25519',
  createdAt: '2026-11-20T00:00:00.000Z',
};
const SEED = Buffer.alloc(32, 0x42);
const HMAC_LENGTHS: KeyLengths = { min: 1, max: 1024 };

/** Hex of the Ed25519 public key, by libsodium. */
function derivePublicKey(privateKey: SecretBytes): string {
  const publicKey = Buffer.alloc(32);
  sodium.crypto_sign_seed_keypair(publicKey, Buffer.alloc(64), privateKey);
  return publicKey.toString('hex');
}

/** The same by OpenSSL, from the seed in PKCS#8 (RFC 8410 §7). */
function opensslPublicKey(seed: Buffer): string {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const publicKey = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
}

/** Contract of every CredentialEditor. `makeHarness` returns a fresh configuration. */
export function describeCredentialEditorContract(
  name: string,
  makeHarness: () => Promise<CredentialEditorHarness>,
): void {
  describe(`CredentialEditor contract: ${name}`, () => {
    let harness: CredentialEditorHarness;
    let editor: CredentialEditor;

    beforeEach(async () => {
      harness = await makeHarness();
      editor = harness.makeEditor();
      await editor.addPlatform(ALPHA);
    });
    afterEach(() => harness.dispose());

    const generate = (draft: AccountDraft = DRAFT) =>
      editor.addAccount(draft, { kind: 'generate' }, LENGTH_32, derivePublicKey);

    describe('a passphrase file', () => {
      const draft: AccountDraft = { ...DRAFT, platformId: 'mac', algorithm: 'hmac-sha256', values: { apiKey: 'K' } };
      const prehash = { rule: 'prehash', template: '{path}{account.apiKey}', passphrase: 'mac' } as const;
      const sign = (privateKey: SecretBytes, passphrase: SecretBytes) =>
        `${Buffer.from(passphrase).toString()}-with-${Buffer.from(privateKey).toString()}`;

      beforeEach(async () => {
        await editor.addPlatform({ platformId: 'mac', format: 'any', algorithms: ['hmac-sha256'], payload: prehash });
      });

      it('becomes the value passphrase, without its final newline, beside the other values', async () => {
        const file = await harness.writeKeyFile('secret');
        const passphraseFile = await harness.writeKeyFile('my-passphrase\n', 'passphrase');
        const origin = { kind: 'file', file, passphraseFile } as const;
        const profile = await editor.addAccount(draft, origin, HMAC_LENGTHS, () => 'hmac:0123456789abcdef', sign);
        const values = { apiKey: 'K', passphrase: 'my-passphrase-with-secret' };
        expect(profile.values).to.deep.equal(values);
        expect((await harness.makeEditor().list()).accounts.map((account) => account.values)).to.deep.equal([values]);
      });

      it('is read for each of many accounts, and checked in a dry run', async () => {
        const file = await harness.writeKeyFile('secret');
        const passphraseFile = await harness.writeKeyFile('my passphrase', 'passphrase');
        const origin = { kind: 'file', file, passphraseFile } as const;
        const addition = {
          ...{ draft, origin, lengths: HMAC_LENGTHS, signPassphrase: sign },
          derivePublicKey: () => 'hmac:0123456789abcdef',
        };
        const issues = async (origin: KeyOrigin, dryRun: boolean) => {
          const outcome = await editor.addAccounts([{ ...addition, origin }], { dryRun, skipExisting: false });
          return outcome.outcome === 'refused' ? outcome.issues.map(({ field }) => field) : [];
        };
        expect(await issues(origin, true)).to.deep.equal(['passphraseFile']);
        expect(await issues(origin, false)).to.deep.equal(['passphraseFile']);
        expect(await issues({ ...origin, passphraseFile: `${passphraseFile}-missing` }, true)).to.deep.equal([
          'passphraseFile',
        ]);
        const good = await harness.writeKeyFile('my-passphrase', 'good');
        expect(await issues({ ...origin, passphraseFile: good }, false)).to.deep.equal([]);
        const [account] = (await editor.list()).accounts;
        expect(account?.values).to.deep.equal({ apiKey: 'K', passphrase: 'my-passphrase-with-secret' });
      });
    });

    it('lists platforms in the order they were added', async () => {
      await editor.addPlatform(BETA);
      expect((await editor.list()).platforms).to.deep.equal([ALPHA, BETA]);
    });

    it('keeps the named rules of a platform through later changes', async () => {
      const rules = {
        raw: { rule: 'raw', encoding: 'base64' },
        user: { rule: 'typed-data', algorithm: 'eip712' },
      } as const;
      await editor.addPlatform({ ...BETA, rules });
      await generate();
      expect((await editor.list()).platforms).to.deep.equal([ALPHA, { ...BETA, rules }]);
      const draft = { ...DRAFT, platformId: 'gamma', values: { id: 'x' } };
      const login = { rule: 'prehash', template: '{timestamp}{account.id}{account.key}' } as const;
      await editor.addPlatform({ ...ALPHA, platformId: 'gamma', rules: { login } });
      const added = editor.addAccount(draft, { kind: 'generate' }, LENGTH_32, derivePublicKey);
      await refused(added, 'requires key of each account; set --value key=…');
    });

    it('keeps the clear audit fields of a platform through later changes', async () => {
      const audit = { clear: ['message.price', 'memo'] };
      await editor.addPlatform({ ...BETA, audit });
      await generate();
      await editor.setStatus('alpha', 'main', 'disabled');
      expect((await editor.list()).platforms).to.deep.equal([ALPHA, { ...BETA, audit }]);
    });

    it('adds policies with a platform, and keeps them through every change', async () => {
      const policies: readonly PolicyEntry[] = [
        { name: 'beta-orders', accounts: ['beta/*'], effect: 'allow', when: 'true', mode: 'audit' },
        { name: 'no-bots', accounts: ['beta/*'], principals: ['bot-*'], effect: 'deny', when: 'true' },
      ];
      await editor.addPlatform(BETA, policies);
      await generate();
      await editor.setStatus('alpha', 'main', 'disabled');
      await editor.addPlatform({ ...BETA, platformId: 'gamma' });
      expect((await editor.list()).policies).to.deep.equal(policies);
      const again = policies.slice(1);
      await refused(editor.addPlatform({ ...BETA, platformId: 'delta' }, again), 'Policy "no-bots" already exists');
      expect((await editor.list()).platforms.map(({ platformId }) => platformId)).to.not.include('delta');
    });

    it('adds policies behind those that are there, all or none', async () => {
      const [first, second, third] = ['a', 'b', 'c'].map(
        (name): PolicyEntry => ({ name, accounts: ['alpha/*'], effect: 'deny', when: `"${name}" == principal` }),
      ) as [PolicyEntry, PolicyEntry, PolicyEntry];
      await editor.addPolicies([first]);
      await editor.addPolicies([third, second]);
      expect((await editor.list()).policies).to.deep.equal([first, third, second]);
      await refused(editor.addPolicies([{ ...first, name: 'd' }, second]), 'Policy "b" already exists');
      await refused(editor.addPolicies([{ ...first, name: 'A b' }]), 'name must');
      expect((await editor.list()).policies).to.have.length(3);
    });

    it('lists permissions, and keeps them through every change', async () => {
      expect((await editor.list()).permissions).to.equal(null);
      const lists: readonly (readonly PermissionEntry[])[] = [
        [],
        [
          { principals: ['bot-*', 'anonymous'], accounts: ['alpha/*'], operations: ['sign'] },
          { principals: ['ops'], operations: ['reload', 'status'] },
        ],
      ];
      for (const [index, permissions] of lists.entries()) {
        await harness.permit(permissions);
        await editor.addPlatform({ ...BETA, platformId: `beta-${index}` });
        const accountId = `main-${index}`;
        await generate({ ...DRAFT, accountId });
        await editor.setStatus('alpha', accountId, 'disabled');
        expect((await editor.list()).permissions).to.deep.equal(permissions);
      }
    });

    it('lists policies, and keeps them through every change', async () => {
      expect((await editor.list()).policies).to.deep.equal([]);
      const policies: readonly PolicyEntry[] = [
        { name: 'orders', accounts: ['alpha/*'], effect: 'allow', when: 'signed.text != ""' },
        { name: 'bots', accounts: ['*/*'], principals: ['bot-*'], effect: 'deny', when: 'false', mode: 'audit' },
      ];
      await harness.restrict(policies);
      await editor.addPlatform(BETA);
      await generate();
      await editor.setStatus('alpha', 'main', 'disabled');
      await editor.removeAccount('alpha', 'main');
      expect((await editor.list()).policies).to.deep.equal(policies);
    });

    it('adds an account with a generated key, and returns its public key', async () => {
      const profile = await generate();
      const key = await harness.loadKey('alpha', 'main', LENGTH_32);
      expect(profile).to.deep.equal({ ...DRAFT, publicKey: opensslPublicKey(key) });
      expect((await editor.list()).accounts).to.deep.equal([profile]);
    });

    it('generates a different key for every account', async () => {
      await generate();
      await generate({ ...DRAFT, accountId: 'other' });
      const first = await harness.loadKey('alpha', 'main', LENGTH_32);
      expect((await harness.loadKey('alpha', 'other', LENGTH_32)).equals(first)).to.equal(false);
    });

    it('imports a key from a file', async () => {
      const file = await harness.writeKeyFile(`${SEED.toString('hex')}\n`);
      const profile = await editor.addAccount(DRAFT, { kind: 'file', file }, LENGTH_32, derivePublicKey);
      expect(profile.publicKey).to.equal(opensslPublicKey(SEED));
      expect((await harness.loadKey('alpha', 'main', LENGTH_32)).equals(SEED)).to.equal(true);
    });

    describe('for HMAC', () => {
      const secret = 'wBkFgXSvJ3rTkHxUnr9Ai0P3Xvlt5YYb';
      const secretBytes = (format: KeyFileFormat): Buffer => {
        if (format === 'hex' || format === 'base64' || format === 'base64url') return Buffer.from(secret, format);
        return Buffer.from(format === 'base64-text' ? Buffer.from(secret).toString('base64') : secret);
      };
      /** Depends on the key bytes alone. */
      const nameOf = (privateKey: SecretBytes) => `hmac:${createHash('sha256').update(privateKey).digest('hex')}`;
      const platform: Platform = { ...BETA, algorithms: ['hmac-sha256'], encoding: 'base64' };
      const draft: AccountDraft = { ...DRAFT, platformId: 'beta', algorithm: 'hmac-sha256' };

      for (const secretDecoding of [undefined, ...SECRET_DECODINGS]) {
        const text = secretDecoding === 'hex' ? secretBytes('base64').toString('hex') : secret;
        const expected = secretDecoding === 'hex' ? secretBytes('base64') : secretBytes(secretDecoding ?? 'utf8');

        it(`imports a secret in the encoding of its platform: ${secretDecoding ?? 'not configured, so the text itself'}`, async () => {
          await editor.addPlatform({ ...platform, ...(secretDecoding === undefined ? {} : { secretDecoding }) });
          const file = await harness.writeKeyFile(`${text}\n`);
          const profile = await editor.addAccount(draft, { kind: 'file', file }, HMAC_LENGTHS, nameOf);
          expect(profile.publicKey).to.equal(nameOf(expected));
          expect(await harness.loadKey('beta', 'main', HMAC_LENGTHS)).to.deep.equal(expected);
          expect((await editor.list()).accounts).to.deep.equal([profile]);
        });
      }

      it('uses an explicit key file format instead of the platform encoding', async () => {
        await editor.addPlatform({ ...platform, secretDecoding: 'hex' });
        const file = await harness.writeKeyFile(secret);
        for (const format of ['raw', 'utf8', 'base64', 'base64url', 'base64-text'] as const) {
          const named = { ...draft, accountId: format };
          await editor.addAccount(named, { kind: 'file', file, format }, HMAC_LENGTHS, nameOf);
          const key = await harness.loadKey('beta', format, HMAC_LENGTHS);
          expect(key.equals(secretBytes(format)), format).to.equal(true);
        }
        await refused(editor.addAccount(draft, { kind: 'file', file }, HMAC_LENGTHS, nameOf), file);
      });

      it('imports secrets of 1 and 1024 bytes, and refuses 0 and 1025', async () => {
        await editor.addPlatform(platform);
        for (const length of [1, 1024]) {
          const file = await harness.writeKeyFile('s'.repeat(length));
          const named = { ...draft, accountId: `of-${length}` };
          await editor.addAccount(named, { kind: 'file', file }, HMAC_LENGTHS, nameOf);
          expect(await harness.loadKey('beta', named.accountId, HMAC_LENGTHS)).to.have.length(length);
        }
        for (const text of ['', '\n', 's'.repeat(1025)]) {
          const file = await harness.writeKeyFile(text);
          await refused(editor.addAccount(draft, { kind: 'file', file }, HMAC_LENGTHS, nameOf), file);
        }
      });

      it('generates no secret, and reports that the platform issues it', async () => {
        await editor.addPlatform(platform);
        await refused(
          editor.addAccount(draft, { kind: 'generate' }, HMAC_LENGTHS, nameOf),
          'cannot be generated: the platform issues it. Save the secret to a file and set --key-file',
        );
        expect((await editor.list()).accounts).to.deep.equal([]);
      });
    });

    it('generates no RSA key, and names the command that does', async () => {
      await editor.addPlatform({ ...BETA, algorithms: ['rsa-sha256'] });
      await refused(
        editor.addAccount(
          { ...DRAFT, platformId: 'beta', algorithm: 'rsa-sha256' },
          { kind: 'generate' },
          { min: 1000, max: 2400 },
          derivePublicKey,
        ),
        'cannot be generated: create it with `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out FILE`',
      );
    });

    it('generates another key while the generated one is invalid', async () => {
      const seen: string[] = [];
      const profile = await editor.addAccount(DRAFT, { kind: 'generate' }, LENGTH_32, (privateKey) => {
        const publicKey = derivePublicKey(privateKey);
        seen.push(publicKey);
        if (seen.length < 3) throw new InvalidPrivateKeyError('no key');
        return publicKey;
      });
      expect(new Set(seen).size).to.equal(3);
      expect(profile.publicKey).to.equal(seen[2]);
    });

    it('refuses a key file without a valid key for the algorithm, and adds nothing', async () => {
      const file = await harness.writeKeyFile(SEED.toString('hex'));
      await refused(
        editor.addAccount(DRAFT, { kind: 'file', file }, LENGTH_32, () => {
          throw new InvalidPrivateKeyError('The key is beyond the group order.');
        }),
        `${file}: The key is beyond the group order.`,
      );
      expect((await editor.list()).accounts).to.deep.equal([]);
    });

    it('refuses a missing or malformed key file, naming it', async () => {
      const wrong = await harness.writeKeyFile('certainly not a key');
      for (const file of [wrong, `${wrong}.missing`]) {
        await refused(editor.addAccount(DRAFT, { kind: 'file', file }, LENGTH_32, derivePublicKey), file);
      }
    });

    it('rethrows unexpected errors of derivePublicKey, and adds nothing', async () => {
      const thrown = new RangeError('from derivePublicKey');
      const failure = editor.addAccount(DRAFT, { kind: 'generate' }, LENGTH_32, () => {
        throw thrown;
      });
      expect(await rejection(failure)).to.equal(thrown);
      expect((await editor.list()).accounts).to.deep.equal([]);
    });

    it('refuses an existing platform or account', async () => {
      await generate();
      const before = await editor.list();
      await refused(editor.addPlatform({ ...BETA, platformId: 'alpha' }), '"alpha" already exists');
      await refused(generate({ ...DRAFT, alias: 'Another' }), '"main" already exists on platform "alpha"');
      expect(await editor.list()).to.deep.equal(before);
    });

    it('refuses an account on an unknown platform or with an algorithm that its platform does not allow', async () => {
      await refused(generate({ ...DRAFT, platformId: 'omega' }), 'Platform "omega" does not exist');
      await refused(generate({ ...DRAFT, algorithm: 'eip191' }), 'does not allow eip191; its algorithms are ed25519');
      expect((await editor.list()).accounts).to.deep.equal([]);
    });

    it('refuses invalid ids, labels and lists, naming the field', async () => {
      await refused(editor.addPlatform({ ...BETA, platformId: '../beta' }), 'platformId must be');
      await refused(editor.addPlatform({ ...BETA, algorithms: [] }), 'algorithms must');
      await refused(editor.addPlatform({ ...BETA, audit: { clear: ['a', 'b[0]'] } }), 'audit.clear[1] must be');
      await refused(editor.addPlatform({ ...BETA, audit: { clear: ['a', 'a'] } }), 'audit.clear must not have');
      await refused(generate({ ...DRAFT, accountId: 'a/b' }), 'accountId must be');
      await refused(generate({ ...DRAFT, alias: 'line\nbreak' }), 'alias must be');
      await refused(generate({ ...DRAFT, environment: 'Production' }), 'environment must be');
      expect(await editor.list()).to.deep.equal({
        platforms: [ALPHA],
        accounts: [],
        permissions: null,
        policies: [],
        budgets: [],
      });
    });

    it('refuses a payload rule that does not fit the platform format, and suggests a fix', async () => {
      for (const format of ['A', 'B', 'C', 'D'] as const) {
        const addition = editor.addPlatform({ ...BETA, format, payload: { rule: 'raw' } });
        await refused(addition, 'set format to any, or rule to jcs, json, query or prehash');
      }
      expect((await editor.list()).platforms).to.deep.equal([ALPHA]);
      await editor.addPlatform({ ...BETA, format: 'any', payload: { rule: 'raw' } });
    });

    it('changes the status of one account and nothing else', async () => {
      const first = await generate();
      const second = await generate({ ...DRAFT, accountId: 'other' });
      await editor.setStatus('alpha', 'main', 'disabled');
      expect((await editor.list()).accounts).to.deep.equal([{ ...first, status: 'disabled' }, second]);
      await editor.setStatus('alpha', 'main', 'active');
      await editor.setStatus('alpha', 'main', 'active');
      expect((await editor.list()).accounts).to.deep.equal([first, second]);
    });

    describe('changing the status of an account that shares its key', () => {
      /** Three accounts with one key, and one with another. */
      async function share(): Promise<void> {
        const file = await harness.writeKeyFile(SEED);
        for (const accountId of ['main', 'twin', 'triplet']) {
          await editor.addAccount(
            { ...DRAFT, accountId },
            { kind: 'file', file, format: 'raw' },
            LENGTH_32,
            derivePublicKey,
          );
        }
        await generate({ ...DRAFT, accountId: 'other' });
      }

      const statuses = async () =>
        (await editor.list()).accounts.map(({ accountId, status }) => `${accountId} ${status}`);

      it('changes only that account, and names the others', async () => {
        await share();
        const { sameKey, uncompared } = await editor.setStatus('alpha', 'twin', 'disabled');
        const { platformId, algorithm } = DRAFT;
        expect(sameKey).to.deep.equal(
          ['main', 'triplet'].map((accountId) => ({ platformId, accountId, algorithm, status: 'active' })),
        );
        expect(uncompared).to.deep.equal([]);
        expect(await statuses()).to.deep.equal(['main active', 'twin disabled', 'triplet active', 'other active']);
      });

      it('changes all of them if requested', async () => {
        await share();
        const { sameKey } = await editor.setStatus('alpha', 'twin', 'disabled', 'same-key');
        expect(sameKey.map(({ accountId, status }) => `${accountId} ${status}`)).to.deep.equal([
          'main disabled',
          'triplet disabled',
        ]);
        expect(await statuses()).to.deep.equal(['main disabled', 'twin disabled', 'triplet disabled', 'other active']);
      });
    });

    it('changes the status of one platform and nothing else', async () => {
      await editor.addPlatform(BETA);
      const account = await generate();
      const disabled = { ...ALPHA, status: 'disabled' as const };
      for (let times = 0; times < 2; times += 1) {
        await editor.setPlatformStatus('alpha', 'disabled');
        expect(await editor.list()).to.deep.equal({
          platforms: [disabled, BETA],
          accounts: [account],
          permissions: null,
          policies: [],
          budgets: [],
        });
      }
      const second = await generate({ ...DRAFT, accountId: 'other' });
      for (let times = 0; times < 2; times += 1) {
        await editor.setPlatformStatus('alpha', 'active');
        expect(await editor.list()).to.deep.equal({
          platforms: [ALPHA, BETA],
          accounts: [account, second],
          permissions: null,
          policies: [],
          budgets: [],
        });
      }
    });

    it('refuses to change the status of an unknown platform', async () => {
      for (const status of ['disabled', 'active'] as const) {
        await refused(
          editor.setPlatformStatus('omega', status),
          'Platform "omega" does not exist; nothing was changed',
        );
      }
      expect((await editor.list()).platforms).to.deep.equal([ALPHA]);
    });

    it('adds a disabled platform as disabled', async () => {
      const disabled = { ...BETA, status: 'disabled' as const };
      await editor.addPlatform(disabled);
      expect((await editor.list()).platforms).to.deep.equal([ALPHA, disabled]);
    });

    it('refuses to change the status of an unknown account', async () => {
      await generate();
      await refused(editor.setStatus('alpha', 'omega', 'disabled'), 'No such account: "omega" on platform "alpha"');
      await refused(editor.setStatus('omega', 'main', 'disabled'), 'No such account: "main" on platform "omega"');
    });

    describe('replacing the key of an account', () => {
      const SECOND = Buffer.alloc(32, 0x43);
      const replacement = (fields: Partial<KeyReplacement> = {}): KeyReplacement => ({
        ...{ platformId: 'alpha', accountId: 'main', algorithm: 'ed25519', origin: { kind: 'generate' } },
        ...{ lengths: LENGTH_32, derivePublicKey, values: {}, overlapSeconds: 0, dryRun: false },
        ...fields,
      });
      const fromFile = async (key: Buffer): Promise<KeyOrigin> => ({
        kind: 'file',
        file: await harness.writeKeyFile(key.toString('hex')),
      });

      it('changes its key and public key, and nothing else', async () => {
        await editor.addPlatform(BETA);
        const main = await generate();
        const other = await generate({ ...DRAFT, accountId: 'other' });
        await editor.setStatus('alpha', 'main', 'disabled');
        const before = await editor.list();
        const change = await editor.replaceKey(replacement({ origin: await fromFile(SECOND) }));
        const account = { ...main, status: 'disabled', publicKey: opensslPublicKey(SECOND) };
        expect(change).to.deep.equal({ before: before.accounts[0], account });
        expect(await editor.list()).to.deep.equal({ ...before, accounts: [account, other] });
        expect(await harness.loadKey('alpha', 'main', LENGTH_32)).to.deep.equal(SECOND);
      });

      it('generates a key, and once more while the generated one is invalid', async () => {
        const { publicKey } = await generate();
        let calls = 0;
        const { account } = await editor.replaceKey(
          replacement({
            derivePublicKey: (privateKey) => {
              calls += 1;
              if (calls < 3) throw new InvalidPrivateKeyError('It is out of range.');
              return derivePublicKey(privateKey);
            },
          }),
        );
        expect(account.publicKey).to.not.equal(publicKey);
        expect(opensslPublicKey(await harness.loadKey('alpha', 'main', LENGTH_32))).to.equal(account.publicKey);
      });

      it('sets the named values and keeps the others', async () => {
        const rule = { rule: 'prehash', template: '{account.id}{account.key}{data.a}' } as const;
        await editor.addPlatform({ ...ALPHA, platformId: 'gamma', format: 'any', payload: rule });
        await generate({ ...DRAFT, platformId: 'gamma', values: { id: 'x', key: 'old' } });
        const change = await editor.replaceKey(replacement({ platformId: 'gamma', values: { key: 'new' } }));
        expect(change.account.values).to.deep.equal({ id: 'x', key: 'new' });
        expect((await editor.list()).accounts).to.deep.equal([change.account]);
        const unknown = replacement({ platformId: 'gamma', values: { kee: 'new' } });
        await refused(editor.replaceKey(unknown), 'has no value named "kee"');
      });

      it('refuses the key that the account has, unless values change', async () => {
        const rule = { rule: 'prehash', template: '{account.key}{data.a}' } as const;
        await editor.addPlatform({ ...ALPHA, platformId: 'gamma', format: 'any', payload: rule });
        const draft = { ...DRAFT, platformId: 'gamma', values: { key: 'old' } };
        const origin = await fromFile(SEED);
        await editor.addAccount(draft, origin, LENGTH_32, derivePublicKey);
        const before = await editor.list();
        const same = replacement({ platformId: 'gamma', origin });
        await refused(
          editor.replaceKey(same),
          'Account "main" on platform "gamma" has this key already; nothing was changed',
        );
        expect(await editor.list()).to.deep.equal(before);
        const { account } = await editor.replaceKey({ ...same, values: { key: 'new' } });
        expect(account).to.deep.include({ publicKey: opensslPublicKey(SEED), values: { key: 'new' } });
      });

      it('refuses an unknown account, and a key file without a valid key', async () => {
        const { publicKey } = await generate();
        const unknown = editor.replaceKey(replacement({ accountId: 'omega' }));
        await refused(unknown, 'No such account: "omega" on platform "alpha"; nothing was changed');
        const file = await harness.writeKeyFile('no key');
        await refused(editor.replaceKey(replacement({ origin: { kind: 'file', file } })), file);
        expect((await editor.list()).accounts[0]?.publicKey).to.equal(publicKey);
      });

      it('changes nothing in a dry run, and returns the public key of a key file only', async () => {
        await generate();
        const before = await editor.list();
        const origin = await fromFile(SECOND);
        const checked = await editor.replaceKey(replacement({ origin, dryRun: true }));
        expect(checked.account.publicKey).to.equal(opensslPublicKey(SECOND));
        expect((await editor.replaceKey(replacement({ dryRun: true }))).account.publicKey).to.equal(null);
        expect(await editor.list()).to.deep.equal(before);
      });

      it('applies all concurrent replacements, the last of an account being in force', async () => {
        const names = ['one', 'two', 'three'];
        for (const accountId of names) await generate({ ...DRAFT, accountId });
        const changes = await Promise.all(
          [...names, ...names].map((accountId) => harness.makeEditor().replaceKey(replacement({ accountId }))),
        );
        for (const { accountId, publicKey } of (await editor.list()).accounts) {
          const made = changes.map(({ account }) => account).filter((account) => account.accountId === accountId);
          expect(made.map((account) => account.publicKey)).to.include(publicKey);
          expect(opensslPublicKey(await harness.loadKey('alpha', accountId, LENGTH_32))).to.equal(publicKey);
        }
      });
    });

    describe('editing an account', () => {
      const rule = { rule: 'prehash', template: '{account.id}{data.a}' } as const;
      const optional = { rule: 'prehash', template: '{data.a}{account.id}{account.key}' } as const;
      const draft = { ...DRAFT, platformId: 'gamma', values: { id: 'x', key: 'y' } };
      const edit = (change: Partial<AccountEdit>) =>
        editor.editAccount('gamma', 'main', { values: {}, removedValues: [], ...change });

      beforeEach(() => editor.addPlatform({ ...ALPHA, platformId: 'gamma', format: 'any', payload: optional }));

      it('changes the named fields, and nothing else', async () => {
        const account = await generate(draft);
        const other = await generate();
        const key = await harness.loadKey('gamma', 'main', LENGTH_32);
        const change = await edit({ alias: 'Another', environment: 'testnet', values: { id: 'z' } });
        const changed = { ...account, alias: 'Another', environment: 'testnet', values: { id: 'z', key: 'y' } };
        expect(change).to.deep.equal({ before: account, account: changed });
        expect((await editor.list()).accounts).to.deep.equal([changed, other]);
        expect(await harness.loadKey('gamma', 'main', LENGTH_32)).to.deep.equal(key);
      });

      it('removes a value that no template requires, and refuses others', async () => {
        await editor.addPlatform({ ...ALPHA, platformId: 'delta', format: 'any', payload: rule });
        await generate({ ...DRAFT, platformId: 'delta', values: { id: 'x' } });
        const account = await generate(draft);
        const before = await editor.list();
        const remove = (platformId: string, ...removedValues: readonly string[]) =>
          editor.editAccount(platformId, 'main', { values: {}, removedValues });
        await refused(remove('delta', 'id'), 'requires id of each account');
        await refused(remove('gamma', 'other'), 'has no value "other"');
        await refused(edit({ values: { id: 'z' }, removedValues: ['id'] }), 'Value "id" is both set and removed');
        await refused(edit({ values: { other: 'z' } }), 'has no value named "other"');
        await refused(edit({ alias: '' }), 'alias must be 1 to 128 printable characters');
        await refused(edit({ environment: 'A B' }), 'environment must be 1 to 32');
        expect(await editor.list()).to.deep.equal(before);
        expect(account.values).to.deep.equal({ id: 'x', key: 'y' });
      });

      it('refuses an unknown account', async () => {
        await refused(edit({ alias: 'x' }), 'No such account: "main" on platform "gamma"');
      });
    });

    it('shows one account and where its key is, without opening it', async () => {
      const account = await generate();
      const { key, ...shown } = await editor.showAccount('alpha', 'main');
      expect(shown).to.deep.equal({ account, overlapSeconds: 0 });
      expect(key.kind === 'sealed' ? key.masterKeyId : key).to.match(/^[0-9a-f]{16}$/);
      const origin = { kind: 'generate' } as const;
      const tools = { lengths: LENGTH_32, derivePublicKey, values: {}, dryRun: false };
      const ids = { platformId: 'alpha', accountId: 'main', algorithm: 'ed25519' } as const;
      await editor.replaceKey({ ...ids, origin, ...tools, overlapSeconds: 60 });
      expect((await editor.showAccount('alpha', 'main')).overlapSeconds).to.equal(60);
      await refused(editor.showAccount('alpha', 'omega'), 'No such account: "omega" on platform "alpha"');
    });

    it('removes a platform without accounts and nothing else, and names the accounts of another', async () => {
      await editor.addPlatform(BETA);
      const account = await generate();
      for (const accountId of ['b', 'c', 'd', 'e', 'f', 'g']) await generate({ ...DRAFT, accountId });
      const before = await editor.list();
      await refused(
        editor.removePlatform('alpha'),
        'Platform "alpha" has accounts: main, b, c, d, e and 2 more; nothing was changed',
      );
      await refused(editor.removePlatform('omega'), 'Platform "omega" does not exist; nothing was changed');
      expect(await editor.list()).to.deep.equal(before);
      await editor.removePlatform('beta');
      expect(await editor.list()).to.deep.equal({ ...before, platforms: [ALPHA] });
      expect((await editor.list()).accounts[0]).to.deep.equal(account);
    });

    describe('adding many accounts at once', () => {
      const ids = ['one', 'two', 'three'];
      const additions = (from: readonly string[] = ids): readonly AccountAddition[] =>
        from.map((accountId) => addition({ ...DRAFT, accountId }));
      const addition = (draft: AccountDraft, origin: KeyOrigin = { kind: 'generate' }): AccountAddition => ({
        ...{ draft, origin, lengths: LENGTH_32, derivePublicKey },
      });
      const WRITE: AdditionOptions = { dryRun: false, skipExisting: false };

      /** The issues, reported without a change. */
      async function issuesOf(wanted: readonly AccountAddition[], options = WRITE): Promise<readonly AdditionIssue[]> {
        const before = await editor.list();
        const outcome = await editor.addAccounts(wanted, options);
        expect(await editor.list()).to.deep.equal(before);
        return outcome.outcome === 'refused' ? outcome.issues : expect.fail('They should have been refused.');
      }

      it('adds them in order, each with its key', async () => {
        await generate();
        const file = await harness.writeKeyFile(SEED.toString('hex'));
        const values = [
          ...additions(),
          addition({ ...DRAFT, accountId: 'four', status: 'disabled' }, { kind: 'file', file }),
        ];
        const outcome = await editor.addAccounts(values, WRITE);
        const { accounts } = await editor.list();
        expect(accounts.map(({ accountId }) => accountId)).to.deep.equal(['main', ...ids, 'four']);
        expect(outcome).to.deep.equal({ outcome: 'added', accounts: accounts.slice(1) });
        expect(accounts.at(-1)).to.deep.include({ status: 'disabled', publicKey: opensslPublicKey(SEED) });
        for (const { accountId, publicKey } of accounts.slice(1)) {
          const key = await harness.loadKey('alpha', accountId, LENGTH_32);
          expect(opensslPublicKey(key)).to.equal(publicKey);
        }
      });

      it('reports every issue of each by index and field, and adds none', async () => {
        await generate();
        const noKey = await harness.writeKeyFile('certainly not a key');
        const allIssues = await issuesOf([
          addition({ ...DRAFT, accountId: 'good' }),
          addition({ ...DRAFT, accountId: 'a/b', alias: 'line\nbreak' }),
          addition({ ...DRAFT, platformId: 'omega', accountId: 'x' }),
          addition({ ...DRAFT, accountId: 'y', algorithm: 'eip191', values: { apiKey: 'k' } }),
          addition(DRAFT),
          addition({ ...DRAFT, accountId: 'good' }),
          addition({ ...DRAFT, accountId: 'z' }, { kind: 'file', file: noKey }),
          addition(
            { ...DRAFT, accountId: 'w' },
            { kind: 'file', file: noKey, passwordFile: `${noKey}.missing`, format: 'keystore' },
          ),
        ]);
        expect(allIssues.map(({ index, field }) => `${index} ${field}`)).to.have.members([
          '1 accountId',
          '1 alias',
          '2 platformId',
          '3 algorithm',
          '3 values.apiKey',
          '4 accountId',
          '5 accountId',
          '6 file',
          '7 passwordFile',
        ]);
        expect(allIssues.map(({ index }) => index)).to.deep.equal([1, 1, 2, 3, 3, 4, 5, 6, 7]);
        expect(allIssues.find(({ index }) => index === 6)?.message).to.include(noKey);
      });

      it('does not echo the path of a missing file, which may be a key itself', async () => {
        const secret = SEED.toString('hex');
        const origin: KeyOrigin = { kind: 'file', file: secret, passwordFile: secret, format: 'keystore' };
        const allIssues = await issuesOf([
          addition(DRAFT, { kind: 'file', file: secret }),
          addition({ ...DRAFT, accountId: 'b' }, origin),
        ]);
        expect(allIssues).to.have.lengthOf(2);
        expect(JSON.stringify(allIssues)).to.not.include(secret);
      });

      it('reports that the secret of an HMAC account is required', async () => {
        await editor.addPlatform({ ...BETA, algorithms: ['hmac-sha256'], encoding: 'base64' });
        const draft: AccountDraft = { ...DRAFT, platformId: 'beta', algorithm: 'hmac-sha256' };
        const [issue] = await issuesOf([{ ...addition(draft), lengths: HMAC_LENGTHS }]);
        expect(issue).to.deep.include({ index: 0, field: 'file' });
        expect(issue?.message).to.include('is required');
      });

      it('skips existing accounts if requested, and reads none of their keys', async () => {
        const before = await generate();
        const missing: KeyOrigin = { kind: 'file', file: 'no-such-file' };
        const wanted = [addition({ ...DRAFT, alias: 'Another' }, missing), ...additions(['one'])];
        const outcome = await editor.addAccounts(wanted, { ...WRITE, skipExisting: true });
        const { accounts } = await editor.list();
        expect(accounts).to.have.lengthOf(2);
        expect(accounts[0]).to.deep.equal(before);
        expect(outcome).to.deep.equal({ outcome: 'added', accounts: [null, accounts[1]] });
      });

      it('changes nothing in a dry run, and returns public keys of key files only', async () => {
        const file = await harness.writeKeyFile(SEED.toString('hex'));
        const wanted = [...additions(['one']), addition(DRAFT, { kind: 'file', file })];
        const outcome = await editor.addAccounts(wanted, { ...WRITE, dryRun: true });
        expect(outcome).to.deep.equal({
          outcome: 'checked',
          accounts: [
            { ...DRAFT, accountId: 'one', publicKey: null },
            { ...DRAFT, publicKey: opensslPublicKey(SEED) },
          ],
        });
        expect((await editor.list()).accounts).to.deep.equal([]);
        expect(await issuesOf([addition({ ...DRAFT, accountId: 'a/b' })], { ...WRITE, dryRun: true })).to.have.lengthOf(
          1,
        );
      });

      it('reports its progress to the end', async () => {
        const progress: [number, number][] = [];
        await editor.addAccounts(additions(), { ...WRITE, onProgress: (done, total) => progress.push([done, total]) });
        expect(progress.at(-1)).to.deep.equal([3, 3]);
        expect(progress.map(([done]) => done)).to.deep.equal(progress.map(([done]) => done).toSorted());
      });

      it('rethrows unexpected errors of derivePublicKey, and adds none', async () => {
        const thrown = new RangeError('from derivePublicKey');
        const failing: AccountAddition = {
          ...addition({ ...DRAFT, accountId: 'four' }),
          derivePublicKey: () => {
            throw thrown;
          },
        };
        expect(await rejection(editor.addAccounts([...additions(), failing], WRITE))).to.equal(thrown);
        expect((await editor.list()).accounts).to.deep.equal([]);
      });

      it('accepts an empty list', async () => {
        expect(await editor.addAccounts([], WRITE)).to.deep.equal({ outcome: 'added', accounts: [] });
      });

      it('applies all concurrent changes, and exactly one of conflicting ones', async () => {
        const groups = Array.from({ length: 5 }, (_, index) => ids.map((id) => `${id}-${index}`));
        await Promise.all(groups.map((group) => harness.makeEditor().addAccounts(additions(group), WRITE)));
        expect((await editor.list()).accounts.map(({ accountId }) => accountId)).to.have.members(groups.flat());
        const outcomes = await Promise.all([1, 2, 3].map(() => harness.makeEditor().addAccounts(additions(), WRITE)));
        expect(outcomes.map(({ outcome }) => outcome).toSorted()).to.deep.equal(['added', 'refused', 'refused']);
      });
    });

    it('removes a disabled account and nothing else', async () => {
      await generate();
      const other = await generate({ ...DRAFT, accountId: 'other' });
      await editor.setStatus('alpha', 'main', 'disabled');
      await editor.removeAccount('alpha', 'main');
      expect(await editor.list()).to.deep.equal({
        platforms: [ALPHA],
        accounts: [other],
        permissions: null,
        policies: [],
        budgets: [],
      });
      await generate();
    });

    it('refuses to remove an active or unknown account', async () => {
      const account = await generate();
      await refused(editor.removeAccount('alpha', 'main'), 'Disable it first');
      await refused(editor.removeAccount('alpha', 'omega'), 'No such account: "omega" on platform "alpha"');
      expect((await editor.list()).accounts).to.deep.equal([account]);
    });

    it('applies all changes of 20 concurrent editors', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `account-${index}`);
      await Promise.all(
        ids.map((accountId) =>
          harness.makeEditor().addAccount({ ...DRAFT, accountId }, { kind: 'generate' }, LENGTH_32, derivePublicKey),
        ),
      );
      expect((await editor.list()).accounts.map(({ accountId }) => accountId)).to.have.members(ids);
    });

    it('applies exactly one of several conflicting concurrent changes', async () => {
      const outcomes = await Promise.allSettled([generate(), generate(), generate()]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
      expect((await editor.list()).accounts).to.have.lengthOf(1);
    });

    it('rejects every call with CredentialLoadError if the configuration is invalid', async () => {
      await harness.spoil();
      const calls = [
        () => editor.list(),
        () => editor.addPlatform(BETA),
        () => generate(),
        () => editor.addAccounts([], { dryRun: false, skipExisting: false }),
        () => editor.setPlatformStatus('alpha', 'disabled'),
        () => editor.setStatus('alpha', 'main', 'disabled'),
        () => editor.removeAccount('alpha', 'main'),
      ];
      for (const call of calls) expect(await rejection(call())).to.be.instanceOf(CredentialLoadError);
    });
  });
}

async function refused(promise: Promise<unknown>, part: string): Promise<void> {
  const error = await rejection(promise);
  expect(error).to.be.instanceOf(EditRefusedError);
  expect((error as EditRefusedError).message).to.include(part);
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('It should have been rejected.'),
    (error: unknown) => error,
  );
}
