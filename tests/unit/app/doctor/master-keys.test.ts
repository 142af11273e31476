import { expect } from 'chai';
import { checkMasterKeyOpening, checkMasterKeys } from '../../../../src/app/doctor/master-keys.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { parseCredentials } from '../../../doubles/credential-builder.ts';
import { FixedWrappingKeys } from '../../../doubles/fixed-wrapping-keys.ts';
import { plainLine, useWorkplace } from '../../adapters/credentials/credentials-workplace.ts';

type Content = NonNullable<Parameters<typeof checkMasterKeys>[1]>;

describe('checkMasterKeys', () => {
  const workplace = useWorkplace();
  const check = (content: Content | null) => checkMasterKeys(workplace().masterKeyFile, content);

  /** A credentials file with accounts sealed under these ids. */
  function sealedUnder(...ids: readonly string[]): Content {
    const accounts = ids.map((id, index) => ({
      ...({ platformId: 'alpha', accountId: `account-${index}`, algorithm: 'ed25519', publicKey: 'x' } as const),
      ...({ status: 'active', environment: 'production' } as const),
      key: { sealed: `v1.${id}.${'A'.repeat(32)}.${'A'.repeat(64)}` },
    }));
    return parseCredentials({ version: 1, platforms: [{ platformId: 'alpha', format: 'any' }], accounts });
  }

  it('passes if every named key is in the ring, and claims no more', () => {
    workplace().writeRing(plainLine(), workplace().protectedLine('correct horse'));
    expect(check(sealedUnder(...workplace().ids()))[0]).to.deep.include({
      state: 'ok',
      message: 'all their master keys are available (sealed accounts: 2); no account was opened',
    });
  });

  it('fails when accounts name another key, and reports ids, counts and the file', () => {
    const other = '0123456789abcdef';
    const [id = ''] = workplace().ids();
    const [finding] = check(sealedUnder(id, other, other));
    expect(finding?.state).to.equal('fail');
    expect(finding?.message).to.equal(`sealed under master key ${other}, which is not available: 2 of 3`);
    expect(finding?.remedy).to.include(id).and.include(workplace().masterKeyFile);
  });

  it('fails for a malformed keyring, without showing its content', () => {
    for (const lines of [['hunter2'], ['hunter2'.repeat(10)], ['argon2id.v1.hunter2'], [plainLine(), 'hunter2']]) {
      workplace().writeRing(...lines);
      expect(() => check(null))
        .to.throw(OperatorError)
        .with.property('message')
        .that.includes(workplace().masterKeyFile)
        .and.not.includes('hunter2');
    }
  });

  it('shows the source of a wrapped key, and opens it through its service', async () => {
    const wrappingKeys = new FixedWrappingKeys();
    workplace().writeRing(await workplace().wrappedLine(wrappingKeys), plainLine());
    const [id = ''] = workplace().ids();
    const open = () => checkMasterKeyOpening(workplace().masterKeyFile, wrappingKeys);
    expect(check(sealedUnder(id)).map(({ state }) => state)).to.deep.equal(['ok', 'ok']);
    expect(check(null)[0]?.message).to.include(id).and.include('vault-transit, key transit/k');
    expect((await open()).map(({ state }) => state)).to.deep.equal(['ok']);

    wrappingKeys.unavailable = 'Vault at https://vault.example: permission denied.';
    const [finding] = await open();
    expect(finding).to.include({ state: 'fail', check: 'master-key-opening' });
    expect(finding?.message).to.include('permission denied').and.include(workplace().masterKeyFile);

    workplace().writeRing(plainLine());
    expect(await open()).to.deep.equal([]);
  });
});
