import { ANONYMOUS } from '../../../domain/model/authentication.ts';
import type { Payload } from '../../../domain/model/payload.ts';
import type { PolicyResult } from '../../../domain/model/policy.ts';
import { isPrintable } from '../../../domain/model/text/unsafe-characters.ts';
import type { PolicyTrial, TriedRequest } from '../../../domain/services/policy-trial-service.ts';
import { styled, type TerminalStyle } from '../terminal/style.ts';
import type { Column } from '../terminal/table.ts';
import { formatSigned, quote } from './signed-text.ts';

/** What is worth saying beside the policies. */
export function trialCautions({ isActive, isPermitted }: PolicyTrial): readonly string[] {
  return [
    ...(isActive ? [] : ['the account or its platform is disabled and signs nothing, whatever its policies allow']),
    ...(isPermitted ? [] : ['no entry of the permissions list lets this caller sign with the account']),
  ];
}

/** Whether policies allow it, and no budget refuses it however much is left. */
export function isAllowed({ decision, refusingBudgets }: PolicyTrial): boolean {
  return decision.isAllowed && refusingBudgets.length === 0;
}

/** The mode of a policy, as configured. */
export function modeOf({ isEnforced }: PolicyResult): string {
  return isEnforced ? 'enforce' : 'audit';
}

/** A trial for people; it ends with the decision. */
export async function formatTrial(request: TriedRequest, trial: PolicyTrial, terminal: TerminalStyle): Promise<string> {
  const policies = await formatPolicies(request, trial, terminal);
  const budgets = await formatBudgets(request, trial, terminal);
  const parts = [formatView(trial), formatPayload(trial.payload), policies, budgets, formatDecision(trial, terminal)];
  return parts.filter((part) => part !== '').join('\n');
}

function formatView({ signed, absent }: PolicyTrial): string {
  const rows: readonly (readonly [string, string])[] = [
    ...Object.entries(signed).map(([field, value]) => [field, formatSigned(value)] as const),
    ...absent.map((field) => [field, '(absent)'] as const),
  ];
  if (rows.length === 0)
    return 'Policies see nothing of the request: the parts of what is signed cannot be distinguished.\n';
  const width = Math.max(...rows.map(([field]) => field.length));
  const lines = rows.map(([field, value]) => `  signed.${field.padEnd(width)}  ${value}\n`).join('');
  const hint =
    absent.length === 0
      ? ''
      : 'Absent fields could not be decoded. A condition on one is undecided, which counts against the request.\n';
  return `What policies see of the request:\n${lines}${hint}`;
}

function formatPayload({ text, encoding }: Payload): string {
  if (encoding !== 'utf8') return `What would be signed, the bytes in ${encoding}:\n  ${text}\n`;
  if (isPrintable(text)) return `What would be signed:\n  ${text}\n`;
  return `What would be signed, as a JSON string:\n  ${quote(text)}\n`;
}

const COLUMNS: readonly Column[] = [
  { heading: 'NAME' },
  { heading: 'EFFECT' },
  { heading: 'MODE' },
  { heading: 'FOR CALLER' },
  { heading: 'RESULT' },
];

async function formatPolicies(
  { platformId, accountId, principal }: TriedRequest,
  { results }: PolicyTrial,
  terminal: TerminalStyle,
): Promise<string> {
  const account = `${platformId}/${accountId}`;
  if (results.length === 0) return `No policy names ${account}.\n`;
  const { renderTable } = await import('../terminal/table.ts');
  const rows = results.map((result) => [
    ...[result.name, result.effect, modeOf(result), result.isForCaller ? 'yes' : 'no'],
    formatResult(result),
  ]);
  return `Policies on ${account}, for the caller ${principal ?? ANONYMOUS}:\n${renderTable(COLUMNS, rows, terminal)}`;
}

function formatResult({ effect, matches, error }: PolicyResult): string {
  if (error === null) return matches ? 'matches' : 'does not match';
  return `can't be decided, so it ${effect === 'deny' ? 'matches' : 'does not match'}: ${error}`;
}

const BUDGET_COLUMNS: readonly Column[] = [
  { heading: 'NAME' },
  { heading: 'AMOUNT' },
  { heading: 'MAX' },
  { heading: 'SECONDS' },
];

async function formatBudgets(
  { platformId, accountId }: TriedRequest,
  { amounts }: PolicyTrial,
  terminal: TerminalStyle,
): Promise<string> {
  if (amounts.length === 0) return '';
  const { renderTable } = await import('../terminal/table.ts');
  const rows = amounts.map(({ budget: { name, max, windowSeconds }, amount, error }) => [
    ...[name, amount?.text ?? `can't be decided, so it refuses: ${error}`],
    ...[String(max), String(windowSeconds)],
  ]);
  return `Budgets of ${platformId}/${accountId}:\n${renderTable(BUDGET_COLUMNS, rows, terminal)}`;
}

function formatDecision(trial: PolicyTrial, terminal: TerminalStyle): string {
  const { wouldDeny } = trial.decision;
  const answer = isAllowed(trial) ? styled(terminal, 'green', 'allowed') : styled(terminal, 'red', 'denied');
  const audited = wouldDeny.length === 0 ? '' : `Policies in audit mode that would deny it: ${wouldDeny.join(', ')}.\n`;
  return `${answer}${formatReason(trial)}\n${audited}`;
}

function formatReason({ decision: { isAllowed, effect, policies }, results, refusingBudgets }: PolicyTrial): string {
  if (isAllowed && refusingBudgets.length > 0) {
    return ` by ${refusingBudgets.length === 1 ? 'budget' : 'budgets'} ${refusingBudgets.join(', ')}`;
  }
  if (results.length === 0) return ': no policy names the account';
  if (effect === null) return ': no deny matches, and no allow is enforced';
  const names = policies.join(', ');
  return isAllowed || effect === 'deny' ? ` by ${names}` : `: no allow matches (${names})`;
}
