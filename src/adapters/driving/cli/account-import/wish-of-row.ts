import { resolve } from 'node:path';
import { ACCOUNT_STATUSES } from '../../../../domain/model/account.ts';
import { ALGORITHMS } from '../../../../domain/model/algorithm.ts';
import type { AccountWish } from '../../../../domain/services/account-administration-service.ts';
import { KEY_FILE_FORMATS, type KeyOrigin } from '../../../../ports/credential-editor.ts';
import type { ImportFault, ImportField, ImportRow } from './import-row.ts';
import { KEY_IN_FILE, looksLikeKey } from './looks-like-key.ts';

/** Fields in which a key may be by mistake: those that no short list of words bounds. */
const FREE_FIELDS: readonly ImportField[] = [
  'platformId',
  'accountId',
  'alias',
  'environment',
  'keyFile',
  'passwordFile',
];

/** What came of one row. */
export interface RowWish {
  /** Null where something is wrong with the row. */
  readonly wish: AccountWish | null;
  readonly faults: readonly ImportFault[];
}

/**
 * The account that a row asks for. What only the configuration can tell, such as whether its platform is there, is not looked at.
 * @param folder where relative paths of key files begin
 */
export function wishOfRow({ row, line, fields, values }: ImportRow, folder: string): RowWish {
  const faults: ImportFault[] = [];
  const tell = (field: string, message: string): void => void faults.push({ row, line, field, message });
  const chosen = <Choice extends string>(field: ImportField, choices: readonly Choice[]): Choice | undefined => {
    const text = fields.get(field);
    const choice = choices.find((candidate) => candidate === text);
    if (text !== undefined && choice === undefined) tell(field, `has to be one of ${choices.join(', ')}`);
    return choice;
  };
  for (const field of FREE_FIELDS) {
    if (looksLikeKey(fields.get(field) ?? '')) tell(field, KEY_IN_FILE);
  }
  for (const [name, value] of Object.entries(values ?? {})) {
    if (value.includes('-----BEGIN')) tell(`values.${name}`, KEY_IN_FILE);
  }
  for (const field of ['platformId', 'accountId'] as const) if (!fields.has(field)) tell(field, 'is required');
  for (const field of ['keyFormat', 'passwordFile'] as const) {
    if (fields.has(field) && !fields.has('keyFile')) tell(field, 'needs keyFile');
  }
  const algorithm = chosen('algorithm', ALGORITHMS);
  const status = chosen('status', ACCOUNT_STATUSES);
  const format = chosen('keyFormat', KEY_FILE_FORMATS);
  if (faults.length > 0) return { wish: null, faults };

  const [alias, environment] = [fields.get('alias'), fields.get('environment')];
  const wish = {
    platformId: fields.get('platformId') ?? '',
    accountId: fields.get('accountId') ?? '',
    ...(algorithm === undefined ? {} : { algorithm }),
    ...(alias === undefined ? {} : { alias }),
    ...(environment === undefined ? {} : { environment }),
    ...(status === undefined ? {} : { status }),
    ...(values === undefined ? {} : { values }),
    origin: originOf(fields, format, folder),
  };
  return { wish, faults };
}

function originOf(
  fields: ImportRow['fields'],
  format: (typeof KEY_FILE_FORMATS)[number] | undefined,
  folder: string,
): KeyOrigin {
  const [file, passwordFile] = [fields.get('keyFile'), fields.get('passwordFile')];
  if (file === undefined) return { kind: 'generate' };
  return {
    kind: 'file',
    file: resolve(folder, file),
    ...(format === undefined ? {} : { format }),
    ...(passwordFile === undefined ? {} : { passwordFile: resolve(folder, passwordFile) }),
  };
}
