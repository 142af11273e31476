import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { createAuditKey } from '../../../src/adapters/audit/audit-key.ts';
import { createSeedFile } from '../../../src/adapters/secret-files/seed-file.ts';
import { AdapterSet, type Adapters } from '../../../src/app/adapters.ts';
import { readSettings } from '../../../src/app/settings/settings.ts';
import { MockKeyStore } from '../../doubles/mock-key-store.ts';
import { useTemporaryFolder } from '../adapters/secret-files/temporary-folder.ts';

describe('AdapterSet', () => {
  const folder = useTemporaryFolder();

  function adapters(replacements: Partial<Adapters> = {}): AdapterSet {
    const files = {
      SIGNING_MASTER_KEY_FILE: folder.path('master.key'),
      SIGNING_AUDIT_KEY_FILE: folder.path('audit.key'),
      SIGNING_AUTH_KEY_FILE: folder.path('auth.key'),
    };
    return new AdapterSet(readSettings(files), replacements);
  }

  it('purges the keys that sign records and responses, once they are open', async () => {
    createAuditKey(folder.path('audit.key'));
    createSeedFile(folder.path('auth.key'));
    const set = adapters();
    const { auditKey, authKey } = await set.all('auditKey', 'authKey');
    for (const key of [auditKey, authKey]) expect(key.sign(Buffer.from('before'))).to.have.length(64);
    set.purge();
    for (const key of [auditKey, authKey]) expect(() => key.sign(Buffer.from('after'))).to.throw('freed');
    set.purge();
  });

  it('purges a replaced KeyStore, and the other keys if that fails', async () => {
    createAuditKey(folder.path('audit.key'));
    const keyStore = new MockKeyStore();
    keyStore.purge = () => {
      throw new Error('not purged');
    };
    const set = adapters({ keyStore });
    const { auditKey } = await set.all('keyStore', 'auditKey');
    expect(() => set.purge()).to.throw('not purged');
    expect(() => auditKey.sign(Buffer.from('after'))).to.throw('freed');
  });

  it('purges master keys that were opened, also if another KeyStore holds the keys of accounts', async () => {
    writeFileSync(folder.path('master.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 });
    const set = adapters({ keyStore: new MockKeyStore() });
    const first = await (await set.get('keyring')).openFirst({ version: 1, platforms: [], accounts: [] });
    expect(first.use((key) => key[0])).to.equal(0xab);
    set.purge();
    expect(() => first.use((key) => key[0])).to.throw('purged');
  });
});
