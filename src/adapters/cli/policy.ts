import { OperatorError } from '../../domain/model/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/model/json.ts';
import { DEFAULT_RULE_NAME } from '../../domain/model/platform.ts';
import { POLICY_MODES, type PolicyEntry } from '../../domain/model/policy.ts';
import { formatTime } from '../../domain/model/text/iso-time.ts';
import type { CredentialListing } from '../../ports/credential-editor.ts';
import { findPreset } from '../venues/venue-files.ts';
import { VENUE_POLICY_NAMES } from '../venues/venue-policies.ts';
import { CREDENTIALS_SETTINGS, parsePrincipal } from './command-options.ts';
import { covers, warnUncovered, warnUnknown } from './covered-accounts.ts';
import { type CommandGroup, defineCommand } from './define-command.ts';
import {
  ACCOUNT,
  argument,
  choice,
  choices,
  excludes,
  flag,
  needed,
  PLATFORM,
  parsed,
  repeatable,
  text,
  WIDE,
} from './inputs.ts';
import { presetOption } from './platform/preset-text.ts';
import { describePolicies, formatCounts, formatRequests } from './policy/policy-description.ts';
import { describeAdded, foreignRuleWarnings, readyMadePolicies, signsLike } from './policy/ready-made-policies.ts';
import { formatTrial, isAllowed, modeOf, toSignedJson } from './policy/trial-text.ts';
import { readData, readJsonText } from './read-input.ts';

const NAME = argument('<name>', 'name of the policy');

/** `policy add`: ready-made policies for a platform that exists. */
const add = defineCommand({
  description: 'add ready-made policies for a platform',
  inputs: {
    platform: PLATFORM,
    policy: needed(
      choices('--policy <name...>', 'policies to add; `platform presets <name>` lists them', VENUE_POLICY_NAMES),
    ),
    preset: presetOption('preset of the platform (default: the platform ID)'),
    mode: choice('--mode <mode>', 'audit: only record, deny nothing (default: enforce)', POLICY_MODES),
  },
  manual: {
    notes: [
      'The policies apply to all accounts of the platform; policy edit limits them to accounts or callers. For other policies, use policy set.',
      'With --mode audit nothing is denied, and audit records name the policies that would have denied a request. To enforce them, use policy edit --mode enforce.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      'policy add --platform okx --policy trade-only',
      'policy add --platform okx-desk --preset okx --policy trade-only no-withdrawals --mode audit',
    ],
  },
  run: async ({ platform: platformId, policy, preset = findPreset(platformId), mode }, session) => {
    if (preset === undefined) throw new OperatorError(`Preset ${platformId} does not exist; use --preset.`);
    const configuration = await session.use('configuration');
    const { platforms } = await configuration.list();
    const platform = platforms.find((one) => one.platformId === platformId);
    if (platform === undefined) throw new OperatorError(`Platform ${JSON.stringify(platformId)} does not exist.`);
    if (!signsLike(platform, preset)) {
      throw new OperatorError(
        `The payload rule of platform ${platformId} differs from that of preset ${preset.name}, so its policies do not fit.`,
      );
    }
    const made = readyMadePolicies(preset, policy, platform);
    const policies = mode === 'audit' ? made.map((entry) => ({ ...entry, mode })) : made;
    await configuration.addPolicies(policies);
    return { policies, cautions: foreignRuleWarnings(platform, preset) };
  },
  text: ({ policies }) => policies.map(describeAdded).join(''),
  reload: () => true,
});

/** `policy set`: policies of the operator's own. */
const set = defineCommand({
  description: 'add policies of your own from a JSON file, or replace those of the same name',
  inputs: { file: argument('<file>', 'JSON file with a policy, or an array of them; - for standard input') },
  manual: {
    notes: [
      'A policy has name, accounts, effect, when and optionally principals and mode, as docs/operators/policies.md describes. Its condition is compiled for every platform that its accounts may be of; if one does not compile, nothing is changed.',
      'policy check tests a request against the policies in the credentials file. With "mode": "audit", a policy denies nothing yet.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: ['policy set max-order.json', 'policy set - < policies.json'],
  },
  run: async ({ file }, session) => {
    const given = readPolicies(file);
    const configuration = await session.use('configuration');
    const before = await configuration.list();
    const after = await configuration.setPolicies(given);
    const names = given.map(({ name }) => name);
    const policies = after.policies.filter(({ name }) => names.includes(name));
    const unknown = warnUnknown([...new Set(policies.flatMap(({ accounts }) => accounts))], after);
    return {
      policies,
      replaced: names.filter((name) => before.policies.some((one) => one.name === name)),
      cautions: [...unknown, ...warnUncovered(before, after)],
    };
  },
  text: ({ policies, replaced }) =>
    policies
      .map((entry) => (replaced.includes(entry.name) ? `Policy ${entry.name} replaced.\n` : describeAdded(entry)))
      .join(''),
  reload: () => true,
});

/** The editor validates their members. */
function readPolicies(file: string): readonly PolicyEntry[] {
  const { name, text } = readJsonText(file);
  const list: readonly JsonObject[] = [JSON.parse(text)].flat();
  if (list.length === 0 || !list.every((one) => isJsonObject(one) && typeof one['name'] === 'string')) {
    throw new OperatorError(`${name} must be a policy, or an array of them: JSON objects with a name.`);
  }
  return list as unknown as readonly PolicyEntry[];
}

/** `policy edit`: mode, accounts and callers of a policy. */
const edit = defineCommand({
  description: 'change the mode, accounts or callers of a policy',
  inputs: {
    name: NAME,
    mode: choice('--mode <mode>', 'enforce it, or only record what it would deny', POLICY_MODES),
    account: repeatable('--account <pattern>', 'platform/account, instead of all; * matches any characters in either'),
    principal: repeatable('--principal <name>', 'caller, instead of all; * matches any characters'),
    anyone: excludes(flag('--all-principals', 'apply it to all callers'), 'principal'),
  },
  manual: {
    notes: ['What is not named stays. Effect and condition are changed by policy set.'],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      'policy edit okx-trade-only --mode enforce',
      "policy edit okx-trade-only --account okx/main --account 'okx/bot-*'",
    ],
  },
  run: async ({ name, mode, account, principal, anyone }, session) => {
    if ([mode, account, principal, anyone].every((one) => one === undefined)) {
      throw new OperatorError('Set at least one of --mode, --account, --principal and --all-principals.');
    }
    const configuration = await session.use('configuration');
    const before = await configuration.list();
    const { mode: former, principals: known, ...others } = findPolicy(before, name);
    const principals = anyone ? undefined : (principal ?? known);
    const policy = {
      ...others,
      ...(account && { accounts: account }),
      ...(principals && { principals }),
      ...((mode ?? former) === 'audit' && { mode: 'audit' as const }),
    };
    const after = await configuration.setPolicies([policy]);
    return { policy, cautions: [...warnUnknown(account ?? [], after), ...warnUncovered(before, after)] };
  },
  text: ({ policy: { name, mode = 'enforce', accounts, principals } }, page) =>
    page.prose(
      `Policy ${name} changed: mode ${mode}, accounts ${accounts.join(', ')}, ${principals === undefined ? 'all callers' : `callers ${principals.join(', ')}`}.\n`,
    ),
  reload: () => true,
});

/** `policy remove`. */
const remove = defineCommand({
  description: 'remove a policy',
  inputs: { name: NAME },
  manual: {
    notes: [
      'Accounts without any policy sign everything; policy set, edit and remove name those that they leave with less.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: ['policy remove okx-trade-only'],
  },
  run: async ({ name }, session) => {
    const configuration = await session.use('configuration');
    const before = await configuration.list();
    const removed = findPolicy(before, name);
    return { removed, cautions: warnUncovered(before, await configuration.removePolicy(name)) };
  },
  text: ({ removed: { name } }) => `Policy ${name} removed.\n`,
  reload: () => true,
});

/** @throws OperatorError if there is no such policy */
function findPolicy({ policies }: Pick<CredentialListing, 'policies'>, name: string): PolicyEntry {
  const entry = policies.find((one) => one.name === name);
  if (entry !== undefined) return entry;
  throw new OperatorError(
    `No such policy: ${JSON.stringify(name)}. List the policies with \`signing-service policy list\`.`,
  );
}

/** `policy list`. */
const list = defineCommand({
  description: 'list the policies and budgets in the credentials file',
  inputs: {
    platform: text('--platform <id>', 'only policies and budgets that cover this platform'),
    account: text('--account <id>', 'only policies and budgets that cover this account'),
    wide: WIDE,
  },
  manual: {
    notes: [
      'The order is that of the credentials file. It does not affect decisions: a matching deny wins.',
      'Of a ready-made policy it counts the requests by group; `policy show` lists them. `budget list` shows what is left of budgets.',
      'Long values are truncated on a terminal, unless --wide or --json is given. A policy without principals applies to all callers.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: ['policy list', 'policy list --platform my-exchange --account main', 'policy list --json'],
  },
  run: async ({ platform, account }, session) => {
    const listed = await (await session.use('policies')).list();
    const policies = listed.policies
      .filter((entry) => covers(entry, platform, account))
      .map(describePolicies(listed.platforms));
    const budgets = listed.budgets.filter((entry) => covers(entry, platform, account));
    return { policies, total: policies.length, budgets };
  },
  text: ({ policies, budgets }, page, { wide }) => {
    const rows = policies.map(({ name, effect, mode, accounts, principals, when, readyMade }) => [
      ...[name, effect, mode, accounts.join(', '), principals?.join(', ') ?? '(all)'],
      readyMade === null ? onOneLine(when) : formatCounts(readyMade, effect),
    ]);
    const sums = budgets.map(({ name, max, windowSeconds, accounts, sum }) => [
      ...[name, String(max), String(windowSeconds), accounts.join(', '), onOneLine(sum)],
    ]);
    const shown = page.table(BUDGET_COLUMNS, sums, '', wide);
    return `${page.table(COLUMNS, rows, 'No policies.\n', wide)}${shown && `\n${shown}`}`;
  },
});

const COLUMNS = [
  { heading: 'NAME', truncate: 'middle' },
  ...[{ heading: 'EFFECT' }, { heading: 'MODE' }],
  { heading: 'ACCOUNTS', truncate: 'end' },
  { heading: 'PRINCIPALS', truncate: 'end' },
  { heading: 'CONDITION', truncate: 'end' },
] as const;

const BUDGET_COLUMNS = [
  ...[{ heading: 'BUDGET' }, { heading: 'MAX' }, { heading: 'SECONDS' }],
  { heading: 'ACCOUNTS', truncate: 'end' },
  { heading: 'SUM', truncate: 'end' },
] as const;

function onOneLine(condition: string): string {
  const lines = condition.split('\n').map((line) => line.trim());
  return lines.join(' ').trim();
}

/** `policy show`. */
const show = defineCommand({
  description: 'show a policy in the credentials file',
  inputs: { name: NAME },
  manual: {
    notes: [
      'A ready-made policy is shown as the requests that it allows, or that a deny policy leaves alone; {id} stands for one segment of a path. A policy of your own, or a ready-made one of another version, is shown with its condition.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: ['policy show okx-trade-only', 'policy show okx-trade-only --json'],
  },
  run: async ({ name }, session) => {
    const listed = await (await session.use('policies')).list();
    return { policy: describePolicies(listed.platforms)(findPolicy(listed, name)) };
  },
  text: ({ policy }, page) => {
    const { name, effect, mode, accounts, principals, when, readyMade } = policy;
    const facts: (readonly [string, string])[] = [
      ['policy', name],
      ['effect', effect],
      ['mode', mode],
      ['accounts', accounts.join(', ')],
      ['principals', principals?.join(', ') ?? '(all)'],
    ];
    if (readyMade === null) return `${page.facts(facts)}\nCondition\n${when.trim().replace(/^/gm, '  ')}\n`;
    facts.push(['ready-made', `${readyMade.policy} of preset ${readyMade.preset}`]);
    const meaning = effect === 'allow' ? 'It allows these requests' : 'It denies every request but these';
    return `${page.facts(facts)}\n${meaning}:\n${formatRequests(readyMade.requests)}`;
  },
});

/** `policy check`: the signed fields of a request, and the decision of the policies. */
const check = defineCommand({
  description: 'test a request against the policies of an account, without signing it',
  inputs: {
    ...ACCOUNT,
    rule: text('--rule <name>', 'named rule of the platform (default: its default rule)'),
    principal: excludes(
      parsed(text('--principal <name>', 'name of the caller, from its token or certificate'), parsePrincipal),
      'anonymous',
    ),
    anonymous: flag('--anonymous', 'an unauthenticated caller (default)'),
    data: needed(text('--data <file>', 'JSON file with the data of a signing request; - for standard input')),
  },
  manual: {
    notes: [
      'It evaluates the credentials file at the current time, without keys and without the service. Nothing is signed or recorded.',
      'For budgets it shows the amount of the request; `budget list` shows what is left.',
      'The output contains values of the request. With --json, numbers in `signed` are the strings int(17) and decimal(0.5), so no digit is lost.',
    ],
    settings: CREDENTIALS_SETTINGS,
    exitCodes: {
      0: 'allowed by the policies, and within the maximum of each budget',
      2: 'denied, or an option, data or file is invalid (see standard error)',
    },
    examples: [
      'policy check --platform my-exchange --account main --data order.json',
      'policy check --platform my-exchange --account main --principal bot-7 --data order.json --json',
      'policy check --platform my-exchange --account main --anonymous --data - < order.json',
    ],
  },
  run: async ({ platformId, accountId, rule, principal = null, data }, session) => {
    const request = { platformId, accountId, rule, principal, data: readData(data) };
    const trial = await (await session.use('policies')).judge(request);
    if (!isAllowed(trial)) session.endAs('refused');
    const cautions = [
      ...(trial.isActive ? [] : ['the account or its platform is disabled, so it signs nothing']),
      ...(trial.isPermitted ? [] : ['no permission entry allows this caller to sign with the account']),
    ];
    return { request, trial, cautions };
  },
  text: ({ request, trial }, page) => formatTrial(request, trial, page),
  document: ({ request, trial, cautions }) => {
    const { platformId, accountId, rule = DEFAULT_RULE_NAME, principal } = request;
    const { decision, payload, signed, absent, results, amounts, now } = trial;
    const { effect, policies, wouldDeny } = decision;
    const fields = Object.entries(signed).map(([field, value]) => [field, toSignedJson(value)]);
    return {
      ...{ allowed: isAllowed(trial), platformId, accountId, rule, principal, time: formatTime(now) },
      ...{ payload: payload.text, payloadEncoding: payload.encoding, signed: Object.fromEntries(fields), absent },
      policies: results.map((result) => {
        const { name, effect, isForCaller, matches, error } = result;
        return { name, effect, mode: modeOf(result), isForCaller, matches, error };
      }),
      decision: { effect, policies, wouldDeny },
      budgets: amounts.map(({ budget: { name, max, windowSeconds }, amount, error }) => {
        return { name, amount: amount?.text ?? null, max: String(max), windowSeconds, error };
      }),
      cautions,
    };
  },
});

/** Policies over what is signed. */
export const POLICY_GROUP: CommandGroup = {
  description: 'manage and test policies',
  examples: [
    'policy add --platform okx --policy trade-only',
    'policy list',
    'policy check --platform my-exchange --account main --data order.json',
  ],
  commands: { add, set, edit, remove, list, show, check },
};
