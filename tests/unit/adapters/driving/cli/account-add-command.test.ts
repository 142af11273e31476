import { expect } from 'chai';
import { accountAddCommand } from '../../../../../src/adapters/driving/cli/account-add-command.ts';
import type { CredentialListing } from '../../../../../src/ports/credential-editor.ts';
import { listingOf, runCommand } from './run-command.ts';

const MAIN = ['--platform', 'bybit', '--account', 'main'];

const run = (args: readonly string[], listing?: CredentialListing) => runCommand(accountAddCommand, args, listing);

/** The account that the command added, and where its key came from. */
async function added(args: readonly string[], listing?: CredentialListing) {
  const { edits, error } = await run(args, listing);
  expect(error).to.equal(null);
  const [edit] = edits;
  if (edit?.edit !== 'addAccount') throw new Error('No account was added.');
  return edit;
}

describe('account add', () => {
  it('takes the only algorithm of the platform where none is named', async () => {
    const { draft } = await added(MAIN, listingOf('bybit', 'eip712'));
    expect(draft.algorithm).to.equal('eip712');
    const { error, edits } = await run(MAIN, listingOf('bybit', 'ed25519', 'eip191'));
    expect(String(error)).to.include('allows ed25519, eip191; name one of them with --algorithm');
    expect(edits).to.deep.equal([]);
  });

  it('takes the one that is named without a look at the platform, which the editor has', async () => {
    expect((await added([...MAIN, '--algorithm', 'ed25519'])).draft.algorithm).to.equal('ed25519');
  });

  it('collects fixed values', async () => {
    const values = ['--value', 'apiKey=a=b==', '--value', 'recvWindow=5000'];
    const { draft } = await added([...MAIN, ...values], listingOf('bybit', 'ed25519'));
    expect(draft.values).to.deep.equal({ apiKey: 'a=b==', recvWindow: '5000' });
    expect((await added(MAIN, listingOf('bybit', 'ed25519'))).draft).to.not.have.property('values');
  });

  for (const format of ['utf8', 'base64-text'] as const) {
    it(`takes a key file that holds ${format}`, async () => {
      const args = [...MAIN, '--algorithm', 'hmac-sha256', '--key-file', 'secret', '--key-format', format];
      expect((await added(args)).origin).to.deep.equal({ kind: 'file', file: 'secret', format });
    });
  }

  it('calls what an HMAC account has a key id, for it is no public key', async () => {
    const { stdout } = await run([...MAIN, '--algorithm', 'hmac-sha256', '--key-file', 'secret']);
    expect(stdout).to.match(/\nalgorithm {3}hmac-sha256\nkey id {6}hmac:[0-9a-f]{16}\nThe account has a sealed copy/);
    expect((await run([...MAIN, '--algorithm', 'ed25519'])).stdout).to.match(/\npublic key {2}\w+\n/);
  });

  const NAME = /It has to be NAME=VALUE, the name 1 to 32 letters, digits or _ with a letter first/;
  const VALUE = /The value of apiKey has to be 1 to 256 visible ASCII characters, no blank/;
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['--value', 'apiKey'], NAME],
    [['--value', '=x'], NAME],
    [['--value', '2nd=x'], NAME],
    [['--value', `${'x'.repeat(33)}=x`], NAME],
    [['--value', '__proto__=x'], NAME],
    [['--value', 'apiKey='], VALUE],
    [['--value', 'apiKey=two words'], VALUE],
    [['--value', 'apiKey=line\n'], VALUE],
    [['--value', `apiKey=${'x'.repeat(257)}`], VALUE],
    [['--value', 'apiKey=a', '--value', 'apiKey=b'], /apiKey is given twice/],
    [['--key-format', 'utf8'], /--key-format needs --key-file/],
    [['--algorithm', 'hmac'], /Allowed choices are ed25519, eip191, eip712, hyperliquid-l1, hmac-sha256, hmac-sha512/],
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
