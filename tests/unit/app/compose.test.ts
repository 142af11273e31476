import { expect } from 'chai';
import type { Container } from 'inversify';
import { createAuditKey } from '../../../src/adapters/audit/audit-key.ts';
import { createSeedFile } from '../../../src/adapters/key-files/seed-file.ts';
import { createContainer, purgeKeys } from '../../../src/app/compose.ts';
import { TOKENS } from '../../../src/app/container-tokens.ts';
import { readSettings } from '../../../src/app/settings/settings.ts';
import { MockKeyStore } from '../../doubles/mock-key-store.ts';
import { useTemporaryFolder } from '../adapters/key-files/temporary-folder.ts';

describe('purgeKeys', () => {
  const folder = useTemporaryFolder();
  let container: Container;

  beforeEach(() => {
    const files = { SIGNING_AUDIT_KEY_FILE: folder.path('audit.key'), SIGNING_AUTH_KEY_FILE: folder.path('auth.key') };
    container = createContainer(readSettings(files));
  });

  it('destroys an opened audit key, and is idempotent', () => {
    createAuditKey(folder.path('audit.key'));
    const key = container.get(TOKENS.AuditKey);
    expect(container.get(TOKENS.AuditKey)).to.equal(key);
    expect(key.sign(Buffer.from('before'))).to.have.length(64);
    purgeKeys(container);
    expect(() => key.sign(Buffer.from('after'))).to.throw('freed');
    purgeKeys(container);
  });

  it('also destroys the key for responses', () => {
    createSeedFile(folder.path('auth.key'));
    const key = container.get(TOKENS.AuthKey);
    expect(key.sign(Buffer.from('before'))).to.have.length(64);
    purgeKeys(container);
    expect(() => key.sign(Buffer.from('after'))).to.throw('freed');
  });

  it('opens no key: a missing one is not an error', () => {
    purgeKeys(container);
    purgeKeys(container);
  });

  it('destroys the audit key even if a custom KeyStore fails to purge', () => {
    createAuditKey(folder.path('audit.key'));
    const keyStore = new MockKeyStore();
    keyStore.purge = () => {
      throw new Error('not purged');
    };
    container.rebind(TOKENS.KeyStore).toConstantValue(keyStore);
    const key = container.get(TOKENS.AuditKey);
    expect(() => purgeKeys(container)).to.throw('not purged');
    expect(() => key.sign(Buffer.from('after'))).to.throw('freed');
  });
});
