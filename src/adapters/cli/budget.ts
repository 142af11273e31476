import { OperatorError } from '../../domain/model/errors.ts';
import type { BudgetEntry } from '../../domain/model/policy.ts';
import { CREDENTIALS_SETTINGS } from './command-options.ts';
import { warnUnknown } from './covered-accounts.ts';
import { type CommandGroup, defineCommand } from './define-command.ts';
import { argument, integer, needed, repeatable, text, WIDE } from './inputs.ts';

/** A month of 31 days. */
const MAX_WINDOW_SECONDS = 31 * 24 * 3600;

/** Members of a budget; not shared, because `needed` changes them. */
const members = () => ({
  account: repeatable(
    '--account <pattern>',
    'platform/account; * matches any characters in either; each account has the whole budget',
  ),
  sum: text('--sum <expression>', 'what a request takes, in CEL over the signed fields'),
  max: text('--max <amount>', 'a decimal above zero'),
  window: integer('--window <seconds>', 'length of the window', 1, MAX_WINDOW_SECONDS),
});

const ADDED = members();

/** `budget add`. */
const add = defineCommand({
  description: 'add a budget: what an account may sign within a window',
  inputs: {
    name: argument('<name>', 'unique name, also among policies'),
    account: needed(ADDED.account),
    sum: needed(ADDED.sum),
    max: needed(ADDED.max),
    window: needed(ADDED.window),
  },
  manual: {
    notes: [
      'The sum is compiled for every platform that the accounts may be of. If it cannot be decided for a request, the request is refused. docs/operators/policies.md has examples.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      `budget add daily-usdt --account okx/main --sum 'decimal(signed.body.sz) * decimal(signed.body.px)' --max 50000 --window 86400`,
      "budget add orders --account 'okx/*' --sum 1 --max 600 --window 60",
    ],
  },
  run: async ({ name, account, sum, max, window }, session) => {
    const budget: BudgetEntry = { name, accounts: account, sum, max, windowSeconds: window };
    const after = await (await session.use('configuration')).addBudget(budget);
    return { budget, cautions: warnUnknown(account, after) };
  },
  text: ({ budget }, page) => page.prose(`Budget ${budget.name} added: ${describe(budget)}.\n`),
  reload: () => true,
});

function describe({ max, windowSeconds, accounts }: BudgetEntry): string {
  return `at most ${max} within ${windowSeconds} seconds for each account of ${accounts.join(', ')}`;
}

/** `budget edit`. */
const edit = defineCommand({
  description: 'change a budget',
  inputs: { name: argument('<name>', 'name of the budget'), ...members() },
  manual: {
    notes: ['What is not named stays, and so does what was charged within the window.'],
    settings: CREDENTIALS_SETTINGS,
    examples: ['budget edit daily-usdt --max 80000'],
  },
  run: async ({ name, account, sum, max, window }, session) => {
    if ([account, sum, max, window].every((one) => one === undefined)) {
      throw new OperatorError('Set at least one of --account, --sum, --max and --window.');
    }
    const after = await (await session.use('configuration')).editBudget(name, (budget) => ({
      ...budget,
      ...(account && { accounts: account }),
      ...(sum !== undefined && { sum }),
      ...(max !== undefined && { max }),
      ...(window !== undefined && { windowSeconds: window }),
    }));
    return { budgets: after.budgets.filter((one) => one.name === name), cautions: warnUnknown(account ?? [], after) };
  },
  text: ({ budgets }, page) =>
    budgets.map((budget) => page.prose(`Budget ${budget.name} changed: ${describe(budget)}.\n`)).join(''),
  reload: () => true,
});

/** `budget remove`. */
const remove = defineCommand({
  description: 'remove a budget',
  inputs: { name: argument('<name>', 'name of the budget') },
  manual: {
    notes: ['A budget of the same name that is added later has what was charged within its window.'],
    settings: CREDENTIALS_SETTINGS,
    examples: ['budget remove daily-usdt'],
  },
  run: async ({ name }, session) => {
    await (await session.use('configuration')).removeBudget(name);
    return { budget: { name }, removed: true };
  },
  text: ({ budget: { name } }) => `Budget ${name} removed.\n`,
  reload: () => true,
});

/** `budget list`: what is left of each budget of each account. */
const list = defineCommand({
  description: 'list the budgets of each account, with what is left',
  inputs: {
    platform: text('--platform <id>', 'only accounts of this platform'),
    account: text('--account <id>', 'only accounts of this ID'),
    wide: WIDE,
  },
  manual: {
    notes: [
      'It reads the budget file beside the audit file, or Redis, and charges nothing. Run it as the user of the service.',
      'While the service runs, its budget file has up to a fiftieth of each maximum more than was charged: as much more may be left.',
    ],
    settings: ['SIGNING_CREDENTIALS_FILE', 'SIGNING_AUDIT_FILE', 'SIGNING_REDIS_URL', 'SIGNING_REDIS_PASSWORD_FILE'],
    exitCodes: { 3: 'what is left is unknown: the budget file or Redis cannot be read' },
    examples: ['budget list', 'budget list --platform okx --account main --json'],
  },
  run: async ({ platform, account }, session) => {
    const { budgets, problems } = await (await session.installation()).readBudgets();
    if (problems.length > 0) session.endAs('incomplete');
    const shown = budgets.filter(
      ({ platformId, accountId }) => platformId === (platform ?? platformId) && accountId === (account ?? accountId),
    );
    return { budgets: shown, total: shown.length, cautions: problems };
  },
  text: ({ budgets }, page, { wide }) => {
    const rows = budgets.map(({ name, platformId, accountId, left, max, windowSeconds }) => [
      ...[name, `${platformId}/${accountId}`, left ?? 'unknown', max, String(windowSeconds)],
    ]);
    return page.table(COLUMNS, rows, 'No budget covers such an account.\n', wide);
  },
});

const COLUMNS = [
  { heading: 'BUDGET', truncate: 'end' },
  { heading: 'ACCOUNT', truncate: 'end' },
  ...[{ heading: 'LEFT' }, { heading: 'MAX' }, { heading: 'SECONDS' }],
] as const;

/** Budgets of accounts. */
export const BUDGET_GROUP: CommandGroup = {
  description: 'manage budgets',
  examples: ["budget add orders --account 'okx/*' --sum 1 --max 600 --window 60", 'budget list'],
  commands: { add, list, edit, remove },
};
