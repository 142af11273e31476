/**
 * Program: adds ed25519 accounts and prints each durable id. Arguments: credentials file, master
 * key file, id prefix, count (0: until killed).
 */
import sodium from 'sodium-native';
import { FileCredentialEditor } from '../../../../src/adapters/credentials/editor/file-credential-editor.ts';
import { Keyring } from '../../../../src/adapters/credentials/keyring/keyring.ts';
import { SodiumKeyStore } from '../../../../src/adapters/vault/sodium-key-store.ts';
import { FixedWrappingKeys } from '../../../doubles/fixed-wrapping-keys.ts';
import { TypedPassphrases } from '../../../doubles/typed-passphrases.ts';
import { addOne } from './credentials-workplace.ts';

const [file = '', masterKeyFile = '', prefix = '', count = '0'] = process.argv.slice(2);
const vault = new SodiumKeyStore();
const editor = new FileCredentialEditor({
  file,
  keyring: new Keyring({
    file: masterKeyFile,
    vault: async () => vault,
    prompt: new TypedPassphrases(),
    wrappingKeys: new FixedWrappingKeys(),
  }),
});

for (let index = 0; index < Number(count) || count === '0'; index += 1) {
  const accountId = `${prefix}-${index}`;
  const facts = {
    platformId: 'alpha',
    accountId,
    alias: accountId,
    environment: 'test',
    algorithm: 'ed25519',
  } as const;
  const draft = { ...facts, status: 'active', createdAt: '2026-11-20T00:00:00.000Z' } as const;
  const derivePublicKey = (privateKey: Uint8Array) => {
    const publicKey = Buffer.alloc(32);
    sodium.crypto_sign_seed_keypair(publicKey, Buffer.alloc(64), privateKey);
    return publicKey.toString('hex');
  };
  await addOne(editor, { draft, derivePublicKey });
  process.stdout.write(`${accountId}\n`);
}
