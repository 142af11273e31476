import type { CredentialListing, WrittenEntries, WrittenPlatform } from '../../ports/credential-editor.ts';
import type { Ports } from '../../ports/ports.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import type { AccountStatus } from '../model/account.ts';
import { OperatorError } from '../model/errors.ts';
import type { PermissionEntry } from '../model/permissions.ts';
import type { Platform } from '../model/platform.ts';
import type { BudgetEntry, PolicyEntry } from '../model/policy.ts';
import { listSome } from '../model/text/wording.ts';
import type { PolicyCompiler } from './policy-compiler.ts';

type Parts = Pick<Ports, 'editor' | 'clock'> & { readonly compiler: PolicyCompiler };

/**
 * Changes platforms, permissions, policies and budgets from the command line; opens no key. A
 * running service picks changes up automatically or on a reload. Methods reject with OperatorError
 * for what cannot be done, or CredentialLoadError for an invalid configuration; nothing is changed
 * then.
 */
export class ConfigurationAdministrationService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Path of the configuration. */
  get location(): string {
    return this.#parts.editor.location;
  }

  list(): Promise<CredentialListing> {
    return this.#parts.editor.list();
  }

  /** Adds a platform, and policies whose names must be new. */
  addPlatform(platform: Platform, policies: readonly PolicyEntry[] = []): Promise<CredentialListing> {
    return this.#editChecked((written) => {
      const { platformId } = platform;
      if (written.platforms.some((one) => one.platformId === platformId)) throw exists('Platform', platformId);
      const added = { ...written, platforms: [...written.platforms, platform] };
      return withPolicies(added, policies);
    });
  }

  /** Changes a platform; members that `edit` does not change keep their text. */
  editPlatform(platformId: string, edit: (written: WrittenPlatform) => WrittenPlatform): Promise<CredentialListing> {
    return this.#editChecked((written) => withPlatform(written, platformId, edit));
  }

  /** Sets the status of a platform, and none of its accounts. */
  setPlatformStatus(platformId: string, status: AccountStatus): Promise<CredentialListing> {
    return this.#edit((written) =>
      // Absent when active.
      withPlatform(written, platformId, ({ status: _, ...platform }) =>
        status === 'active' ? platform : { ...platform, status },
      ),
    );
  }

  /** Removes a platform without accounts; policies and permissions that name it stay. */
  removePlatform(platformId: string): Promise<CredentialListing> {
    return this.#edit((written, { accounts }) => {
      const ids = accounts.filter((one) => one.platformId === platformId).map(({ accountId }) => accountId);
      if (ids.length > 0) {
        throw new OperatorError(
          `Platform ${JSON.stringify(platformId)} has ${ids.length === 1 ? 'an account' : 'accounts'}: ${listSome(ids, String)}; nothing was changed. ` +
            'Remove them first with `signing-service account disable` and `signing-service account remove`, which destroys their keys.',
        );
      }
      return { ...written, platforms: written.platforms.toSpliced(indexOfPlatform(written, platformId), 1) };
    });
  }

  /** Adds a permission entry at the end, and the list if there is none. */
  addPermission(entry: PermissionEntry): Promise<CredentialListing> {
    return this.#edit(({ permissions = [], ...written }) => ({
      ...written,
      permissions: [...permissions, entry],
    }));
  }

  /** Removes the permission entry at this index, from 0; null: the whole list. */
  removePermission(index: number | null): Promise<CredentialListing> {
    return this.#edit(({ permissions, ...written }) => {
      if (permissions === undefined) {
        throw new OperatorError('The credentials file has no permissions list; nothing was changed.');
      }
      if (index === null) return written;
      if (index < permissions.length) return { ...written, permissions: permissions.toSpliced(index, 1) };
      throw new OperatorError(
        `There is no permission entry ${index}; nothing was changed. List the entries with \`signing-service permission list\`.`,
      );
    });
  }

  /** Adds policies whose names must be new. */
  addPolicies(policies: readonly PolicyEntry[]): Promise<CredentialListing> {
    return this.#editChecked((written) => withPolicies(written, policies));
  }

  /** Adds policies; one of the same name is replaced, and keeps its place. */
  setPolicies(policies: readonly PolicyEntry[]): Promise<CredentialListing> {
    return this.#editChecked((written) => {
      const twice = policies.find(({ name }, index) => policies.findIndex((one) => one.name === name) < index);
      if (twice !== undefined) {
        throw new OperatorError(`Policy ${JSON.stringify(twice.name)} is given twice; nothing was changed.`);
      }
      const given = new Map(policies.map((policy) => [policy.name, policy]));
      const kept = (written.policies ?? []).map((one) => {
        const replacement = given.get(one.name) ?? one;
        given.delete(one.name);
        return replacement;
      });
      return { ...written, policies: [...kept, ...given.values()] };
    });
  }

  removePolicy(name: string): Promise<CredentialListing> {
    return this.#edit((written) => ({ ...written, policies: without('policy', written.policies, name) }));
  }

  /** Adds a budget whose name must be new. */
  addBudget(budget: BudgetEntry): Promise<CredentialListing> {
    return this.#editChecked((written) => {
      assertNew(written, budget.name);
      return {
        ...written,
        budgets: [...(written.budgets ?? []), budget],
      };
    });
  }

  /** Changes a budget; it keeps what was charged. */
  editBudget(name: string, edit: (budget: BudgetEntry) => BudgetEntry): Promise<CredentialListing> {
    return this.#editChecked((written) => {
      without('budget', written.budgets, name);
      return { ...written, budgets: (written.budgets ?? []).map((one) => (one.name === name ? edit(one) : one)) };
    });
  }

  removeBudget(name: string): Promise<CredentialListing> {
    return this.#edit((written) => ({ ...written, budgets: without('budget', written.budgets, name) }));
  }

  /** Stopping a platform works even while policies do not compile. */
  async #edit(
    change: (written: WrittenEntries, before: CredentialListing) => WrittenEntries,
  ): Promise<CredentialListing> {
    return (await this.#parts.editor.edit(change)).after;
  }

  /** The same; every policy and budget compiles for every platform afterwards. */
  async #editChecked(change: (written: WrittenEntries) => WrittenEntries): Promise<CredentialListing> {
    const check = async ({ policies, platforms, budgets }: CredentialListing) => {
      const slice = new TimeSlice(this.#parts.clock);
      const compiled = await this.#parts.compiler.compile(policies, platforms, slice, budgets);
      if (compiled.ok) return;
      const [issue] = compiled.refusal;
      throw new OperatorError(`Nothing was changed: ${issue?.path ?? 'policies'} ${issue?.message ?? ''}.`);
    };
    return (await this.#parts.editor.edit(change, { check })).after;
  }
}

function indexOfPlatform({ platforms }: WrittenEntries, platformId: string): number {
  const index = platforms.findIndex((one) => one.platformId === platformId);
  if (index !== -1) return index;
  throw new OperatorError(`Platform ${JSON.stringify(platformId)} does not exist; nothing was changed.`);
}

function withPlatform(
  written: WrittenEntries,
  platformId: string,
  edit: (written: WrittenPlatform) => WrittenPlatform,
): WrittenEntries {
  const index = indexOfPlatform(written, platformId);
  const platform = written.platforms[index] as WrittenPlatform;
  return { ...written, platforms: written.platforms.with(index, edit(platform)) };
}

function withPolicies(written: WrittenEntries, added: readonly PolicyEntry[]): WrittenEntries {
  if (added.length === 0) return written;
  for (const { name } of added) assertNew(written, name);
  return { ...written, policies: [...(written.policies ?? []), ...added] };
}

/** Policies and budgets share their names. */
function assertNew({ policies = [], budgets = [] }: WrittenEntries, name: string): void {
  if (policies.some((one) => one.name === name)) throw exists('Policy', name);
  if (budgets.some((one) => one.name === name)) throw exists('Budget', name);
}

function without<Entry extends { readonly name: string }>(
  kind: 'policy' | 'budget',
  entries: readonly Entry[] = [],
  name: string,
): readonly Entry[] {
  const rest = entries.filter((one) => one.name !== name);
  if (rest.length < entries.length) return rest;
  throw new OperatorError(
    `There is no ${kind} ${JSON.stringify(name)}; nothing was changed. List them with \`signing-service ${kind} list\`.`,
  );
}

function exists(kind: string, name: string): OperatorError {
  return new OperatorError(`${kind} ${JSON.stringify(name)} already exists; nothing was changed.`);
}
