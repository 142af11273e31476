import { describeMasterKeyAdministrationContract } from '../../../../contracts/master-key-administration-contract.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import { CredentialsWorkplace } from '../credentials-workplace.ts';
import { loadKeys, writeSealedAccounts } from '../sealed-accounts.ts';
import { administrationOf, interruptRotation, leaveLeftovers, PASSPHRASE } from './rotated-workplace.ts';

describeMasterKeyAdministrationContract('MasterKeyAdministration with passphrase', async () => {
  const workplace = new CredentialsWorkplace();
  const rotateFirst = async () => {
    const prompt = new TypedPassphrases(PASSPHRASE, PASSPHRASE);
    await administrationOf(workplace, prompt).rotate(true);
    await administrationOf(workplace).retire();
  };
  let isWrapped = false;
  return {
    makeAdministration: () => administrationOf(workplace, new TypedPassphrases(PASSPHRASE)),
    fill: async (accounts) => {
      // The accounts are sealed under the plain key.
      if (isWrapped) return workplace.write({ version: 1, platforms: [], accounts: [] });
      writeSealedAccounts(workplace, accounts);
      await rotateFirst();
      isWrapped = true;
    },
    loadKeys: () => loadKeys(workplace.source({ masterKeys: workplace.keeper(new TypedPassphrases(PASSPHRASE)) })),
    interruptRotation: () => interruptRotation(workplace, new TypedPassphrases(PASSPHRASE)),
    leaveLeftovers: () => leaveLeftovers(workplace),
    spoil: async () => workplace.write({ version: 1, platforms: [], accounts: [{}] }),
    dispose: async () => workplace.remove(),
  };
});
