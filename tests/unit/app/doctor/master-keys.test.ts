import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { MasterKey } from '../../../../src/adapters/credentials/master-key/master-key.ts';
import {
  MIN_PASSPHRASE_COST,
  wrapMasterKey,
} from '../../../../src/adapters/credentials/master-key/wrapped-master-key.ts';
import { checkMasterKeyOpening, checkMasterKeys, getLockedMemoryUse } from '../../../../src/app/doctor/master-keys.ts';
import { FixedWrappingKey } from '../../../doubles/fixed-wrapping-key.ts';
import { writeEnvelope } from '../../adapters/credentials/credentials-workplace.ts';

type Content = NonNullable<Parameters<typeof checkMasterKeys>[1]>;

describe('checkMasterKeys', () => {
  let folder: string;
  let settings: { readonly masterKeyFile: string; readonly previousMasterKeyFile: string };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-master-'));
    settings = { masterKeyFile: join(folder, 'master.key'), previousMasterKeyFile: join(folder, 'previous.key') };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Writes a plain master key; returns its id. */
  function write(file: string, bytes = randomBytes(32)): string {
    writeFileSync(file, bytes, { mode: 0o600 });
    return idOf(bytes);
  }

  function idOf(bytes: Buffer): string {
    const key = MasterKey.fill((memory) => bytes.copy(memory));
    key.destroy();
    return key.id;
  }

  function writeWrapped(file: string): string {
    const key = MasterKey.generate();
    writeFileSync(file, wrapMasterKey(key, Buffer.from('correct horse'), MIN_PASSPHRASE_COST), { mode: 0o600 });
    key.destroy();
    return key.id;
  }

  /** A credentials file with accounts sealed under these ids. */
  function sealedUnder(...ids: readonly string[]): Content {
    const accounts = ids.map((id, index) => ({
      ...({ platformId: 'alpha', accountId: `account-${index}`, algorithm: 'ed25519', publicKey: 'x' } as const),
      ...({ status: 'active', environment: 'production' } as const),
      key: { sealed: `v1.${id}.${'A'.repeat(32)}.${'A'.repeat(64)}` },
    }));
    return { version: 1, platforms: [{ platformId: 'alpha', format: 'any' }], accounts };
  }

  it('passes if every named key is in one of the two files, and claims no more', () => {
    const primary = write(settings.masterKeyFile);
    expect(checkMasterKeys(settings, sealedUnder(primary, primary))[0]).to.deep.include({
      state: 'ok',
      message: 'all their master keys are available (sealed accounts: 2); no account was opened',
    });
    const previous = write(settings.previousMasterKeyFile);
    expect(checkMasterKeys(settings, sealedUnder(primary, previous))[0]?.state).to.equal('ok');
  });

  it('fails when accounts name another key, and reports ids, counts and files', () => {
    const primary = write(settings.masterKeyFile);
    const other = idOf(randomBytes(32));
    const [finding] = checkMasterKeys(settings, sealedUnder(primary, other, other));
    expect(finding?.state).to.equal('fail');
    expect(finding?.message).to.equal(`sealed under master key ${other}, which is not available: 2 of 3`);
    expect(finding?.remedy).to.include(primary).and.include(settings.masterKeyFile);
  });

  it('fails for a malformed current or previous key file, without showing its content', () => {
    for (const content of ['hunter2', 'hunter2'.repeat(10), '', 'argon2id.v1.hunter2']) {
      writeFileSync(settings.masterKeyFile, content, { mode: 0o600 });
      const [finding] = checkMasterKeys(settings, null);
      expect(finding?.state, content).to.equal('fail');
      expect(finding?.message, content).to.include(settings.masterKeyFile).and.not.include('hunter2');
    }
    write(settings.masterKeyFile);
    writeFileSync(settings.previousMasterKeyFile, 'hunter2', { mode: 0o600 });
    expect(checkMasterKeys(settings, null)[0]?.message).to.include(settings.previousMasterKeyFile);
  });

  it('shows the source of a wrapped key, and opens it through its service', async () => {
    const wrappingKey = new FixedWrappingKey();
    const id = await writeEnvelope(settings.masterKeyFile, wrappingKey);
    const load = async () => wrappingKey;
    expect(checkMasterKeys(settings, sealedUnder(id)).map(({ state }) => state)).to.deep.equal(['ok', 'ok']);
    expect(checkMasterKeys(settings, null)[0]?.message).to.include(id).and.include('vault-transit, key transit/k');
    expect((await checkMasterKeyOpening(settings, load))[0]?.state).to.equal('ok');

    wrappingKey.unavailable = 'Vault at https://vault.example: permission denied';
    const [finding] = await checkMasterKeyOpening(settings, load);
    expect(finding).to.include({ state: 'fail', check: 'master-key-opening' });
    expect(finding?.message).to.include('permission denied');

    write(settings.masterKeyFile);
    expect(await checkMasterKeyOpening(settings, load)).to.deep.equal([]);
  });

  it('detects what makes the service lock more memory', () => {
    expect(getLockedMemoryUse(settings)).to.deep.equal({ hasPreviousKey: false, hasPassphrase: false });
    write(settings.masterKeyFile);
    expect(getLockedMemoryUse(settings)).to.deep.equal({ hasPreviousKey: false, hasPassphrase: false });
    writeWrapped(settings.previousMasterKeyFile);
    expect(getLockedMemoryUse(settings)).to.deep.equal({ hasPreviousKey: true, hasPassphrase: true });
  });
});
