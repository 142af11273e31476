import { TimeSlice } from '../../domain/flow/time-slice.ts';
import type { AccountIds } from '../../domain/model/account.ts';
import { AccountSelection, type Permissions } from '../../domain/model/permissions.ts';
import type { PolicyEntry } from '../../domain/model/policy.ts';
import type { Registry } from '../../domain/model/registry.ts';
import type { Clock } from '../../ports/clock.ts';
import { type ConfigurationWarning, identifiesCallers, listNames } from './configuration-warnings.ts';
import type { Settings } from './settings.ts';

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

/** Losing one line of the file can grant everything to everybody. */
const LIST_REMOVED: ConfigurationWarning = {
  message: 'The permissions list was removed from the credentials file: every caller may do everything.',
  remedy: 'If this was not intended, restore the list.',
};

/**
 * Warnings about the permissions and policies that a reload puts in force. A misspelt account may
 * sign anything, so policies and budgets without effect are named, once.
 */
export async function reloadWarnings(
  after: Registry,
  before: Registry,
  settings: Settings,
  clock: Clock,
): Promise<readonly string[]> {
  const slice = new TimeSlice(clock);
  const names = await listUnusedNames(after, slice);
  const known = names.length === 0 ? [] : await listUnusedNames(before, slice);
  const unused = names.filter((name) => !known.includes(name));
  const warnings = [
    ...(after.permissions.isOpen && !before.permissions.isOpen ? [LIST_REMOVED] : []),
    ...permissionWarnings(after.permissions, identifiesCallers(settings)),
    ...(unused.length === 0 ? [] : [unusedWarning(unused)]),
  ];
  return warnings.map(({ message, remedy }) => `${message} ${remedy}`);
}

async function listUnusedNames(registry: Registry, slice: TimeSlice): Promise<readonly string[]> {
  const { entries, budgets } = registry.policies;
  const unused = await findUnusedPolicies([...entries, ...budgets], registry.accounts(), slice);
  return unused.map(({ name }) => name);
}

function unusedWarning(names: readonly string[]): ConfigurationWarning {
  return {
    message: `Policies or budgets without effect, because they name no account of the credentials file: ${listNames(names)}.`,
    remedy: 'Check the spelling of their accounts.',
  };
}
