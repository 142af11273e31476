import { expect } from 'chai';
import { checkMasterKeyOpening } from '../../../../src/app/doctor/keys.ts';
import { FixedWrappingKeys } from '../../../doubles/fixed-wrapping-keys.ts';
import { plainLine, useWorkplace } from '../../adapters/credentials/credentials-workplace.ts';
import { useConfiguration } from './use-configuration.ts';

describe('doctor, of master keys', () => {
  const workplace = useWorkplace();
  const configuration = useConfiguration();
  const find = (check: string) => configuration.find(check, { SIGNING_MASTER_KEY_FILE: workplace().masterKeyFile });

  /** Writes a credentials file with accounts sealed under these ids. */
  function configureSealed(...ids: readonly string[]): void {
    const accounts = ids.map((id, index) => ({
      ...{ platformId: 'alpha', accountId: `account-${index}`, algorithm: 'ed25519' },
      publicKey: 'A'.repeat(43),
      key: { sealed: `v1.${id}.${'A'.repeat(32)}.${'A'.repeat(64)}` },
    }));
    configuration.configure({ platforms: [{ platformId: 'alpha', format: 'any' }], accounts });
  }

  it('passes if every named key is in the ring, and claims no more', async () => {
    workplace().writeRing(plainLine(), workplace().protectedLine('correct horse'));
    configureSealed(...workplace().ids());
    expect((await find('sealed-accounts'))[0]).to.deep.include({
      state: 'ok',
      message: 'all their master keys are available (sealed accounts: 2); no account was opened',
    });
  });

  it('fails when accounts name another key, and reports ids, counts and the file', async () => {
    const other = '0123456789abcdef';
    const [id = ''] = workplace().ids();
    configureSealed(id, other, other);
    const [finding] = await find('sealed-accounts');
    expect(finding?.state).to.equal('fail');
    expect(finding?.message).to.equal(`sealed under master key ${other}, which is not available: 2 of 3`);
    expect(finding?.remedy).to.include(id).and.include(workplace().masterKeyFile);
  });

  it('fails for a malformed keyring, without showing its content', async () => {
    for (const lines of [['hunter2'], ['hunter2'.repeat(10)], ['argon2id.v1.hunter2'], [plainLine(), 'hunter2']]) {
      workplace().writeRing(...lines);
      const [finding] = await find('sealed-accounts');
      expect(finding?.state).to.equal('fail');
      expect(finding?.message).to.include(workplace().masterKeyFile).and.not.include('hunter2');
    }
  });

  it('shows the source of a wrapped key, and opens it through its service', async () => {
    const wrappingKeys = new FixedWrappingKeys();
    workplace().writeRing(await workplace().wrappedLine(wrappingKeys), plainLine());
    const [id = ''] = workplace().ids();
    expect((await find('master-key-source'))[0]?.message)
      .to.include(id)
      .and.include('vault-transit, key transit/k');

    const open = () => checkMasterKeyOpening(workplace().masterKeyFile, wrappingKeys);
    expect(await open()).to.deep.equal([`${workplace().masterKeyFile}: vault-transit opened master key ${id}`]);
    wrappingKeys.unavailable = 'Vault at https://vault.example: permission denied.';
    const [issue] = await open();
    expect(issue).to.have.property('state', 'fail');
    expect(issue)
      .to.have.property('message')
      .that.includes('permission denied')
      .and.includes(workplace().masterKeyFile);
  });
});
