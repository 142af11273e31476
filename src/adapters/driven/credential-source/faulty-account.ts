import type { FaultyAccount } from '../../../domain/model/account-faults.ts';
import { IDENTIFIER_PATTERN } from '../../../domain/model/identifier.ts';
import { type FaultPath, pathText } from './credential-fault.ts';

/** Longer ids are not shown: they may be a key that was pasted into the wrong place. */
const MAX_SHOWN_ID = 31;

/** The accounts of a file that may be wrong in any place; empty where it has none. */
export function accountsIn(written: unknown): readonly unknown[] {
  const accounts: unknown = isObject(written) ? Reflect.get(written, 'accounts') : undefined;
  return Array.isArray(accounts) ? accounts : [];
}

/** The account that a path leads into; null where it leads elsewhere. */
export function faultyAccount([list, index, ...field]: FaultPath, accounts: readonly unknown[]): FaultyAccount | null {
  if (list !== 'accounts' || typeof index !== 'number') return null;
  return { path: pathText([list, index]), name: nameOf(accounts[index]), field: pathText(['', ...field]) };
}

function nameOf(account: unknown): string | null {
  if (!isObject(account)) return null;
  const ids: readonly unknown[] = ['platformId', 'accountId'].map((name) => Reflect.get(account, name));
  return ids.every(isShownId) ? ids.join('/') : null;
}

function isShownId(id: unknown): boolean {
  return typeof id === 'string' && id.length <= MAX_SHOWN_ID && IDENTIFIER_PATTERN.test(id);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
