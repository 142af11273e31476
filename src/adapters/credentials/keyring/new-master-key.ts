import { inContext } from '../../../domain/model/errors.ts';
import type { MasterKeyProtection } from '../../../domain/model/master-key-rotation.ts';
import type { WrappingKeys } from '../../../ports/wrapping-keys.ts';
import { encodeHex } from '../../secret-files/secret-text.ts';
import { withLockedBytes } from '../../vault/locked-buffer.ts';
import { MASTER_KEY_LENGTH, type MasterKey } from './master-key.ts';
import type { PassphraseDialog } from './passphrase-dialog.ts';
import type { RingLine, RingLineText } from './ring-file.ts';
import { wrapKey } from './wrapped-key.ts';

/**
 * Line of a new key in a keyring; a protected or wrapped one is tested to open.
 * @param protection of it, or a key that was opened and whose protection it gets
 * @throws OperatorError if the key cannot be protected; nothing was written
 */
export async function createRingLine(
  key: MasterKey,
  protection: MasterKeyProtection | RingLine,
  dialog: PassphraseDialog,
  wrappingKeys: WrappingKeys,
): Promise<RingLineText> {
  if (protection.source === 'file') return formatPlainKey(key);
  try {
    const text =
      protection.source === 'passphrase'
        ? dialog.protect(key, 'id' in protection ? dialog.passphraseOf(protection.id) : await dialog.choose())
        : await wrapKey(key, protection, wrappingKeys);
    return (use) => use(Buffer.from(`${text}\n`));
  } catch (error) {
    throw inContext(error, (message) => `A new master key cannot be created: ${message} Nothing was changed.`);
  }
}

/** 64 lowercase hex digits. */
function formatPlainKey(masterKey: MasterKey): RingLineText {
  return (use) =>
    withLockedBytes(2 * MASTER_KEY_LENGTH + 1, (text) => {
      masterKey.use((key) => encodeHex(key, text));
      text.write('\n', 2 * MASTER_KEY_LENGTH);
      use(text);
    });
}
