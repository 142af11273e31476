import { z } from 'zod';
import { POLICY_EFFECTS, POLICY_MODES, POLICY_NAME_PATTERN } from '../model/policy.ts';
import { isBudgetMax, MAX_BUDGET_DIGITS } from '../policy/budget-units.ts';
import { accountsSchema, principalsSchema } from './permission-schema.ts';

/** Compiled at each reload, for every platform that the accounts name. */
const MAX_ENTRIES = 1024;
const MAX_EXPRESSION = 16_384;

/** Budgets are counted in memory and in their file. */
const MAX_WINDOW_SECONDS = 31 * 24 * 3600;

const name = z
  .string()
  .regex(POLICY_NAME_PATTERN, 'must be 1 to 64 lowercase letters, digits or -, starting with a letter or digit')
  .describe('Unique name, shown in refusals, audit records and metrics.');

/** An entry of `policies`. */
const policySchema = z.strictObject({
  name,
  accounts: accountsSchema.describe(
    'Accounts that the policy applies to: platformId/accountId; * matches any characters in either.',
  ),
  principals: principalsSchema
    .optional()
    .describe(
      'Callers to which the policy applies, as in permissions. Default: all callers, including anonymous ones.',
    ),
  effect: z
    .enum(POLICY_EFFECTS)
    .describe(
      'deny denies matching requests. An account with allow policies signs only requests that match one of them and no deny policy.',
    ),
  when: z
    .string()
    .min(1, 'must be a CEL condition')
    .max(MAX_EXPRESSION, `must have at most ${MAX_EXPRESSION} characters`)
    .describe('Condition in CEL over the signed fields, such as signed.path == "/api/v5/trade/order".'),
  mode: z
    .enum(POLICY_MODES)
    .optional()
    .describe('audit allows requests and records those that the policy would have denied. Default: enforce.'),
});

export const policiesSchema = z
  .array(policySchema)
  .max(MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries`)
  .describe('Policies over signed requests. Without policies an account signs everything that its permissions allow.');

const MAX_MESSAGE = `must be a decimal of at least 1e-30 and below 1e31 with at most ${MAX_BUDGET_DIGITS} digits, such as "50000"`;

const WINDOW_MESSAGE = `must be an integer from 1 to ${MAX_WINDOW_SECONDS} (31 days)`;

/** An entry of `budgets`. */
export const budgetSchema = z.strictObject({
  name,
  accounts: accountsSchema.describe(
    'Accounts that the budget applies to, each with a separate budget: platformId/accountId; * matches any characters in either.',
  ),
  sum: z
    .string()
    .min(1, 'must be a CEL expression')
    .max(MAX_EXPRESSION, `must have at most ${MAX_EXPRESSION} characters`)
    .describe(
      'Amount of a request: a decimal or integer in CEL over the signed fields, such as 1 or decimal(signed.body.sz).',
    ),
  max: z
    .union([z.string(), z.number()], MAX_MESSAGE)
    .refine(isBudgetMax, MAX_MESSAGE)
    .describe('Maximum for all requests of an account within the window: a decimal above zero, as a string or number.'),
  windowSeconds: z
    .int(WINDOW_MESSAGE)
    .min(1, WINDOW_MESSAGE)
    .max(MAX_WINDOW_SECONDS, WINDOW_MESSAGE)
    .describe('Length of the window in seconds.'),
});

export const budgetsSchema = z
  .array(budgetSchema)
  .max(MAX_ENTRIES, `must have at most ${MAX_ENTRIES} entries`)
  .describe('Limits on what an account signs within a window. Requests that exceed a budget are denied.');
