import { TimeSlice } from '../../domain/flow/time-slice.ts';
import type { AccountIds } from '../../domain/model/account.ts';
import { AccountSelection, type Permissions } from '../../domain/model/permissions.ts';
import type { PolicyEntry } from '../../domain/model/policy.ts';
import type { Registry } from '../../domain/model/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ConfigurationWarning, identifiesCallers, listNames } from './configuration-warnings.ts';
import type { Settings } from './settings.ts';

/** Warnings about a change: losing one line of the file can grant everything to everybody. */
export function changeWarnings(after: Permissions, before: Permissions): readonly ConfigurationWarning[] {
  if (!after.isOpen || before.isOpen) return [];
  return [
    {
      message: 'The permissions list was removed from the credentials file: every caller may do everything.',
      remedy: 'If this was not intended, restore the list.',
    },
  ];
}

/**
 * Warnings about a permissions list.
 * @param canIdentify whether any caller can have a principal; see {@link identifiesCallers}
 */
export function permissionWarnings(
  { isOpen, allowsAnonymous }: Permissions,
  canIdentify: boolean,
): readonly ConfigurationWarning[] {
  if (isOpen || canIdentify || allowsAnonymous) return [];
  return [
    {
      message:
        'Every request is refused: the credentials file has a permissions list, no authentication is configured, and no entry allows anonymous callers.',
      remedy: 'Add an entry for anonymous, or remove the list if every caller may do everything.',
    },
  ];
}

/**
 * Warns about policies and budgets without effect: a misspelt account may sign anything. Those that
 * had none before are left out.
 */
export async function policyWarnings(
  after: Registry,
  before: Registry,
  slice: TimeSlice,
): Promise<readonly ConfigurationWarning[]> {
  const unused = await findUnusedPolicies(listNamed(after), after.accounts(), slice);
  const known = await findUnusedPolicies(unused.length === 0 ? [] : listNamed(before), before.accounts(), slice);
  const knownNames = new Set(known.map(({ name }) => name));
  const names = unused.map(({ name }) => name).filter((name) => !knownNames.has(name));
  if (names.length === 0) return [];
  return [
    {
      message: `Policies or budgets without effect, because they name no account of the credentials file: ${listNames(names)}.`,
      remedy: 'Check the spelling of their accounts.',
    },
  ];
}

/** The policies or budgets that name none of these accounts, in their order. */
export async function findUnusedPolicies<Entry extends Pick<PolicyEntry, 'accounts'>>(
  policies: readonly Entry[],
  accounts: readonly AccountIds[],
  slice: TimeSlice,
): Promise<readonly Entry[]> {
  const unused = new Map(policies.map((policy) => [policy, new AccountSelection(policy.accounts)]));
  if (unused.size === 0) return [];
  await slice.forEach(accounts, ({ platformId, accountId }) => {
    for (const [policy, selection] of unused) if (selection.includes(platformId, accountId)) unused.delete(policy);
  });
  return [...unused.keys()];
}

function listNamed({ policies: { entries, budgets } }: Registry): readonly Pick<PolicyEntry, 'name' | 'accounts'>[] {
  return [...entries, ...budgets];
}

/** Warnings about the permissions and policies that a reload puts in force. */
export async function reloadWarnings(
  after: Registry,
  before: Registry,
  settings: Settings,
  clock: Clock,
): Promise<readonly string[]> {
  const warnings = [
    ...changeWarnings(after.permissions, before.permissions),
    ...permissionWarnings(after.permissions, identifiesCallers(settings)),
    ...(await policyWarnings(after, before, new TimeSlice(clock))),
  ];
  return warnings.map(({ message, remedy }) => `${message} ${remedy}`);
}
