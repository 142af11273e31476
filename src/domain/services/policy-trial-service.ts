import type { CredentialListing } from '../../ports/credential-editor.ts';
import type { Ports } from '../../ports/ports.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import { CredentialLoadError, formatIssues, OperatorError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import type { Payload } from '../model/payload.ts';
import { Permissions } from '../model/permissions.ts';
import { findRule, type NamedRule, type Platform } from '../model/platform.ts';
import type { BudgetAmount, Policies, PolicyExplanation } from '../model/policy.ts';
import { tryToMakePayload } from '../payload/build-payload.ts';
import { Spellings } from '../payload/signed/signed-value.ts';
import { MAX_UNITS, toBudgetUnits, toUnits } from '../policy/budget-units.ts';
import { getSignedReader } from '../policy/signed-reader.ts';
import type { PolicyCompiler } from './policy-compiler.ts';

/** A request to evaluate without signing. */
export interface TriedRequest {
  readonly platformId: string;
  readonly accountId: string;
  /** Null for an unauthenticated caller. */
  readonly principal: string | null;
  readonly data: JsonObject;
  /** Name of one of the platform's named rules; absent: its default rule. */
  readonly rule?: string | undefined;
}

/** The decision of the policies on a request, and its reasons. */
export interface PolicyTrial extends PolicyExplanation {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number;
  /** What would be signed. */
  readonly payload: Payload;
  /** Fields that the platform signs and that could not be decoded from this request. */
  readonly absent: readonly string[];
  /** Names of the budgets that deny it even when unused. */
  readonly refusingBudgets: readonly string[];
  /** Whether account and platform are active. */
  readonly isActive: boolean;
  /** Whether permissions let the caller sign with the account. */
  readonly isPermitted: boolean;
}

type Parts = Pick<Ports, 'editor' | 'clock' | 'hasher' | 'starknet'> & { readonly compiler: PolicyCompiler };

/** Tries policies of the configuration, without any key. */
export class PolicyTrialService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The policies and budgets in their order, and the platforms.
   * @throws CredentialLoadError if one of them does not compile
   */
  async list(): Promise<Pick<CredentialListing, 'platforms' | 'policies' | 'budgets'>> {
    const listing = await this.#parts.editor.list();
    await this.#compile(listing);
    return listing;
  }

  /**
   * Evaluates a request as the service would, whether or not its account is active and its caller
   * has the permission.
   * @throws OperatorError
   */
  async judge({ platformId, accountId, principal, data, rule: ruleName }: TriedRequest): Promise<PolicyTrial> {
    const { editor, clock } = this.#parts;
    const listing = await editor.list();
    const policies = await this.#compile(listing);
    const { platform, account } = findListed(listing, platformId, accountId);
    const rule = getRule(platform, ruleName);
    const payload = this.#makePayload(platform, account, data, rule);

    const reader = getSignedReader(rule);
    const fields = Object.keys(reader.fields);
    const permissions = new Permissions(listing.permissions);
    const now = clock.now();
    const explanation = policies.explain({ platform, account, rule, ruleName, payload, principal, now });
    const hasPolicies = policies.entries.length > 0 || policies.budgets.length > 0;
    const signed = hasPolicies
      ? explanation.signed
      : reader.read(payload, { fields: new Set(fields), spellings: NO_SPELLINGS });
    return {
      ...explanation,
      ...{ now, payload, signed },
      absent: fields.filter((field) => !Object.hasOwn(signed, field)),
      refusingBudgets: explanation.amounts.filter(isNeverCharged).map(({ budget }) => budget.name),
      isActive: account.status === 'active' && platform.status !== 'disabled',
      isPermitted: permissions.allows(principal, 'sign', account),
    };
  }

  async #compile({ policies, platforms, budgets }: CredentialListing): Promise<Policies> {
    const { compiler, editor, clock } = this.#parts;
    const compiled = await compiler.compile(policies, platforms, new TimeSlice(clock), budgets);
    if (compiled.ok) return compiled.value;
    throw new CredentialLoadError(editor.location, compiled.refusal);
  }

  #makePayload(platform: Platform, account: ListedAccount, data: JsonObject, rule: NamedRule): Payload {
    const built = tryToMakePayload(platform, account, data, this.#parts, rule);
    if (built.ok) return built.value;
    throw new OperatorError(
      `The data is invalid for platform ${JSON.stringify(platform.platformId)}: ${formatIssues(built.refusal)}`,
    );
  }
}

const NO_SPELLINGS = new Spellings([]);

/** An amount that cannot be decided, or is beyond the whole budget. */
function isNeverCharged({ budget, amount }: BudgetAmount): boolean {
  const { maxUnits, exponent } = toBudgetUnits(budget.max);
  return amount === null || (toUnits(amount.text, exponent) ?? MAX_UNITS) > maxUnits;
}

type ListedAccount = CredentialListing['accounts'][number];

function getRule(platform: Platform, name: string | undefined): NamedRule {
  const rule = findRule(platform, name);
  if (rule !== undefined) return rule;
  const names = Object.keys(platform.rules ?? {});
  const known = names.length === 0 ? 'it has no named rules' : `its named rules are ${names.join(', ')}`;
  throw new OperatorError(
    `Platform ${JSON.stringify(platform.platformId)} has no rule ${JSON.stringify(name)}; ${known}.`,
  );
}

function findListed(
  { platforms, accounts }: CredentialListing,
  platformId: string,
  accountId: string,
): { readonly platform: Platform; readonly account: ListedAccount } {
  const platform = platforms.find((known) => known.platformId === platformId);
  if (platform === undefined) {
    throw new OperatorError(`Platform ${JSON.stringify(platformId)} does not exist in the credentials file.`);
  }
  const account = accounts.find((known) => known.platformId === platformId && known.accountId === accountId);
  if (account !== undefined) return { platform, account };
  throw new OperatorError(
    `Platform ${JSON.stringify(platformId)} has no account ${JSON.stringify(accountId)}; \`signing-service account list\` shows the accounts.`,
  );
}
