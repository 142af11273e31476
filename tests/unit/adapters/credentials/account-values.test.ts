import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { readCredentialsFile } from '../../../../src/adapters/credentials/credentials-file.ts';
import { CredentialLoadError, OperatorError } from '../../../../src/domain/model/errors.ts';
import { allAccounts } from '../../../doubles/all-accounts.ts';
import { type AccountDraft, addOne, rejection, useWorkplace } from './credentials-workplace.ts';

const TEMPLATE = '{timestamp}{account.apiKey}{account.recvWindow}{body}';
const PLATFORM = {
  platformId: 'bybit',
  format: 'any',
  algorithms: ['hmac-sha256'],
  payload: { rule: 'prehash', template: TEMPLATE, values: { recvWindow: '5000' } },
};
const ACCOUNT = { platformId: 'bybit', accountId: 'main', algorithm: 'hmac-sha256', key: { file: 'main.key' } };

const DRAFT: Omit<AccountDraft, 'algorithm'> = {
  ...{ platformId: 'bybit', accountId: 'main', alias: 'main', status: 'active', environment: 'production' },
  createdAt: '2026-11-20T08:49:00.000Z',
};

type Part = Record<string, unknown>;

function content(account: Part, platform: Part = {}) {
  return { version: 1, platforms: [{ ...PLATFORM, ...platform }], accounts: [{ ...ACCOUNT, ...account }] };
}

describe('Fixed account values', () => {
  const workplace = useWorkplace();

  async function issues(written: unknown) {
    workplace().write(written);
    const error = await rejection(readCredentialsFile(workplace().file));
    expect(error).to.be.instanceOf(CredentialLoadError);
    return (error as CredentialLoadError).issues.map(({ path, message }) => `${path} ${message}`);
  }

  it('are loaded with the account, including those that override values of the rule', async () => {
    const values = { apiKey: 'K'.repeat(256), recvWindow: '10000', desk_2: '~!"#' };
    const payload = { ...PLATFORM.payload, template: `${TEMPLATE}{account.desk_2}` };
    workplace().write(content({ values }, { payload }));
    const set = await workplace().source().load();
    expect((await allAccounts(set))[0]?.account.values).to.deep.equal(values);
    set.close();
  });

  it('of a StarkNet account are its address, which is required and validated', async () => {
    const stark = { algorithms: ['starknet'], payload: { rule: 'starknet-typed-data' } };
    const withAddress = (values: Part) => content({ algorithm: 'starknet', values }, stark);
    const [missing] = await issues(withAddress({}));
    expect(missing).to.match(/^accounts\[0\]\.values\.address is missing: the payload rule/);
    for (const address of ['0x0', `0x${'f'.repeat(64)}`]) {
      const [wrong, ...more] = await issues(withAddress({ address }));
      expect(wrong, address).to.match(/^accounts\[0\]\.values\.address must be a StarkNet address/);
      expect(more).to.deep.equal([]);
    }
    const [unused] = await issues(withAddress({ address: '0x5', apiKey: 'x' }));
    expect(unused).to.match(/^accounts\[0\]\.values\.apiKey is not used/);
    workplace().write(withAddress({ address: '0x5' }));
    const set = await workplace().source().load();
    expect((await allAccounts(set))[0]?.account.values).to.deep.equal({ address: '0x5' });
    set.close();
  });

  it('are required if a template names them and the rule does not set them', async () => {
    const missing =
      'accounts[0].values.apiKey is missing: the payload rule of its platform uses {account.apiKey}; set it';
    for (const account of [{}, { values: {} }, { values: { recvWindow: '5000' } }]) {
      const [found, ...more] = await issues(content(account));
      expect(found?.replace(/ \(account bybit\/main\) \(line.*/, '')).to.equal(missing);
      expect(more).to.deep.equal([]);
    }
    const affixes = { payload: { rule: 'query', prefix: '{account.apiKey}', suffix: '|{account.window}' } };
    const found = await issues(content({ values: { apiKey: 'x' } }, affixes));
    expect(found).to.have.lengthOf(1);
    expect(found[0]).to.match(/^accounts\[0\]\.values\.window is missing: /);
  });

  const withoutLine = (found: readonly string[]) =>
    found.map((issue) => issue.replace(/ \(account bybit\/main\) \(line.*/, ''));

  it('are rejected unless a template of the platform names them, without repeating a long name', async () => {
    const long = `k${'7'.repeat(24)}`;
    expect(withoutLine(await issues(content({ values: { apiKey: 'K', recvwindow: '1', [long]: 'x' } })))).to.deep.equal(
      [
        'accounts[0].values.recvwindow is not used by any template of its platform; it uses apiKey, recvWindow',
        'accounts[0].values contains a name that is not used by any template of its platform; it uses apiKey, recvWindow',
      ],
    );
    expect(withoutLine(await issues(content({ values: { apiKey: 'K' } }, { payload: { rule: 'jcs' } })))).to.deep.equal(
      ['accounts[0].values.apiKey is not used by any template of its platform; it uses no values'],
    );
  });

  it('are required by the named rules of the platform as well, and may serve these alone', async () => {
    const rules = {
      login: { rule: 'prehash', template: '{timestamp}{account.apiKey}{account.loginId}' },
      fix: { rule: 'query', suffix: '{account.compId}' },
    };
    const found = withoutLine(await issues(content({ values: { apiKey: 'K' } }, { rules })));
    const isMissing = (name: string, rule: string) =>
      `accounts[0].values.${name} is missing: rule ${rule} of its platform uses {account.${name}}; set it`;
    expect(found).to.deep.equal([isMissing('loginId', 'login'), isMissing('compId', 'fix')]);
    expect(withoutLine(await issues(content({ values: { x: 'y' } }, { rules }))).at(-1)).to.equal(
      'accounts[0].values.x is not used by any template of its platform; it uses apiKey, recvWindow, loginId, compId',
    );
    const values = { apiKey: 'K', loginId: 'L', compId: 'C' };
    workplace().write(content({ values }, { rules }));
    await readCredentialsFile(workplace().file);
  });

  it('are rejected if a name or value does not match its pattern', async () => {
    const name = 'contains an invalid name; a name has 1 to 32 letters, digits or _ and starts with a letter';
    const value = 'must be 1 to 256 visible ASCII characters without spaces';
    const wrong: readonly (readonly [unknown, string])[] = [
      [{ apiKey: 'x', '2nd': 'x' }, `accounts[0].values ${name}`],
      [{ apiKey: 'x', ['x'.repeat(33)]: 'x' }, `accounts[0].values ${name}`],
      ...['', 'a\n', 'two words', 'x'.repeat(257)].map(
        (apiKey) => [{ apiKey }, `accounts[0].values.apiKey ${value}`] as const,
      ),
    ];
    for (const [values, failure] of wrong) expect((await issues(content({ values }))).join()).to.include(failure);
  });

  it('are validated by the editor, too, which names what is missing or unknown', async () => {
    const file = workplace().path('secret');
    writeFileSync(file, 'secret', { mode: 0o600 });
    const add = (values: { readonly [name: string]: string }, algorithm: AccountDraft['algorithm'] = 'hmac-sha256') =>
      addOne(workplace().editor(), {
        ...{ draft: { ...DRAFT, algorithm, values }, origin: { keyFile: file } },
      });
    const login = { rule: 'prehash', template: '{timestamp}{account.loginId}' };
    workplace().write({ ...content({}, { rules: { login } }), accounts: [] });
    for (const [values, message] of [
      [
        {},
        'values.apiKey is missing: the payload rule of its platform uses {account.apiKey}; set it; values.loginId is missing',
      ],
      [
        { recvwindow: '1' },
        'values.recvwindow is not used by any template of its platform; it uses apiKey, recvWindow, loginId',
      ],
      [{ apiKey: 'two words', loginId: 'L' }, 'must be 1 to 256 visible ASCII characters'],
    ] as const) {
      const error = await rejection(add(values));
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.include(message);
    }
    expect(await add({ apiKey: 'K', loginId: 'L' })).to.deep.include({ values: { apiKey: 'K', loginId: 'L' } });
    workplace().write({
      ...content({}, { algorithms: ['starknet'], payload: { rule: 'starknet-typed-data' } }),
      accounts: [],
    });
    writeFileSync(file, '0x5', { mode: 0o600 });
    expect((await rejection(add({ address: '0x0' }, 'starknet'))).message).to.equal(
      'values.address must be a StarkNet address: 0x and 1 to 64 hex digits, above 0 and below 2^251 - 256',
    );
  });
});
