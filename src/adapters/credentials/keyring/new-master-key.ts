import { inContext } from '../../../domain/model/errors.ts';
import type { MasterKeyProtection } from '../../../domain/model/master-key-rotation.ts';
import type { WrappingKeys } from '../../../ports/wrapping-keys.ts';
import { encodeHex } from '../../key-files/secret-text.ts';
import { type LockedBuffer, withLockedBytes } from '../../vault/locked-buffer.ts';
import type { SecretContent } from '../editor/replace-credentials-file.ts';
import { MASTER_KEY_LENGTH, type MasterKey } from './master-key.ts';
import type { PassphraseDialog } from './passphrase-dialog.ts';
import { wrapKey } from './wrapped-key.ts';

/** A passphrase belongs to the dialog. */
export type NewKeyProtection =
  | MasterKeyProtection
  | { readonly source: 'passphrase'; readonly passphrase: LockedBuffer };

/**
 * Line of a new key in a keyring, without line break; a protected or wrapped one is tested to open.
 * @throws OperatorError if the key cannot be protected, which names no file, since nothing was
 * written
 */
export async function createRingLine(
  key: MasterKey,
  protection: NewKeyProtection,
  dialog: PassphraseDialog,
  wrappingKeys: WrappingKeys,
): Promise<SecretContent> {
  if (protection.source === 'file') return formatPlainKey(key);
  try {
    const { source } = protection;
    const text =
      source === 'passphrase'
        ? dialog.protect(key, protection.passphrase)
        : await wrapKey(key, protection, wrappingKeys);
    return (write) => write(Buffer.from(text));
  } catch (error) {
    throw inContext(error, (message) => `A new master key cannot be created: ${message} Nothing was changed.`);
  }
}

/** 64 lowercase hex digits. */
function formatPlainKey(masterKey: MasterKey): SecretContent {
  return (write) =>
    withLockedBytes(2 * MASTER_KEY_LENGTH, (text) => {
      masterKey.use((key) => encodeHex(key, text));
      write(text);
    });
}
