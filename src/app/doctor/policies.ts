import { findPresetWithPolicies, formatPolicyCommand } from '../../adapters/cli/ready-made-policies.ts';
import { toPlatform } from '../../adapters/credentials/entry-defaults.ts';
import type { CredentialsContent } from '../../adapters/credentials/schema/credentials-schema.ts';
import { type Finding, fail, ok } from '../../adapters/machine/finding.ts';
import { SystemClock } from '../../adapters/node/system-clock.ts';
import { TimeSlice } from '../../domain/flow/time-slice.ts';
import { toAccountName } from '../../domain/model/account.ts';
import { AccountSelection } from '../../domain/model/permissions.ts';
import { formatIssues } from '../../domain/model/refusal.ts';
import { PolicyCompiler } from '../../domain/services/policy-compiler.ts';
import { findUnusedPolicies } from '../../domain/services/unused-policies.ts';
import { loadPolicyLanguage } from '../policy-language.ts';
import { findUnknownNames, warnAbout } from './named-entries.ts';

const CHECK = 'policies';

/** Checks whether policies and budgets compile, and whether they have an effect. */
export async function checkPolicies(content: CredentialsContent): Promise<readonly Finding[]> {
  const { policies = [], budgets = [], platforms, accounts } = content;
  const uncovered = findUncoveredPlatforms(content);
  if (policies.length === 0 && budgets.length === 0) {
    return uncovered.length > 0 ? uncovered : [ok(CHECK, 'none: permissions alone limit what callers may sign')];
  }
  const slice = new TimeSlice(new SystemClock());
  const compiler = new PolicyCompiler(loadPolicyLanguage);
  const compiled = await compiler.compile(policies, platforms.map(toPlatform), slice, budgets);
  if (!compiled.ok) {
    return [fail(CHECK, formatIssues(compiled.refusal), 'Correct the file; none of it takes effect until then.')];
  }
  const unused = await findUnusedPolicies([...policies, ...budgets], accounts, slice);
  const findings = [
    ...uncovered,
    ...findUnknownNames('policies', policies, content),
    ...findUnknownNames('budgets', budgets, content),
    ...warnAbout(
      CHECK,
      unused.map(({ name }) => name),
      'no effect: they name no account of the credentials file',
      'Check the spelling of their accounts, or remove what is no longer needed.',
    ),
    ...warnAbout(
      CHECK,
      listAuditedAccounts(content),
      'only policies in audit mode, so nothing is denied',
      'Remove `"mode": "audit"` once the audit records show that a policy denies what it should.',
    ),
  ];
  return findings.length > 0 ? findings : [ok(CHECK, formatCounts(policies, budgets))];
}

function formatCounts(policies: readonly object[], budgets: readonly object[]): string {
  return `entries: ${policies.length}${budgets.length === 0 ? '' : `, budgets: ${budgets.length}`}`;
}

/** Platforms with an account that no policy covers, although the venue has ready-made policies. */
function findUncoveredPlatforms({ platforms, accounts, policies = [] }: CredentialsContent): readonly Finding[] {
  const covered = new AccountSelection(policies.flatMap((policy) => policy.accounts));
  const uncovered = accounts.filter(({ platformId, accountId }) => !covered.includes(platformId, accountId));
  return platforms.flatMap((entry) => {
    const platform = toPlatform(entry);
    const preset = findPresetWithPolicies(platform);
    const names = uncovered.filter(({ platformId }) => platformId === platform.platformId).map(toAccountName);
    if (preset === undefined) return [];
    return warnAbout(
      CHECK,
      names,
      'no policy, so callers that may use them may sign anything, also withdrawals',
      `To allow orders only, run ${formatPolicyCommand(platform.platformId, preset)}.`,
    );
  });
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
