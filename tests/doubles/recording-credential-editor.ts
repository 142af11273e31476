import type { AccountIds, AccountStatus } from '../../src/domain/model/account.ts';
import type { Platform } from '../../src/domain/model/platform.ts';
import type {
  AccountAddition,
  AccountChange,
  AccountEdit,
  AccountPlan,
  AdditionOptions,
  AdditionOutcome,
  CredentialEditor,
  CredentialListing,
  KeyReplacement,
  PlannedAddition,
  StatusChange,
  StatusScope,
  WrittenEntries,
} from '../../src/ports/credential-editor.ts';

/** One call of the editor. */
export type RecordedEdit =
  | { readonly edit: 'editEntries'; readonly after: CredentialListing }
  | {
      readonly edit: 'addAccounts';
      readonly additions: readonly Pick<AccountAddition, 'draft' | 'origin'>[];
      readonly options: Omit<AdditionOptions, 'onProgress'>;
    }
  | {
      readonly edit: 'replaceKey';
      readonly replacement: AccountIds & Omit<KeyReplacement, 'derivePublicKey'> & { readonly dryRun: boolean };
    }
  | {
      readonly edit: 'editAccount';
      readonly platformId: string;
      readonly accountId: string;
      readonly change: AccountEdit;
    }
  | { readonly edit: 'removeAccount'; readonly platformId: string; readonly accountId: string }
  | {
      readonly edit: 'setStatus';
      readonly platformId: string;
      readonly accountId: string;
      readonly status: AccountStatus;
      readonly reach: StatusScope;
    };

/** An empty configuration. */
export const NOTHING: CredentialListing = { platforms: [], accounts: [], permissions: null, policies: [], budgets: [] };

/**
 * A CredentialEditor that records its calls and changes nothing. New accounts get the test's
 * private key, checked as by a real editor.
 */
export class RecordingCredentialEditor implements CredentialEditor {
  readonly location = 'recorded-credentials';
  readonly edits: RecordedEdit[] = [];
  readonly #privateKey: Uint8Array;
  readonly #listing: CredentialListing;

  constructor(privateKey: Uint8Array, listing: CredentialListing = NOTHING) {
    this.#privateKey = privateKey;
    this.#listing = listing;
  }

  async list(): Promise<CredentialListing> {
    return this.#listing;
  }

  async editEntries(
    change: (written: WrittenEntries, before: CredentialListing) => WrittenEntries,
    check: (after: CredentialListing) => Promise<void> = async () => undefined,
  ): Promise<CredentialListing> {
    const { permissions, ...entries } = this.#listing;
    const written = { ...entries, permissions: permissions ?? undefined } as unknown as WrittenEntries;
    const changed = change(written, this.#listing) as unknown as CredentialListing;
    const after = { ...this.#listing, ...changed, permissions: changed.permissions ?? null };
    await check(after);
    this.edits.push({ edit: 'editEntries', after });
    return after;
  }

  async addAccounts(
    plan: (listing: CredentialListing) => Promise<readonly PlannedAddition[]>,
    { dryRun, onProgress }: AdditionOptions,
  ): Promise<AdditionOutcome> {
    const planned = await plan(this.#listing);
    const issues = planned.flatMap(({ issue }, index) => (issue === undefined ? [] : [{ index, ...issue }]));
    if (issues.length > 0) return { outcome: 'refused', issues };
    const additions = planned.flatMap(({ addition }) => addition ?? []);
    const accounts = additions.map(({ draft, derivePublicKey }) => ({
      ...draft,
      publicKey: derivePublicKey(this.#privateKey.slice()),
    }));
    const requested = additions.map(({ draft, origin }) => ({ draft, origin }));
    this.edits.push({ edit: 'addAccounts', additions: requested, options: { dryRun } });
    onProgress?.(additions.length, additions.length);
    return { outcome: dryRun ? 'checked' : 'added', accounts };
  }

  async replaceKey(
    ids: AccountIds,
    plan: AccountPlan<Promise<KeyReplacement>>,
    dryRun: boolean,
  ): Promise<AccountChange> {
    const before = this.#find(ids);
    const { derivePublicKey, ...replacement } = await plan(before, this.#platformOf(ids));
    this.edits.push({ edit: 'replaceKey', replacement: { ...ids, ...replacement, dryRun } });
    return { before, account: { ...before, publicKey: derivePublicKey(this.#privateKey.slice()) } };
  }

  async editAccount(ids: AccountIds, change: AccountEdit, check: AccountPlan<void>): Promise<AccountChange> {
    const account = this.#find(ids);
    check(account, this.#platformOf(ids));
    this.edits.push({ edit: 'editAccount', ...ids, change });
    return { before: account, account };
  }

  #platformOf({ platformId }: AccountIds): Platform | undefined {
    return this.#listing.platforms.find((one) => one.platformId === platformId);
  }

  #find({ platformId, accountId }: AccountIds): CredentialListing['accounts'][number] {
    const found = this.#listing.accounts.find((one) => one.platformId === platformId && one.accountId === accountId);
    if (found === undefined) throw new Error('The configuration has no such account.');
    return found;
  }

  async removeAccount(platformId: string, accountId: string): Promise<void> {
    this.edits.push({ edit: 'removeAccount', platformId, accountId });
  }

  async setStatus(
    platformId: string,
    accountId: string,
    status: AccountStatus,
    reach: StatusScope = 'account',
  ): Promise<StatusChange> {
    this.edits.push({ edit: 'setStatus', platformId, accountId, status, reach });
    return { sameKey: [], uncompared: [] };
  }
}
