import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { hexlify, Wallet } from 'ethers';
import { accountAddCommand } from '../../../../../src/adapters/cli/account/add-command.ts';
import type { Algorithm } from '../../../../../src/domain/model/algorithm.ts';
import type { CredentialListing } from '../../../../../src/ports/credential-editor.ts';
import { sampleCredential, samplePrivateKey } from '../../../../doubles/credential-builder.ts';
import { NOTHING } from '../../../../doubles/recording-credential-editor.ts';
import { listingOf, runCommand } from '../run-command.ts';

const MAIN = ['--platform', 'bybit', '--account', 'main'];

const run = (args: readonly string[], listing?: CredentialListing) => runCommand(accountAddCommand, args, listing);

/** The added account and the origin of its key. */
async function added(args: readonly string[], listing?: CredentialListing) {
  const { edits, error } = await run(args, listing);
  expect(error).to.equal(null);
  const [edit] = edits;
  if (edit?.edit !== 'addAccount') throw new Error('No account was added.');
  return edit;
}

describe('account add', () => {
  it('uses the only algorithm of the platform if none is named', async () => {
    const { draft } = await added(MAIN, listingOf('bybit', 'eip712'));
    expect(draft.algorithm).to.equal('eip712');
    const { error, edits } = await run(MAIN, listingOf('bybit', 'ed25519', 'eip191'));
    expect(String(error)).to.include('allows ed25519, eip191; select one with --algorithm');
    expect(edits).to.deep.equal([]);
  });

  it('collects fixed values', async () => {
    const values = ['--value', 'apiKey=a=b==', '--value', 'recvWindow=5000'];
    const { draft } = await added([...MAIN, ...values], listingOf('bybit', 'ed25519'));
    expect(draft.values).to.deep.equal({ apiKey: 'a=b==', recvWindow: '5000' });
    expect((await added(MAIN, listingOf('bybit', 'ed25519'))).draft).to.not.have.property('values');
  });

  it('passes on the format of a key file', async () => {
    const args = [...MAIN, '--algorithm', 'hmac-sha256', '--key-file', 'secret', '--key-format', 'utf8'];
    expect((await added(args)).origin).to.deep.equal({ kind: 'file', file: 'secret', format: 'utf8' });
  });

  it('passes on the derivation path of a mnemonic, which requires a key file', async () => {
    const path = ['--derivation-path', 'm/44h/60h/0h/0/1'];
    const file = ['--key-file', 'words', '--key-format', 'mnemonic'];
    expect((await added([...MAIN, '--algorithm', 'eip191', ...file, ...path])).origin).to.deep.equal({
      ...{ kind: 'file', file: 'words', format: 'mnemonic', derivationPath: 'm/44h/60h/0h/0/1' },
    });
    const { stderr, edits } = await run([...MAIN, '--algorithm', 'eip191', ...path]);
    expect(stderr).to.include('--derivation-path requires --key-file.');
    expect(edits).to.deep.equal([]);
  });

  it('labels the key of an HMAC account as key ID, not public key', async () => {
    const { stdout } = await run([...MAIN, '--algorithm', 'hmac-sha256', '--key-file', 'secret']);
    expect(stdout).to.match(
      /\nalgorithm {3}hmac-sha256\nkey ID {6}hmac:[0-9a-f]{16}\nThe account has an encrypted copy/,
    );
    expect((await run([...MAIN, '--algorithm', 'ed25519'])).stdout).to.match(/\npublic key {2}\w+\n/);
  });

  it('prints the key ID of a key pair, as text and as JSON', async () => {
    const args = [...MAIN, '--algorithm', 'ed25519'];
    const { account } = JSON.parse((await run([...args, '--json'])).stdout);
    const digest = createHash('sha256').update(account.publicKey).digest('hex');
    expect(account.keyId).to.equal(digest.slice(0, 16));
    expect((await run(args)).stdout).to.include(`\npublic key  ${account.publicKey}\nkey ID      ${account.keyId}\n`);
  });

  describe('with a secp256k1 key', () => {
    // Private key of all accounts in these tests.
    const { address, signingKey } = new Wallet(hexlify(samplePrivateKey(1)));

    it('shows the Ethereum address', async () => {
      const args = [...MAIN, '--algorithm', 'eip712'];
      expect((await run(args)).stdout).to.include(`\npublic key  ${signingKey.publicKey}\naddress     ${address}\n`);
      const { account } = JSON.parse((await run([...args, '--json'])).stdout);
      expect(account).to.deep.include({ publicKey: signingKey.publicKey, address });
      const other = await run([...MAIN, '--algorithm', 'ed25519', '--json']);
      expect(JSON.parse(other.stdout).account).to.not.have.property('address');
    });

    it('warns if other accounts have the key, but still adds the account', async () => {
      const { privateKey: _, ...sample } = sampleCredential();
      const there = (accountId: string, algorithm: Algorithm, publicKey: string | null) => ({
        ...{ ...sample, platformId: 'treasury', accountId, algorithm, publicKey },
      });
      const accounts = [
        there('hot', 'eip191', signingKey.publicKey),
        there('same', 'eip712', signingKey.publicKey),
        there('agent', 'hyperliquid-l1', signingKey.publicKey),
        there('other', 'eip191', `0x04${'1'.repeat(128)}`),
        there('later', 'eip191', null),
      ];
      const foreign =
        'its key is also used by treasury/hot (eip191), treasury/agent (hyperliquid-l1) and now serves two purposes; ' +
        'use a separate key for each algorithm';
      const twins =
        'its key is also used by treasury/same (eip712); if it leaks, disable all of them with account disable --same-key';
      const args = [...MAIN, '--algorithm', 'eip712'];
      const { stdout, edits } = await run(args, { ...NOTHING, accounts });
      expect(stdout).to.include(`\nwarning: ${foreign}.\nwarning: ${twins}.\n`);
      expect(edits).to.have.lengthOf(1);
      const json = await run([...args, '--json'], { ...NOTHING, accounts });
      expect(JSON.parse(json.stdout).cautions).to.deep.equal([foreign, twins]);

      const many = Array.from({ length: 7 }, (_, index) => there(`t${index}`, 'eip712', signingKey.publicKey));
      const [caution] = JSON.parse((await run([...args, '--json'], { ...NOTHING, accounts: many })).stdout).cautions;
      expect(caution).to.include('treasury/t3 (eip712), treasury/t4 (eip712) and 2 more; if it leaks');

      const unshared = accounts.filter(({ accountId }) => accountId === 'other' || accountId === 'later');
      const none = await run([...args, '--json'], { ...NOTHING, accounts: unshared });
      expect(JSON.parse(none.stdout).cautions).to.deep.equal([]);
    });
  });

  const NAME = /It must be NAME=VALUE, with a name of 1 to 32 letters, digits or _ beginning with a letter\./;
  const VALUE = /The value of apiKey must be 1 to 256 visible ASCII characters without spaces/;
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['--value', 'apiKey'], NAME],
    [['--value', '__proto__=x'], NAME],
    [['--value', 'apiKey='], VALUE],
    [['--value', 'apiKey=a', '--value', 'apiKey=b'], /Duplicate name: apiKey\./],
    [['--key-format', 'utf8'], /--key-format requires --key-file/],
  ];
  for (const [args, reason] of refusals) {
    it(`refuses ${args.join(' ').slice(0, 60)}`, async () => {
      const { error, edits, stderr } = await run([...MAIN, ...args], listingOf('bybit', 'ed25519'));
      expect(error).to.be.instanceOf(Error);
      expect(stderr).to.match(reason);
      expect(edits).to.deep.equal([]);
    });
  }
});
