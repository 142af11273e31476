import {
  findPresetWithPolicies,
  formatPolicyCommand,
  listReadyMadePolicies,
} from '../../adapters/cli/ready-made-policies.ts';
import { type Finding, fail, ok } from '../../adapters/machine/finding.ts';
import { SystemClock } from '../../adapters/node/system-clock.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import { TimeSlice } from '../../domain/flow/time-slice.ts';
import { toAccountName } from '../../domain/model/account.ts';
import { formatIssues } from '../../domain/model/errors.ts';
import { AccountSelection } from '../../domain/model/permissions.ts';
import { PolicyCompiler } from '../../domain/services/policy-compiler.ts';
import { loadPolicyLanguage } from '../policy-language.ts';
import { findUnusedPolicies } from '../settings/permission-warnings.ts';
import { findUnknownNames, warnAbout } from './named-entries.ts';

const CHECK = 'policies';

/** Checks whether policies and budgets compile, and whether they have an effect. */
export async function checkPolicies(content: CredentialsContent): Promise<readonly Finding[]> {
  const { policies = [], budgets = [], platforms, accounts } = content;
  const uncovered = findUncoveredAccounts(content);
  if (policies.length === 0 && budgets.length === 0) return uncovered.length > 0 ? uncovered : [ok(CHECK, 'none')];
  const slice = new TimeSlice(new SystemClock());
  const compiler = new PolicyCompiler(loadPolicyLanguage);
  const compiled = await compiler.compile(policies, platforms, slice, budgets);
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
      listOutdatedPolicies(content),
      'other conditions than the ready-made policies of this version have',
      'Remove them from the credentials file and add them again with `signing-service policy add`, or rename them.',
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

/** Accounts without a policy or budget; with the command if the venue has ready-made policies. */
function findUncoveredAccounts(content: CredentialsContent): readonly Finding[] {
  const { platforms, accounts, policies = [], budgets = [] } = content;
  const covered = new AccountSelection([...policies, ...budgets].flatMap((entry) => entry.accounts));
  const uncovered = accounts.filter(({ platformId, accountId }) => !covered.includes(platformId, accountId));
  const presets = new Map(
    platforms.flatMap((entry) => {
      const preset = findPresetWithPolicies(entry);
      return preset === undefined ? [] : [[entry.platformId, preset] as const];
    }),
  );
  const warn = (isAffected: (platformId: string) => boolean, remedy: string) =>
    warnAbout(
      CHECK,
      uncovered.filter(({ platformId }) => isAffected(platformId)).map(toAccountName),
      'no policy, so callers that may use them may sign anything, also withdrawals',
      remedy,
    );
  return [
    ...[...presets].flatMap(([platformId, preset]) =>
      warn((id) => id === platformId, `To allow orders only, run ${formatPolicyCommand(platformId, preset)}.`),
    ),
    ...warn((id) => !presets.has(id), 'Write policies for them, or take the right to withdraw from their API keys.'),
  ];
}

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
