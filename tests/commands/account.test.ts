import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { HDNodeWallet, hexlify, Wallet } from 'ethers';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import { samplePrivateKey } from '../doubles/credential-builder.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

describe('account add', () => {
  const place = useWorkplace([
    'platform add --platform alpha --format any --algorithm eip191',
    'platform add --platform both --format any --algorithm ed25519 eip191',
  ]);
  const run = (...args: readonly string[]) => place.commandHere('account', 'add', '--platform', 'alpha', ...args);

  it('derives the key of a mnemonic by a path', async () => {
    const phrase = 'test test test test test test test test test test test junk';
    writeFileSync(place.path('words'), phrase);
    const key = [
      '--key-file',
      place.path('words'),
      '--key-format',
      'mnemonic',
      '--derivation-path',
      'm/44h/60h/0h/0/1',
    ];
    const { stdout } = await run('--account', 'derived', ...key);
    const { address } = HDNodeWallet.fromPhrase(phrase, '', 'm/44h/60h/0h/0/1'.replaceAll('h', "'"));
    expect(stdout)
      .to.include(`\naddress     ${address}\n`)
      .and.include(`Delete ${place.path('words')} unless`);
  });

  for (const [args, reason] of [
    [['--value', 'apiKey'], /It must be NAME=VALUE\./],
    [['--value', '__proto__=x'], /values contains an invalid name; a name has 1 to 32 letters/],
    [['--value', 'apiKey='], /values\.apiKey must be 1 to 256 visible ASCII characters without spaces/],
    [['--value', 'apiKey=a', '--value', 'apiKey=b'], /It has a name that was given already\./],
    [['--key-format', 'utf8'], /--key-format requires a key file\./],
    [['--password-file', 'x'], /--password-file requires a key file\./],
    [['--derivation-path', 'm'], /--derivation-path requires a key file\./],
    [['--platform', 'both'], /algorithm is required, because the platform allows ed25519, eip191/],
  ] as const) {
    it(`refuses ${args.join(' ')}`, async () => {
      const before = readFileSync(place.path('credentials.json'), 'utf8');
      const { stderr, exitCode } = await run('--account', 'main', ...args);
      expect(exitCode).to.equal(2);
      expect(stderr).to.match(reason);
      expect(readFileSync(place.path('credentials.json'), 'utf8')).to.equal(before);
    });
  }
});

describe('account list', () => {
  const place = useWorkplace([
    'platform add --platform treasury --format any --algorithm eip191 ed25519 rsa-sha256',
    'platform add --platform perps --format any --rule typed-data',
    'platform add --platform spare --format any --algorithm ed25519',
  ]);
  const { address, signingKey, privateKey } = new Wallet(hexlify(samplePrivateKey(1)));
  const list = async (...args: readonly string[]) => (await place.commandHere('account', 'list', ...args)).stdout;
  const rowsOf = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/));
  const account = (accountId: string, algorithm: Algorithm, publicKey?: string, more: object = {}) => ({
    ...{ platformId: 'treasury', accountId, algorithm, publicKey, key: { file: `${accountId}.key` }, ...more },
  });
  const write = (...accounts: readonly object[]) => {
    const file = place.path('credentials.json');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), accounts }));
  };

  it('shows an address instead of the public key where there is one, null in JSON if the key is invalid', async () => {
    write(
      account('hot', 'eip191', signingKey.publicKey),
      account('permit', 'eip712', signingKey.publicKey.toUpperCase().replace('X', 'x'), { platformId: 'perps' }),
      account('later', 'eip191'),
      account('desk', 'ed25519', 'PublicKeyOfTheDesk'),
    );
    const shown = rowsOf(await list()).map((cells) => cells.at(-1));
    expect(shown).to.deep.equal([address, address, '(derived at load)', 'PublicKeyOfTheDesk']);
    const offCurve = `0x04${'1'.repeat(128)}`;
    write(...['none', offCurve, privateKey].map((key, index) => account(`a${index}`, 'eip191', key)));
    const { accounts } = JSON.parse(await list('--json'));
    expect(accounts.map((one: { readonly address: unknown }) => one.address)).to.deep.equal([null, null, null]);
    expect(await list('--wide')).to.include(offCurve);
  });

  it('shows the key ID, and shortens the long public keys of RSA except with --wide and --json', async () => {
    const publicKey = randomBytes(294).toString('base64');
    write(account('rsa', 'rsa-sha256', publicKey), account('later', 'ed25519'));
    const [row = [], unknown = []] = rowsOf(await list());
    const keyId = createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
    expect(row.slice(-2)).to.deep.equal([keyId, `${publicKey.slice(0, 33)}…${publicKey.slice(-32)}`]);
    expect(unknown.slice(-2)).to.deep.equal(['-', '(derived at load)']);
    for (const option of ['--wide', '--json']) expect(await list(option), option).to.include(publicKey);
  });

  it('shows where the platform of an active account is disabled', async () => {
    write(account('hot', 'ed25519', 'K1'), account('off', 'ed25519', 'K2', { status: 'disabled' }));
    await place.prepare('platform', 'disable', '--platform', 'treasury');
    const [text, json] = [await list(), JSON.parse(await list('--json'))];
    await place.prepare('platform', 'enable', '--platform', 'treasury');
    expect(rowsOf(text).map((cells) => cells[3])).to.deep.equal(['platform disabled', 'disabled']);
    expect(json.accounts[0]).to.include({ status: 'active', platformStatus: 'disabled' });
  });

  it('lists the accounts of one platform, one per row', async () => {
    write(account('hot', 'ed25519', 'K1'), account('main', 'ed25519', 'K2', { platformId: 'spare' }));
    const text = await list('--platform', 'spare');
    expect(text).to.match(
      /^PLATFORM +ACCOUNT +ALIAS +STATUS +ENVIRONMENT +ALGORITHM +KEY ID +KEY\/ADDRESS\nspare +main .* ed25519 +[0-9a-f]{16} +K2\n$/,
    );
    expect(await list('--platform', 'other')).to.equal('No accounts.\n');
  });
});
