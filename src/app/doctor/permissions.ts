import {
  findPresetWithPolicies,
  formatPolicyCommand,
  listReadyMadePolicies,
} from '../../adapters/cli/policy/ready-made-policies.ts';
import { fail, type Issue, type Outcome, warning } from '../../adapters/machine/outcome.ts';
import { SystemClock } from '../../adapters/node/system-clock.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import { TimeSlice } from '../../domain/flow/time-slice.ts';
import { toAccountName } from '../../domain/model/account.ts';
import { ANONYMOUS } from '../../domain/model/authentication.ts';
import { formatIssues } from '../../domain/model/errors.ts';
import { AccountSelection, Permissions } from '../../domain/model/permissions.ts';
import { WILDCARD, WildcardPattern } from '../../domain/model/text/wildcard-pattern.ts';
import { PolicyCompiler } from '../../domain/services/policy-compiler.ts';
import { loadPolicyLanguage } from '../policy-language.ts';
import { identifiesCallers, listNames } from '../settings/configuration-warnings.ts';
import { findUnusedPolicies, permissionWarnings } from '../settings/permission-warnings.ts';
import type { Settings } from '../settings/settings.ts';
import { type Configured, type Row, readContent } from './rows.ts';

/** What callers may do by the credentials file. */
export const PERMISSION_ROWS: readonly Row<Configured>[] = [
  {
    check: 'permissions',
    needs: ['credentials'],
    run: async (context) => checkPermissions(context.settings, await readContent(context)),
  },
  {
    check: 'policies',
    needs: ['credentials'],
    run: async (context) => checkPolicies(await readContent(context)),
    remedy: 'Until then, commands with presets and ready-made policies fail; the service does not read them.',
  },
];

/** Whether the list grants anything, and whether its principals and accounts exist. */
function checkPermissions(settings: Settings, content: CredentialsContent): readonly Outcome[] {
  const { permissions } = content;
  if (permissions === undefined)
    return ['the credentials file has no permissions list: every caller may do everything'];
  const canIdentify = identifiesCallers(settings);
  const warnings = permissionWarnings(new Permissions(permissions), canIdentify);
  // Reported above if it applies to all entries.
  const unmatched = canIdentify || warnings.length > 0 ? [] : permissions;
  const issues = [
    ...warnings.map(({ message, remedy }) => warning(message, remedy)),
    ...warnAbout(
      unmatched.flatMap(({ principals }, entry) => (principals.includes(ANONYMOUS) ? [] : [`permissions[${entry}]`])),
      'never matches: without authentication all callers are anonymous',
      'Set SIGNING_AUTH, or require client certificates (SIGNING_TLS_CLIENT_CA_FILE), or remove entries without effect.',
    ),
    ...findUnknownNames('permissions', content),
  ];
  return issues.length > 0 ? issues : [`entries: ${permissions.length}`];
}

/** Whether policies and budgets compile and have an effect, and which accounts have none. */
async function checkPolicies(content: CredentialsContent): Promise<readonly Outcome[]> {
  const { policies = [], budgets = [], platforms, accounts } = content;
  const slice = new TimeSlice(new SystemClock());
  const compiled = await new PolicyCompiler(loadPolicyLanguage).compile(policies, platforms, slice, budgets);
  if (!compiled.ok) {
    return [fail(formatIssues(compiled.refusal), 'Correct the file; none of it takes effect until then.')];
  }
  const unused = await findUnusedPolicies([...policies, ...budgets], accounts, slice);
  const issues = [
    ...findUncovered(content),
    ...findUnknownNames('policies', content),
    ...findUnknownNames('budgets', content),
    ...warnAbout(
      unused.map(({ name }) => name),
      'no effect: they name no account of the credentials file',
      'Check the spelling of their accounts, or remove what is no longer needed.',
    ),
    ...warnAbout(
      listOutdatedPolicies(content),
      'other conditions than the ready-made policies of this version have',
      'Remove them with `signing-service policy remove`, and add them again with `signing-service policy add`.',
    ),
    ...warnAbout(
      listAuditedAccounts(content),
      'only policies in audit mode, so nothing is denied',
      'Once the audit records show that a policy denies what it should, enforce it with `signing-service policy edit NAME --mode enforce`.',
    ),
  ];
  if (issues.length > 0) return issues;
  if (policies.length + budgets.length === 0) return ['none'];
  return [`entries: ${policies.length}${budgets.length === 0 ? '' : `, budgets: ${budgets.length}`}`];
}

/**
 * Platforms with ready-made policies and none set, also before they have accounts; and other
 * accounts without a policy or budget.
 */
function findUncovered({ platforms, accounts, policies = [], budgets = [] }: CredentialsContent): readonly Issue[] {
  const patterns = [...policies, ...budgets].flatMap((entry) => entry.accounts);
  const covered = new AccountSelection(patterns);
  const isNamed = (id: string) =>
    patterns.some((pattern) => new WildcardPattern(pattern.split('/')[0] ?? '').matches(id));
  const uncovered = accounts.filter(({ platformId, accountId }) => !covered.includes(platformId, accountId));
  const presets = new Map(platforms.map((platform) => [platform.platformId, findPresetWithPolicies(platform)]));
  const warnings = [...presets].flatMap(([platformId, preset]) => {
    if (preset === undefined) return [];
    const names = uncovered.filter((account) => account.platformId === platformId).map(toAccountName);
    const isUnused = accounts.every((account) => account.platformId !== platformId) && !isNamed(platformId);
    return warnAbout(
      isUnused ? [platformId] : names,
      isUnused ? 'no policy, so accounts added to it sign anything, also withdrawals' : UNCOVERED,
      `To allow orders only, run ${formatPolicyCommand(platformId, preset)}.`,
    );
  });
  return [
    ...warnings,
    ...warnAbout(
      uncovered.filter(({ platformId }) => presets.get(platformId) === undefined).map(toAccountName),
      UNCOVERED,
      'Write policies for them, or take the right to withdraw from their API keys.',
    ),
  ];
}

const UNCOVERED = 'no policy, so callers that may use them may sign anything, also withdrawals';

/** Policies with the name of a ready-made one and another condition than this version gives it. */
function listOutdatedPolicies({ platforms, policies = [] }: CredentialsContent): readonly string[] {
  const made = listReadyMadePolicies(platforms).map(({ entry }) => entry);
  return policies
    .filter(({ name }) => made.some((entry) => entry.name === name))
    .filter(({ name, when }) => made.every((entry) => entry.name !== name || entry.when !== when))
    .map(({ name }) => name);
}

/** Accounts on which no policy is enforced, although some name them. */
function listAuditedAccounts({ policies = [], accounts }: CredentialsContent): readonly string[] {
  const select = (isAudit: boolean) =>
    new AccountSelection(policies.filter(({ mode }) => (mode === 'audit') === isAudit).flatMap((one) => one.accounts));
  const [audited, enforced] = [select(true), select(false)];
  return accounts
    .filter(({ platformId, accountId }) => audited.includes(platformId, accountId))
    .filter(({ platformId, accountId }) => !enforced.includes(platformId, accountId))
    .map(toAccountName);
}

/** An unknown id in a list of the credentials file may be misspelt, and has no effect. */
function findUnknownNames(list: 'permissions' | 'policies' | 'budgets', content: CredentialsContent): readonly Issue[] {
  const platformIds = new Set(content.platforms.map(({ platformId }) => platformId));
  const names = new Set(content.accounts.map(toAccountName));
  const exists = (pattern: string) => {
    if (!pattern.includes(WILDCARD)) return names.has(pattern);
    const [platform = ''] = pattern.split('/');
    return platform.includes(WILDCARD) || platformIds.has(platform);
  };
  const paths = (content[list] ?? []).flatMap(({ accounts = [] }, entry) =>
    accounts.flatMap((pattern, index) => (exists(pattern) ? [] : [`${list}[${entry}].accounts[${index}]`])),
  );
  return warnAbout(
    paths,
    'no such account or platform in the credentials file',
    'Check the spelling, or remove what is no longer needed.',
  );
}

/** One warning about all that are named; none without names. */
function warnAbout(names: readonly string[], what: string, remedy: string): readonly Issue[] {
  return names.length === 0 ? [] : [warning(`${listNames(names)}: ${what}`, remedy)];
}
