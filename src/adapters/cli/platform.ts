import { isDeepStrictEqual } from 'node:util';
import type { AccountStatus } from '../../domain/model/account.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { type Platform, toSigningRule } from '../../domain/model/platform.ts';
import { listSome } from '../../domain/model/text/wording.ts';
import { completePlatform } from '../../domain/payload/complete-platform.ts';
import type { WrittenPlatform } from '../../ports/credential-editor.ts';
import { listPresets } from '../venues/venue-files.ts';
import { VENUE_POLICY_NAMES } from '../venues/venue-policies.ts';
import type { VenuePreset } from '../venues/venue-schema.ts';
import { CREDENTIALS_SETTINGS } from './command-options.ts';
import { covers } from './covered-accounts.ts';
import { type CommandGroup, defineCommand } from './define-command.ts';
import { choices, excludes, flag, PLATFORM, repeatable, text, WIDE } from './inputs.ts';
import { isRuleOfPreset, MEMBERS, toMembers } from './platform/members.ts';
import {
  findTokenForm,
  formatNextSteps,
  formatPreset,
  formatTarget,
  PRESET_NAME,
  presetOption,
} from './platform/preset-text.ts';
import {
  describeAdded,
  foreignRuleWarnings,
  readyMadePolicies,
  unusedPolicyWarnings,
} from './policy/ready-made-policies.ts';
import { STATUS_COLUMN } from './terminal/page.ts';
import { platformWarnings } from './warnings.ts';

/** `platform add`. */
const add = defineCommand({
  description: 'add a platform',
  inputs: {
    preset: presetOption('venue preset; `platform presets` lists them'),
    platform: text('--platform <id>', 'platform ID in requests (default: name of the preset)'),
    ...MEMBERS,
    policy: choices(
      '--policy <name...>',
      'ready-made policies of the preset, for all accounts of the platform',
      VENUE_POLICY_NAMES,
    ),
  },
  manual: {
    notes: [
      '--platform and --format are required without --preset. Other options override the preset.',
      'Requests select a named rule with the field rule. With --rule or --payload, the named rules of the preset are not added; --add-rule replaces a rule of the same name.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      'platform add --preset kraken',
      'platform add --preset okx --policy trade-only',
      'platform add --preset bybit --platform bybit-subaccounts',
      'platform add --platform my-exchange --format C --algorithm ed25519 --encoding base64',
      `platform add --platform desk --format any --algorithm hmac-sha256 --payload '{"rule":"query","sort":true}'`,
      'platform add --platform treasury --format any --rule raw',
      `platform add --platform desk --format D --algorithm hmac-sha256 --add-rule 'login={"rule":"prehash","template":"{timestamp}GET/verify"}'`,
      'platform add --platform desk --format A --audit-clear instruction.amount instruction.price',
    ],
  },
  run: async (members, session) => {
    const { preset, policy = [] } = members;
    const platformId = members.platform ?? preset?.name;
    if (platformId === undefined) throw new OperatorError('--platform or --preset is required');
    const format = members.format ?? preset?.platform.format;
    if (format === undefined) throw new OperatorError('--format or --preset is required');
    if (policy.length > 0 && preset === undefined) throw new OperatorError('--policy requires a --preset');
    if (policy.length > 0 && !isRuleOfPreset(members)) {
      throw new OperatorError('--policy cannot be combined with --rule or --payload');
    }
    const platform = completePlatform({ platformId, format, ...toMembers(members, format) });
    const policies = preset === undefined ? [] : readyMadePolicies(preset, policy, platform);
    const configuration = await session.use('configuration');
    await configuration.addPlatform(platform, policies);
    const ofPreset =
      preset && (policy.length > 0 ? foreignRuleWarnings(platform, preset) : unusedPolicyWarnings(platform, preset));
    const cautions = [...platformWarnings(platform), ...(ofPreset ?? [])];
    return { platform, policies, location: configuration.location, cautions };
  },
  text: ({ platform, policies, location }, _, members) => {
    const { preset, format, algorithm } = members;
    const rules = Object.keys(platform.rules ?? {});
    const isAsInPreset = format === undefined && algorithm === undefined && isRuleOfPreset(members);
    return [
      `Platform ${platform.platformId} added to ${location}: format ${platform.format}, rule ${platform.payload.rule}, `,
      ...(rules.length === 0 ? [] : [`named rules ${rules.join(', ')}, `]),
      `algorithms ${platform.algorithms.join(', ')}.\n`,
      ...policies.map(describeAdded),
      ...(platform.audit === undefined
        ? []
        : [`Audit records will show the values of ${platform.audit.clear.join(', ')}.\n`]),
      ...(preset !== undefined && isAsInPreset ? [formatNextSteps(preset, platform)] : []),
    ].join('');
  },
  document: ({ platform, policies, cautions }, { preset }) => ({
    platform,
    ...(preset && { preset: toPresetDocument(preset) }),
    ...(policies.length > 0 && { policies }),
    cautions,
  }),
  reload: () => true,
});

/** `platform edit`. */
const edit = defineCommand({
  description: 'change how the requests of a platform are signed, sent and recorded',
  inputs: {
    platform: PLATFORM,
    preset: presetOption('take rules, encoding and how requests are sent from this preset of the installed version'),
    ...MEMBERS,
    removeRule: repeatable('--remove-rule <name>', 'remove this named rule'),
    noVerifyMac: excludes(flag('--deny-verify-mac', 'reject the verification of HMAC signatures'), 'verifyMac'),
    noAuditClear: excludes(
      flag('--audit-mask', 'show no other values in audit records than those of the format'),
      'auditClear',
    ),
  },
  manual: {
    notes: [
      'What is not named stays. With --rule or --payload, how requests are sent is removed, because it belongs to the previous rule.',
      'Every account, policy and budget has to fit the changed platform; otherwise nothing is changed.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: [
      'platform edit --platform okx --preset okx',
      'platform edit --platform desk --audit-clear instruction.amount',
      `platform edit --platform desk --add-rule 'login={"rule":"raw"}' --remove-rule old-login`,
    ],
  },
  run: async (members, session) => {
    const { platform: platformId, preset, removeRule = [], noVerifyMac, noAuditClear } = members;
    const configuration = await session.use('configuration');
    const find = (platforms: readonly Platform[]) => findPlatform(platforms, platformId);
    const before = find((await configuration.list()).platforms);
    const format = members.format ?? preset?.platform.format ?? before.format;
    const given = Object.entries(toMembers(members, format)).filter(([, value]) => value !== undefined);
    const dropped = [
      ...(noVerifyMac ? ['verify'] : []),
      ...(noAuditClear ? ['audit'] : []),
      ...(isRuleOfPreset(members) ? [] : ['send', 'payload']),
    ];
    const isEmpty = given.length === 0 && dropped.length === 0 && removeRule.length === 0 && format === before.format;
    if (isEmpty) throw new OperatorError('Set at least one option besides --platform; see --help.');
    for (const name of removeRule) {
      if (!Object.hasOwn(before.rules ?? {}, name)) {
        throw new OperatorError(`Platform ${platformId} has no rule ${JSON.stringify(name)}; nothing was changed.`);
      }
    }
    const { platforms } = await configuration.editPlatform(platformId, (written) => {
      const kept = Object.entries(written).filter(([name]) => !dropped.includes(name));
      const { rules, ...others } = Object.fromEntries([...kept, ...given]) as unknown as WrittenPlatform;
      const all = Object.entries({ ...written.rules, ...rules }).filter(([name]) => !removeRule.includes(name));
      return { ...others, format, ...(all.length > 0 && { rules: Object.fromEntries(all) }) };
    });
    const platform = find(platforms);
    return { before, platform, cautions: platformWarnings(platform) };
  },
  text: ({ before, platform }) => {
    const names = [...new Set([...Object.keys(before), ...Object.keys(platform)])] as readonly (keyof Platform)[];
    const changed = names.filter((name) => !isDeepStrictEqual(before[name], platform[name]));
    if (changed.length === 0) return `Platform ${platform.platformId} is like this already.\n`;
    const show = (value: unknown) => (value === undefined ? 'none' : JSON.stringify(value));
    const lines = changed.map((name) => `${name}: ${show(before[name])} → ${show(platform[name])}\n`);
    return `Platform ${platform.platformId} changed.\n${lines.join('')}`;
  },
  document: ({ platform, cautions }) => ({ platform, cautions }),
  reload: () => true,
});

/** `platform enable` and `platform disable`. */
function setStatus(status: AccountStatus, description: string, notes: readonly string[]) {
  return defineCommand({
    description,
    inputs: { platform: PLATFORM },
    manual: {
      notes,
      settings: CREDENTIALS_SETTINGS,
      examples: [`platform ${status === 'active' ? 'enable' : 'disable'} --platform kraken`],
    },
    run: async ({ platform: platformId }, session) => {
      await (await session.use('configuration')).setPlatformStatus(platformId, status);
      return { platform: { platformId, status } };
    },
    text: ({ platform: { platformId } }, page) =>
      `Platform ${platformId} is ${page.styled(status === 'active' ? 'green' : 'yellow', status)}.\n`,
    reload: () => true,
  });
}

/** `platform remove`. */
const remove = defineCommand({
  description: 'remove a platform that has no accounts',
  inputs: { platform: PLATFORM },
  manual: {
    notes: [
      'Only a platform without accounts can be removed; account remove removes them one by one. To stop signing at once, use platform disable.',
      'Permission entries, policies and budgets that name the platform remain.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: ['platform remove --platform kraken'],
  },
  run: async ({ platform: platformId }, session) => {
    await (await session.use('configuration')).removePlatform(platformId);
    return { platform: { platformId }, removed: true };
  },
  text: ({ platform: { platformId } }) => `Platform ${platformId} removed.\n`,
  reload: () => true,
});

/** `platform list`. */
const list = defineCommand({
  description: 'list the platforms in the credentials file',
  inputs: { wide: WIDE },
  manual: {
    notes: [
      'The order is that of the credentials file. Long values are truncated on a terminal, unless --wide or --json is given.',
    ],
    settings: CREDENTIALS_SETTINGS,
    examples: ['platform list', 'platform list --json'],
  },
  run: async (_, session) => {
    const { platforms, accounts } = await (await session.use('configuration')).list();
    const counts = new Map<string, number>();
    for (const { platformId } of accounts) counts.set(platformId, (counts.get(platformId) ?? 0) + 1);
    const shown = platforms.map((one) => ({ ...one, accountCount: counts.get(one.platformId) ?? 0 }));
    return { platforms: shown, total: shown.length };
  },
  text: ({ platforms }, page, { wide }) => {
    const rows = platforms.map(({ platformId, status, format, payload, rules, algorithms, accountCount }) => [
      ...[platformId, status ?? 'active', format, payload.rule, Object.keys(rules ?? {}).join(', ') || '-'],
      ...[algorithms.join(', '), String(accountCount)],
    ]);
    return page.table(COLUMNS, rows, 'No platforms.\n', wide);
  },
});

const COLUMNS = [
  { heading: 'PLATFORM', truncate: 'end' },
  STATUS_COLUMN,
  { heading: 'FORMAT' },
  { heading: 'RULE' },
  { heading: 'NAMED RULES', truncate: 'end' },
  { heading: 'ALGORITHMS', truncate: 'end' },
  { heading: 'ACCOUNTS' },
] as const;

/** `platform show`: a platform, its accounts, and the entries that cover one of them. */
const show = defineCommand({
  description: 'show a platform in the credentials file',
  inputs: { platform: PLATFORM },
  manual: {
    notes: ['It shows the credentials file, which a running service may not have reloaded yet.'],
    settings: CREDENTIALS_SETTINGS,
    examples: ['platform show --platform kraken', 'platform show --platform kraken --json'],
  },
  run: async ({ platform: id }, session) => {
    const { platforms, accounts, policies, budgets } = await (await session.use('configuration')).list();
    const nameCovering = (entries: readonly { readonly name: string; readonly accounts: readonly string[] }[]) =>
      entries.filter((entry) => covers(entry, id)).map(({ name }) => name);
    return {
      platform: findPlatform(platforms, id),
      accounts: accounts.filter(({ platformId }) => platformId === id).map(({ accountId }) => accountId),
      policies: nameCovering(policies),
      budgets: nameCovering(budgets),
    };
  },
  text: ({ platform, accounts, policies, budgets }, page) => {
    const { platformId, status, format, algorithms, encoding, payload, rules = {}, secretDecoding } = platform;
    const optional = (label: string, value: string | undefined) =>
      value === undefined ? [] : [[label, value] as const];
    return page.facts([
      ['platform', platformId],
      ['status', status ?? 'active'],
      ['format', format],
      ['algorithms', algorithms.join(', ')],
      ...optional('encoding', findTokenForm(platform) ?? encoding),
      ['rule', JSON.stringify(payload)],
      ...optional('sent to', platform.send && formatTarget(platform.send)),
      ...Object.entries(rules).map(([name, rule]) => [`rule ${name}`, JSON.stringify(toSigningRule(rule))] as const),
      ...optional('secret decoding', secretDecoding),
      ...optional('verify', platform.verify && JSON.stringify(platform.verify)),
      ...optional('audit', platform.audit && JSON.stringify(platform.audit)),
      ['accounts', accounts.length === 0 ? '-' : `${accounts.length}: ${listSome(accounts, String)}`],
      ['policies', policies.join(', ') || '-'],
      ['budgets', budgets.join(', ') || '-'],
    ]);
  },
});

/** @throws OperatorError if there is no such platform */
function findPlatform(platforms: readonly Platform[], platformId: string): Platform {
  const platform = platforms.find((one) => one.platformId === platformId);
  if (platform !== undefined) return platform;
  throw new OperatorError(
    `No such platform: ${JSON.stringify(platformId)}. List the platforms with \`signing-service platform list\`.`,
  );
}

/** `platform presets`. */
const presets = defineCommand({
  description: 'list the venue presets, or describe one',
  inputs: { name: PRESET_NAME },
  manual: {
    notes: ['The command needs no configuration and changes nothing.'],
    examples: ['platform presets', 'platform presets kraken', 'platform presets kraken --json'],
  },
  run: async ({ name: preset }) => ({ preset }),
  document: ({ preset }) =>
    preset === undefined ? { presets: listPresets().map(toPresetDocument) } : { preset: toPresetDocument(preset) },
  text: ({ preset }, page) => {
    if (preset !== undefined) return formatPreset(preset);
    const rows = listPresets().map(({ name, venue, platform }) => [
      ...[name, venue, Object.keys(platform.rules ?? {}).join(', ') || '-', platform.algorithms.join(', ')],
    ]);
    return `${page.table(PRESET_COLUMNS, rows)}\nFor details: signing-service platform presets NAME\n`;
  },
});

const PRESET_COLUMNS = [
  { heading: 'PRESET' },
  { heading: 'VENUE', truncate: 'end' },
  { heading: 'NAMED RULES', truncate: 'end' },
  { heading: 'ALGORITHM', truncate: 'end' },
] as const;

/** Members of presets and their rules that an operator or caller needs. */
const SHOWN: readonly string[] = [
  ...['name', 'venue', 'docs', 'platform', 'keyFile', 'keyFormat', 'values', 'notes', 'rules', 'example', 'requests'],
];

/** A preset as JSON. */
function toPresetDocument(preset: VenuePreset): object {
  const rules = Object.entries(preset.rules ?? {}).map(([name, rule]) => [name, shorten(rule)] as const);
  return { ...shorten(preset), ...(rules.length > 0 && { rules: Object.fromEntries(rules) }) };
}

function shorten(explained: object): object {
  return Object.fromEntries(Object.entries(explained).filter(([name]) => SHOWN.includes(name)));
}

/** Platforms. */
export const PLATFORM_GROUP: CommandGroup = {
  description: 'manage platforms',
  examples: ['platform presets', 'platform add --preset kraken'],
  commands: {
    add,
    presets,
    list,
    show,
    edit,
    disable: setStatus('disabled', 'disable a platform, so that its accounts sign nothing', [
      'The accounts keep their status and keys. An account of another platform with the same key can still sign; account disable --same-key also disables it.',
      'A batch in progress stops after its current slice, once the service has reloaded.',
    ]),
    enable: setStatus('active', 'enable a disabled platform', [
      'Accounts that were disabled individually stay disabled.',
    ]),
    remove,
  },
};
