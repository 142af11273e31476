import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { hexlify, Wallet } from 'ethers';
import { accountListCommand } from '../../../../../src/adapters/cli/account/list-command.ts';
import type { Algorithm } from '../../../../../src/domain/model/algorithm.ts';
import { sampleListedAccount, samplePlatform, samplePrivateKey } from '../../../../doubles/credential-builder.ts';
import { NOTHING } from '../../../../doubles/recording-credential-editor.ts';
import { runCommand } from '../run-command.ts';

const { address, signingKey, privateKey } = new Wallet(hexlify(samplePrivateKey(1)));

function account(accountId: string, algorithm: Algorithm, publicKey: string | null) {
  return sampleListedAccount({ platformId: 'treasury', accountId, algorithm, publicKey });
}

const ACCOUNTS = [
  account('hot', 'eip191', signingKey.publicKey),
  account('permit', 'eip712', signingKey.publicKey.toUpperCase().replace('X', 'x')),
  account('agent', 'hyperliquid-l1', signingKey.publicKey),
  account('later', 'eip191', null),
  account('desk', 'ed25519', 'PublicKeyOfTheDesk'),
];

const run = (args: readonly string[], accounts = ACCOUNTS) =>
  runCommand(accountListCommand, args, { ...NOTHING, accounts });

describe('account list', () => {
  it('shows a null address for an invalid public key and for a private key in its place', async () => {
    const offCurve = `0x04${'1'.repeat(128)}`;
    for (const publicKey of ['none', offCurve, privateKey]) {
      const { stdout, error } = await run(['--json'], [account('hot', 'eip191', publicKey)]);
      expect(error).to.equal(null);
      expect(JSON.parse(stdout).accounts[0].address, publicKey.slice(0, 6)).to.equal(null);
    }
  });

  it('shows the address, if any, instead of the public key in the table', async () => {
    const { stdout } = await run([]);
    const shown = stdout.trimEnd().split('\n').slice(1);
    expect(shown.map((line) => line.split(/ {2,}/).at(-1))).to.deep.equal([
      ...[address, address, address],
      '(derived at load)',
      'PublicKeyOfTheDesk',
    ]);
    const offCurve = `0x04${'1'.repeat(128)}`;
    expect((await run(['--wide'], [account('hot', 'eip191', offCurve)])).stdout).to.include(offCurve);
  });

  it('shows the key ID, and shortens the long public keys of RSA except with --wide and --json', async () => {
    const publicKey = randomBytes(294).toString('base64');
    const accounts = [account('rsa', 'rsa-sha256', publicKey), account('later', 'ed25519', null)];
    const [, row = '', unknown = ''] = (await run([], accounts)).stdout.split('\n');
    const [keyId, key] = row.split(/ {2,}/).slice(-2);
    expect(keyId).to.equal(createHash('sha256').update(publicKey).digest('hex').slice(0, 16));
    expect(key).to.equal(`${publicKey.slice(0, 33)}…${publicKey.slice(-32)}`);
    expect(unknown.split(/ {2,}/).slice(-2)).to.deep.equal(['-', '(derived at load)']);
    for (const option of ['--wide', '--json']) {
      expect((await run([option], accounts)).stdout, option).to.include(publicKey);
    }
  });

  it('shows where the platform of an active account is disabled', async () => {
    const accounts = [
      account('hot', 'ed25519', 'K1'),
      { ...account('off', 'ed25519', 'K2'), status: 'disabled' as const },
    ];
    const platforms = [samplePlatform({ platformId: 'treasury', status: 'disabled' })];
    const listing = { ...NOTHING, platforms, accounts };
    const { stdout } = await runCommand(accountListCommand, [], listing);
    const rows = stdout.trimEnd().split('\n').slice(1);
    expect(rows.map((row) => row.split(/ {2,}/)[3])).to.deep.equal(['platform disabled', 'disabled']);
    const json = JSON.parse((await runCommand(accountListCommand, ['--json'], listing)).stdout);
    expect(json.accounts[0]).to.include({ status: 'active', platformStatus: 'disabled' });
  });

  it('lists the accounts of one platform, one per row', async () => {
    const accounts = [...ACCOUNTS, { ...account('main', 'ed25519', 'PublicKeyOfMain'), platformId: 'alpha' }];
    const { stdout } = await run(['--platform', 'alpha'], accounts);
    const [headings, row, ...more] = stdout.trimEnd().split('\n');
    expect(headings).to.match(/^PLATFORM +ACCOUNT +ALIAS +STATUS +ENVIRONMENT +ALGORITHM +KEY ID +KEY\/ADDRESS$/);
    expect(row).to.match(/^alpha +main .* ed25519 +[0-9a-f]{16} +PublicKeyOfMain$/);
    expect(more).to.deep.equal([]);
    expect((await run([])).stdout).to.include('(derived at load)');
    expect((await run(['--platform', 'beta'])).stdout).to.equal('No accounts.\n');
  });
});
