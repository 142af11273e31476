import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPreset, listPresets } from '../../src/adapters/venues/venue-files.ts';
import { isMacAlgorithm } from '../../src/domain/model/algorithm.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { print } from '../../tests/harness/print.ts';
import { type ServiceProcess, Workplace } from '../../tests/harness/service-process.ts';
import { runBounded } from '../run/bounded-run.ts';
import { installFromNpm, NPM_CLIENTS, recordIsolated, SDK_KEYS } from './clients.ts';
import { parameters, splitUrl } from './read-sent-request.ts';

/*
 * Shows what the policy no-withdrawals lets through: every request of ccxt's exchanges that may
 * change something, made by ccxt's own `sign()`, is sent to the running service, for an account
 * with this policy. Prints each request that is signed and those denied that may be orders. Exit
 * code 1 if a signed one moves assets out of the account or to another one, or gives access to it,
 * by its name.
 * Needs the npm registry; a minute.
 *
 * npm run check -- ready-made-policies
 */

const LIMIT_MS = 300_000;
const NOW = 1_700_000_000_000;

/** A request of ccxt, or the type of an action. */
interface CcxtRequest {
  readonly preset: string;
  /** API, method and path in ccxt. */
  readonly endpoint?: string;
  readonly problem?: string;
  readonly type?: string;
  readonly instruction?: string;
  readonly method?: string;
  readonly url?: string;
  readonly body?: string;
}

/** Names of requests that move assets out of an account or to another one, or give access to it. */
const MOVING =
  /withdraw|transfer|(?<![a-z])sub(?!mit|scribe)|api[_-]?key|auth\/api|agent|address|broker|lightning|vault|approve|refer|p2p|otc|push|lake|send|signal|custod/i;

/**
 * Requests with such names that change nothing, whatever the list of the venue calls them, close a
 * position at the market, or take margin from one back into the same account.
 */
const HARMLESS = new RegExp(
  `^(?:${[
    'POST /0/private/(?:GetApiKeyInfo|Withdraw(?:Addresses|Info|Methods|Status))',
    'POST /api/v1/contract_(?:master_sub_transfer_record|sub_account_(?:info|info_list|list)|sub_position_info|transfer_limit)',
    'POST /(?:linear-)?swap-api/v1/swap_(?:cross_)?(?:sub_account_(?:info|info_list|list)|sub_position_info)',
    'POST /(?:linear-)?swap-api/v1/swap_(?:(?:cross_)?transfer_limit|master_sub_transfer_record)',
    'list_(?:agent_(?:ip_whitelist|wallets)|api_keys|subaccounts)',
    'POST /(?:linear-)?(?:swap-api|api)/v1/(?:swap_)?(?:cross_)?lightning_close_position',
    'POST /api/v1/margin/withdrawMargin',
  ].join('|')})$`,
);

/** Actions of the tests, in forms that the venue can accept. */
const ACTIONS = (findPreset('hyperliquid')?.policyRequests ?? []).flatMap(({ data: { action } }) =>
  typeof action === 'object' && action !== null && !Array.isArray(action) ? [action as JsonObject] : [],
);

await runBounded(LIMIT_MS, async (cleanup) => {
  const folder = mkdtempSync(join(tmpdir(), 'ready-made-policies-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  // Presets that share their lists are tried once.
  const presets = listPresets().flatMap(({ name, policies }) => (policies?.presets[0] === name ? [name] : []));
  const requests = await recordRequests(folder, presets);
  const place = new Workplace();
  cleanup.add(() => place.remove());
  await place.prepare('init');
  writeFileSync(place.path('secret'), SDK_KEYS.base64Secret, { mode: 0o600 });
  for (const preset of presets) await addAccount(place, preset);
  const service = await place.start();
  const outcomes: Outcomes[] = [];
  for (const preset of presets) {
    const ofVenue = requests.filter((request) => request.preset === preset);
    outcomes.push(await tryVenue(service, preset, ofVenue));
  }
  return report(outcomes);
});

async function recordRequests(folder: string, presets: readonly string[]): Promise<readonly CcxtRequest[]> {
  print('Installing ccxt from the npm registry …');
  const { ccxt, 'ccxt-aster-v1': older } = NPM_CLIENTS;
  await installFromNpm(folder, { ccxt, 'ccxt-aster-v1': older });
  return recordIsolated(process.execPath, 'ccxt-endpoints.mjs', folder, JSON.stringify(presets));
}

/** An account with the test secret where the venue issues the key, else with a generated key. */
async function addAccount(place: Workplace, preset: string): Promise<void> {
  await place.prepare('platform', 'add', '--preset', preset, '--policy', 'no-withdrawals');
  const isIssued = findPreset(preset)?.platform.algorithms.some(isMacAlgorithm) === true;
  const secret = place.path('secret');
  const passphrase = preset === 'kucoin' ? ['--passphrase-file', secret] : [];
  const options = isIssued ? ['--key-file', secret, ...passphrase] : [];
  await place.prepare('account', 'add', '--platform', preset, '--account', 'main', ...options);
}

/** Names of a venue's requests by what became of them. */
interface Outcomes {
  readonly preset: string;
  readonly signed: readonly string[];
  readonly denied: readonly string[];
  /** That the preset does not sign, or ccxt does not make. */
  readonly impossible: readonly string[];
}

async function tryVenue(service: ServiceProcess, preset: string, requests: readonly CcxtRequest[]): Promise<Outcomes> {
  const made = requests.filter(({ problem }) => problem === undefined);
  const items = made.map((request, index) => ({
    ...{ requestId: String(index), platformId: preset, accountId: 'main' },
    data: toData(preset, request),
  }));
  const { body } = await service.post('/sign/batch', { requests: items });
  const codes: readonly string[] = body.data.results.map(
    (result: { readonly error?: { readonly code: string } }) => result.error?.code ?? 'signed',
  );
  const named = (isWanted: (code: string) => boolean) => [
    ...new Set(made.filter((_, index) => isWanted(codes[index] ?? '')).map(toName)),
  ];
  return {
    preset,
    signed: named((code) => code === 'signed'),
    denied: named((code) => code === 'POLICY_DENIED'),
    impossible: [
      ...named((code) => code !== 'signed' && code !== 'POLICY_DENIED'),
      ...requests.flatMap(({ endpoint, problem }) => (problem === undefined ? [] : [`${endpoint}: ${problem}`])),
    ],
  };
}

function toName({ method, url = '', instruction, type }: CcxtRequest): string {
  return type ?? instruction ?? `${method} ${splitUrl(url).path}`;
}

/** An action that the venue can accept where its form is known, else the type alone. */
function toAction(type: string): JsonObject {
  return { action: ACTIONS.find((action) => action['type'] === type) ?? { type }, nonce: NOW };
}

/** `data` of the signing request for what ccxt would send. */
function toData(preset: string, { type, instruction, method = '', url = '', body = '' }: CcxtRequest): JsonObject {
  if (preset === 'hyperliquid') return toAction(type ?? 'exchange');
  if (preset === 'pacifica') return { type: type ?? 'request', timestamp: NOW, expiry_window: 5000, data: {} };
  if (preset === 'backpack') {
    return { instruction: instruction ?? 'unknown', params: {}, timestamp: NOW, window: 5000 };
  }
  const { host, path, query } = splitUrl(url);
  if (preset === 'htx') return { method, host, path, params: parameters(query) };
  if (preset === 'kraken') return { path, body: { nonce: String(NOW) } };
  // Forms are of other schemes; no policy reads a body.
  const request = { method, path, ...(query === '' ? {} : { query }), ...(/^[[{]/.test(body) ? { body } : {}) };
  if (preset === 'gate') return { ...request, timestamp: NOW / 1000 };
  if (preset === 'bitmex') return { ...request, expires: NOW / 1000 };
  if (preset === 'phemex') return { ...request, expiry: NOW / 1000 };
  return { ...request, timestamp: preset === 'okx' ? new Date(NOW).toISOString() : NOW };
}

function report(outcomes: readonly Outcomes[]): boolean {
  for (const { preset, signed, denied, impossible } of outcomes) {
    print(`\n${preset}: signed ${signed.length}, denied ${denied.length}`);
    for (const name of signed) print(`  signed: ${name}`);
    for (const name of denied.filter((one) => /order|cancel/i.test(one))) print(`  denied: ${name}`);
    for (const name of impossible) print(`  neither: ${name}`);
  }
  const moving = outcomes.flatMap(({ preset, signed }) =>
    signed.filter((name) => MOVING.test(name) && !HARMLESS.test(name)).map((name) => `${preset} ${name}`),
  );
  print(`\nSigned requests that move assets or give access: ${moving.join(', ') || 'none'}.`);
  return moving.length === 0;
}
