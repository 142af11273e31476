import { ANONYMOUS } from '../../../domain/model/authentication.ts';
import type { JsonValue } from '../../../domain/model/json.ts';
import { Decimal, type Payload, type SignedValue } from '../../../domain/model/payload.ts';
import type { PolicyResult } from '../../../domain/model/policy.ts';
import { escapeUnsafe, isPrintable } from '../../../domain/model/text/unsafe-characters.ts';
import type { PolicyTrial, TriedRequest } from '../../../domain/services/policy-trial-service.ts';
import type { Page } from '../terminal/page.ts';

/** Whether policies allow it and it does not exceed a whole budget. */
export function isAllowed({ decision, refusingBudgets }: PolicyTrial): boolean {
  return decision.isAllowed && refusingBudgets.length === 0;
}

/** The mode of a policy, as configured. */
export function modeOf({ isEnforced }: PolicyResult): string {
  return isEnforced ? 'enforce' : 'audit';
}

/** A trial for people; it ends with the decision. */
export function formatTrial(request: TriedRequest, trial: PolicyTrial, page: Page): string {
  const budgets = formatBudgets(request, trial, page);
  const parts = [formatView(trial), formatPayload(trial.payload), formatPolicies(request, trial, page), budgets];
  return [...parts, formatDecision(trial, page)].filter((part) => part !== '').join('\n');
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

function formatPolicies({ platformId, accountId, principal }: TriedRequest, { results }: PolicyTrial, page: Page) {
  if (results.length === 0) return `No policy covers ${platformId}/${accountId}.\n`;
  const rows = results.map((result) => [
    ...[result.name, result.effect, modeOf(result), result.isForCaller ? 'yes' : 'no', formatResult(result)],
  ]);
  const headings = ['NAME', 'EFFECT', 'MODE', 'APPLIES', 'RESULT'].map((heading) => ({ heading }));
  return `Policies for ${platformId}/${accountId}, caller ${principal ?? ANONYMOUS}:\n${page.table(headings, rows)}`;
}

function formatResult({ effect, matches, error }: PolicyResult): string {
  if (error === null) return matches ? 'matches' : 'does not match';
  return `cannot be evaluated, so it ${effect === 'deny' ? 'matches' : 'does not match'}: ${error}`;
}

function formatBudgets({ platformId, accountId }: TriedRequest, { amounts }: PolicyTrial, page: Page): string {
  if (amounts.length === 0) return '';
  const rows = amounts.map(({ budget: { name, max, windowSeconds }, amount, error }) => [
    ...[name, amount?.text ?? `cannot be evaluated, so it denies: ${error}`, String(max), String(windowSeconds)],
  ]);
  const headings = ['NAME', 'AMOUNT', 'MAX', 'SECONDS'].map((heading) => ({ heading }));
  return `Budgets for ${platformId}/${accountId}:\n${page.table(headings, rows)}`;
}

function formatDecision(trial: PolicyTrial, page: Page): string {
  const { wouldDeny } = trial.decision;
  const outcome = isAllowed(trial) ? page.styled('green', 'allowed') : page.styled('red', 'denied');
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

/** A signed value as a condition writes it: `{"sz": decimal("0.5"), "nonce": 17}`. */
function formatSigned(value: SignedValue): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Decimal) return `decimal(${quote(value.text)})`;
  if (Array.isArray(value)) return `[${value.map(formatSigned).join(', ')}]`;
  if (value instanceof Map) {
    return `{${[...value].map(([name, member]) => `${quote(name)}: ${formatSigned(member)}`).join(', ')}}`;
  }
  return quote(value as null | boolean | string);
}

/**
 * A signed value as JSON: maps as objects, numbers as the strings `int(17)` and `decimal(0.5)`,
 * which keep every digit and differ from the texts "17" and "0.5".
 */
export function toSignedJson(value: SignedValue): JsonValue {
  if (typeof value === 'bigint') return `int(${value})`;
  if (value instanceof Decimal) return `decimal(${value.text})`;
  if (Array.isArray(value)) return value.map(toSignedJson);
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([name, member]) => [name, toSignedJson(member)]));
  }
  return value as null | boolean | string;
}

/** A JSON scalar without characters that a terminal interprets. */
function quote(value: null | boolean | string): string {
  return escapeUnsafe(JSON.stringify(value));
}
