import { ANONYMOUS } from '../../../domain/model/authentication.ts';
import type { Payload } from '../../../domain/model/payload.ts';
import type { PolicyResult } from '../../../domain/model/policy.ts';
import { isPrintable } from '../../../domain/model/text/unsafe-characters.ts';
import type { PolicyTrial, TriedRequest } from '../../../domain/services/policy-trial-service.ts';
import { styled, type TerminalStyle } from '../terminal/style.ts';
import type { Column } from '../terminal/table.ts';
import { formatSigned, quote } from './signed-text.ts';

/** Warnings besides the result of the policies. */
export function trialCautions({ isActive, isPermitted }: PolicyTrial): readonly string[] {
  return [
    ...(isActive ? [] : ['the account or its platform is disabled, so it signs nothing']),
    ...(isPermitted ? [] : ['no permission entry allows this caller to sign with the account']),
  ];
}

/** Whether policies allow it and it does not exceed a whole budget. */
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
  if (rows.length === 0) return 'Signed fields: none, because the parts of the payload cannot be separated.\n';
  const width = Math.max(...rows.map(([field]) => field.length));
  const lines = rows.map(([field, value]) => `  signed.${field.padEnd(width)}  ${value}\n`).join('');
  const hint =
    absent.length === 0
      ? ''
      : 'Absent fields could not be decoded. If a condition reads one, it cannot be evaluated: a deny matches, an allow does not.\n';
  return `Signed fields:\n${lines}${hint}`;
}

function formatPayload({ text, encoding }: Payload): string {
  if (encoding !== 'utf8') return `Payload (${encoding}):\n  ${text}\n`;
  if (isPrintable(text)) return `Payload:\n  ${text}\n`;
  return `Payload (JSON string):\n  ${quote(text)}\n`;
}

const COLUMNS: readonly Column[] = [
  { heading: 'NAME' },
  { heading: 'EFFECT' },
  { heading: 'MODE' },
  { heading: 'APPLIES' },
  { heading: 'RESULT' },
];

async function formatPolicies(
  { platformId, accountId, principal }: TriedRequest,
  { results }: PolicyTrial,
  terminal: TerminalStyle,
): Promise<string> {
  const account = `${platformId}/${accountId}`;
  if (results.length === 0) return `No policy covers ${account}.\n`;
  const { renderTable } = await import('../terminal/table.ts');
  const rows = results.map((result) => [
    ...[result.name, result.effect, modeOf(result), result.isForCaller ? 'yes' : 'no'],
    formatResult(result),
  ]);
  return `Policies for ${account}, caller ${principal ?? ANONYMOUS}:\n${renderTable(COLUMNS, rows, terminal)}`;
}

function formatResult({ effect, matches, error }: PolicyResult): string {
  if (error === null) return matches ? 'matches' : 'does not match';
  return `cannot be evaluated, so it ${effect === 'deny' ? 'matches' : 'does not match'}: ${error}`;
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
    ...[name, amount?.text ?? `cannot be evaluated, so it denies: ${error}`],
    ...[String(max), String(windowSeconds)],
  ]);
  return `Budgets for ${platformId}/${accountId}:\n${renderTable(BUDGET_COLUMNS, rows, terminal)}`;
}

function formatDecision(trial: PolicyTrial, terminal: TerminalStyle): string {
  const { wouldDeny } = trial.decision;
  const outcome = isAllowed(trial) ? styled(terminal, 'green', 'allowed') : styled(terminal, 'red', 'denied');
  const audited = wouldDeny.length === 0 ? '' : `Policies in audit mode that would deny it: ${wouldDeny.join(', ')}.\n`;
  return `${outcome}${formatReason(trial)}\n${audited}`;
}

function formatReason({ decision: { isAllowed, effect, policies }, results, refusingBudgets }: PolicyTrial): string {
  if (isAllowed && refusingBudgets.length > 0) {
    return ` by ${refusingBudgets.length === 1 ? 'budget' : 'budgets'} ${refusingBudgets.join(', ')}`;
  }
  if (results.length === 0) return ': no policy covers the account';
  if (effect === null) return ': no deny policy matches, and no allow policy is enforced';
  const names = policies.join(', ');
  return isAllowed || effect === 'deny' ? ` by ${names}` : `: no allow policy matches (${names})`;
}
