import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { AccountDetails, KeyLocation } from '../../../ports/credential-editor.ts';
import { getAccountFacts } from '../entry-defaults.ts';
import type { AccountEntry } from '../schema/account-schema.ts';
import type { CredentialsContent } from '../schema/credentials-schema.ts';
import { getSealingKeyId } from '../schema/sealed-key-text.ts';
import { quoted } from './edit-checks.ts';

/** One account of the file, without its key. @throws EditRefusedError if it does not exist */
export function findDetails({ accounts }: CredentialsContent, platformId: string, accountId: string): AccountDetails {
  const entry = accounts.find((one) => one.platformId === platformId && one.accountId === accountId);
  if (entry === undefined) {
    throw new EditRefusedError(
      `No such account: ${quoted(accountId)} on platform ${quoted(platformId)}. List the accounts with \`signing-service account list\`.`,
    );
  }
  return {
    account: getAccountFacts(entry),
    key: toKeyLocation(entry),
    overlapSeconds: entry.overlapSeconds ?? 0,
  };
}

function toKeyLocation({ key }: AccountEntry): KeyLocation {
  if ('sealed' in key) return { kind: 'sealed', masterKeyId: getSealingKeyId(key.sealed) };
  if ('plaintext' in key) return { kind: 'plaintext' };
  const { file, format, passwordFile } = key;
  return {
    kind: 'file',
    file,
    ...(format === undefined ? {} : { format }),
    ...(passwordFile === undefined ? {} : { passwordFile }),
  };
}
