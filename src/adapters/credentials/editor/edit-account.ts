import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { FixedValues } from '../../../domain/model/payload-rule.ts';
import type { AccountChange, AccountEdit } from '../../../ports/credential-editor.ts';
import { getAccountFacts } from '../entry-defaults.ts';
import { type AccountEntry, accountSchema } from '../schema/account-schema.ts';
import type { WrittenCredentials } from '../schema/credentials-schema.ts';
import { assertAccountValues, assertEntry, existingIndex, quoted } from './edit-checks.ts';
import type { EditedCredentials } from './edited-credentials.ts';

type WrittenAccount = WrittenCredentials['accounts'][number];

/** An edit and the account that it is about. */
interface AddressedEdit extends AccountEdit {
  readonly platformId: string;
  readonly accountId: string;
}

/**
 * Changes label, environment and fixed values of an account in one change.
 * @throws CredentialLoadError, EditRefusedError
 */
export async function editAccount(credentials: EditedCredentials, edit: AddressedEdit): Promise<AccountChange> {
  let change: AccountChange | undefined;
  await credentials.edit(({ content, written }) => {
    const index = existingIndex(content, edit.platformId, edit.accountId);
    const entry = content.accounts[index] as AccountEntry;
    const values = toValues(entry, edit);
    const changed = toEdited(written.accounts[index] as WrittenAccount, edit, values);
    assertEntry(accountSchema, changed);
    assertAccountValues(content, edit.platformId, values);
    change = { before: getAccountFacts(entry), account: getAccountFacts(accountSchema.parse(changed)) };
    return { ...written, accounts: written.accounts.with(index, changed) };
  });
  if (change === undefined) throw new Error('The change of an account was not made.');
  return change;
}

/** @throws EditRefusedError if a value to remove does not exist, or is set as well */
function toValues({ values = {} }: AccountEntry, edit: AddressedEdit): FixedValues {
  const { platformId, accountId, removedValues } = edit;
  const conflicting = removedValues.find((name) => Object.hasOwn(edit.values, name));
  if (conflicting !== undefined) {
    throw new EditRefusedError(`Value ${quoted(conflicting)} is both set and removed; nothing was changed.`);
  }
  const missing = removedValues.find((name) => !Object.hasOwn(values, name));
  if (missing !== undefined) {
    throw new EditRefusedError(
      `Account ${quoted(accountId)} on platform ${quoted(platformId)} has no value ${quoted(missing)}; nothing was changed.`,
    );
  }
  const kept = Object.entries({ ...values, ...edit.values }).filter(([name]) => !removedValues.includes(name));
  return Object.fromEntries(kept);
}

function toEdited(written: WrittenAccount, { alias, environment }: AddressedEdit, values: FixedValues): WrittenAccount {
  const { key, values: _, ...others } = written;
  return {
    ...others,
    ...(alias === undefined ? {} : { alias }),
    ...(environment === undefined ? {} : { environment }),
    ...(Object.keys(values).length === 0 ? {} : { values: { ...values } }),
    key,
  };
}
