import { expect } from 'chai';
import { accountAddCommand } from '../../../../../src/adapters/cli/account/add-command.ts';
import type { CredentialListing } from '../../../../../src/ports/credential-editor.ts';
import { listingOf, runCommand } from '../run-command.ts';

const MAIN = ['--platform', 'bybit', '--account', 'main'];

const run = (args: readonly string[], listing?: CredentialListing) => runCommand(accountAddCommand, args, listing);

/** The added account and the origin of its key. */
async function added(args: readonly string[], listing?: CredentialListing) {
  const { edits, error } = await run(args, listing);
  expect(error).to.equal(null);
  const [edit] = edits;
  if (edit?.edit !== 'addAccounts') throw new Error('No account was added.');
  return edit.additions[0] ?? expect.fail('No account was added.');
}

describe('account add', () => {
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
