import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPreset, listPresets } from '../../src/adapters/venues/venue-files.ts';
import { isMacAlgorithm } from '../../src/domain/model/algorithm.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { getRuleModule } from '../../src/domain/payload/payload-rules.ts';
import { payloadContext } from '../../tests/doubles/payload-context.ts';
import { print } from '../../tests/harness/print.ts';
import { type ServiceProcess, Workplace } from '../../tests/harness/service-process.ts';
import { runBounded } from '../run/bounded-run.ts';
import { installFromNpm, listCalls, NPM_CLIENTS, recordIsolated, SDK_KEYS } from './clients.ts';
import { type ReadRequest, readSentRequest } from './read-sent-request.ts';
import { splitUrl } from './sent-text.ts';
import type { SentRequest } from './template-reader.ts';

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

/** A request of ccxt, or the type of an action. */
interface CcxtRequest {
  readonly preset: string;
  /** API, method and path in ccxt. */
  readonly endpoint?: string;
  readonly problem?: string;
  readonly type?: string;
  readonly instruction?: string;
  readonly request?: SentRequest;
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

/** The member that names what a request does, where its signature tells no path. */
const NAMED = /("(?:type|instruction)":)"[^"]*"/;

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
  const exchanges = presets.map((preset) => {
    const { exchange = preset, options = {} } = listCalls().find((one) => one.preset === preset) ?? {};
    const isNamedByType = findPreset(preset)?.policies?.requests.some(({ field }) => field?.endsWith('.type'));
    return { preset, exchange, options, isNamedByType };
  });
  return recordIsolated(process.execPath, 'ccxt-endpoints.mjs', folder, JSON.stringify(exchanges));
}

/** An account with the test secret where the venue issues the key, else with a generated key. */
async function addAccount(place: Workplace, preset: string): Promise<void> {
  await place.prepare('platform', 'add', '--preset', preset, '--policy', 'no-withdrawals');
  const { platform, values = {} } = findPreset(preset) ?? {};
  const { payload = { rule: 'jcs' }, algorithms = [] } = platform ?? {};
  const isIssued = algorithms.some(isMacAlgorithm);
  const secret = place.path('secret');
  const passphrase = getRuleModule(payload).takesPassphrase?.(payload) ? ['--passphrase-file', secret] : [];
  const keys = isIssued ? ['--key-file', secret, ...passphrase] : [];
  const options = [...keys, ...Object.keys(values).flatMap((name) => ['--value', `${name}=${SDK_KEYS.apiKey}`])];
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

function toName({ request, instruction, type }: CcxtRequest): string {
  return (
    type ?? instruction ?? `${request?.method} ${/^https?:\/\/[^/]+(.*)$/.exec(splitUrl(request?.url ?? '').base)?.[1]}`
  );
}

/** `data` of the signing request for what ccxt would send. */
function toData(preset: string, { type, instruction, request }: CcxtRequest): JsonObject {
  const { platform, policyRequests = [] } = findPreset(preset) ?? {};
  const name = type ?? instruction;
  if (name !== undefined) {
    // As in the tests of policies, where they have this name.
    const texts = policyRequests.map(({ data }) => JSON.stringify(data));
    const known = texts.find((text) => text.includes(`"${name}"`)) ?? texts[0]?.replace(NAMED, `$1"${name}"`);
    return JSON.parse(known ?? '{}');
  }
  if (platform?.send === undefined || 'message' in platform.send || request === undefined) return {};
  const { payload, send } = platform;
  const origins = [...send.origins, new URL(request.url).origin];
  const isTaken = ({ data, values }: ReadRequest) => buildPayload(data, payload, payloadContext(values)).ok;
  try {
    const readings = readSentRequest({ ...send, origins }, payload, request, {});
    return (readings.find(isTaken) ?? readings[0])?.data ?? {};
  } catch {
    // Refused then, and listed as neither signed nor denied.
    return {};
  }
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
