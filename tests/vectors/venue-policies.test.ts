import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { TimeSlice } from '../../src/domain/flow/time-slice.ts';
import type { Account } from '../../src/domain/model/account.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { findRule, type Platform } from '../../src/domain/model/platform.ts';
import type { Policies } from '../../src/domain/model/policy.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { listVenuePolicyNames, toPolicyEntry } from '../../src/domain/presets/policies/venue-policies.ts';
import type { VenuePolicyName } from '../../src/domain/presets/policies/venue-policy.ts';
import { findPreset, VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';
import { FixedClock } from '../doubles/fixed-clock.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { policyCompiler } from '../doubles/policy-compiler.ts';

const FOLDER = join(import.meta.dirname, 'policies');

/**
 * Kinds of requests; those of the last four move money or give access. A session is a feed of the
 * account, or takes orders without further signatures.
 */
type Kind =
  | 'order'
  | 'cancel'
  | 'session'
  | 'read'
  | 'leverage'
  | 'withdraw'
  | 'transfer'
  | 'subAccount'
  | 'keyManagement';

interface VenueRequest {
  readonly kind: Kind;
  readonly name: string;
  /** Where the venue, or a client for it, documents the request. */
  readonly source: string;
  readonly rule?: string;
  /** `data` of the signing request. */
  readonly data: JsonObject;
}

interface VenueRequests {
  readonly preset: string;
  readonly requests: readonly VenueRequest[];
}

const VENUES: readonly VenueRequests[] = readdirSync(FOLDER).map((file) =>
  JSON.parse(readFileSync(join(FOLDER, file), 'utf8')),
);

/** Kinds that a venue's API does not have, at least not under this signature. */
const NOT_IN_API: { readonly [preset: string]: readonly Kind[] } = {
  backpack: ['subAccount'],
  bitmex: ['keyManagement'],
  bitvavo: ['keyManagement'],
  kraken: ['keyManagement'],
  phemex: ['subAccount', 'keyManagement'],
  woo: ['subAccount'],
};

/**
 * Presets whose signature does not say what a request does, that only log in, or without policies;
 * those of Cosmos chains have an example policy instead.
 */
const UNDECIDABLE = [
  ...[
    'apex',
    'aster',
    'aster-v3',
    'binance',
    'binance-ed25519',
    'binance-rsa',
    'bingx',
    'bithumb',
    'bybit',
    'coinbase-exchange',
    'crypto-com',
  ],
  ...['bybit-rsa', 'cosmos-hub', 'kraken-futures', 'coinbase', 'coinbase-ed25519'],
  ...['deribit', 'dydx', 'dydx-testnet', 'mexc', 'orderly', 'paradex', 'upbit', 'woo-v1'],
  ...['binance-fix', 'binance-ws', 'binance-ws-ed25519', 'hyperliquid-user'],
];

/** Presets whose signature says what a request does, without ready-made policies. */
const NOT_WRITTEN = ['bitfinex', 'gemini', 'polymarket'];

const TRADING: readonly Kind[] = ['order', 'cancel'];
const TRADERS: readonly Kind[] = [...TRADING, 'session'];
const DANGEROUS: readonly Kind[] = ['withdraw', 'transfer', 'subAccount', 'keyManagement'];

/** The platform as `platform add --preset` writes it. */
function platformOf(preset: string): Platform {
  const found = findPreset(preset);
  if (found === undefined) throw new Error(`There is no preset ${preset}.`);
  return { platformId: 'venue', ...found.platform };
}

async function compile(preset: string, name: VenuePolicyName): Promise<Policies> {
  const platform = platformOf(preset);
  const entry = toPolicyEntry(preset, name, 'venue', Object.keys(platform.rules ?? {}));
  if (entry === undefined) throw new Error(`${preset} has no policy ${name}.`);
  const compiled = await policyCompiler().compile([entry], [platform], new TimeSlice(new FixedClock()));
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.refusal));
  return compiled.value;
}

function isAllowed(policies: Policies, preset: string, { rule: ruleName, data }: VenueRequest): boolean {
  const platform = platformOf(preset);
  const rule = findRule(platform, ruleName);
  if (rule === undefined) throw new Error(`${preset} has no rule ${ruleName}.`);
  const payload = buildPayload(data, rule, payloadContext());
  if (!payload.ok) throw new Error(`${payload.refusal.path} ${payload.refusal.message}`);
  const account = { platformId: 'venue', accountId: 'main', environment: 'production' } as Account;
  const request = { platform, account, rule, ruleName, payload: payload.value, principal: null, now: 0 };
  return policies.decide(request).isAllowed;
}

for (const { preset, requests } of VENUES) {
  describe(`The ready-made policies of ${preset}`, () => {
    const ofKinds = (kinds: readonly Kind[]) => requests.filter(({ kind }) => kinds.includes(kind));

    it('are tried on requests of each kind that the API has', () => {
      const kinds = new Set(requests.map(({ kind }) => kind));
      const missing = [...TRADING, ...DANGEROUS].filter((kind) => !kinds.has(kind));
      expect(missing).to.deep.equal(NOT_IN_API[preset] ?? []);
      for (const { source } of requests) expect(source).to.match(/^https:\/\//);
    });

    it('trade-only: allow orders, cancels and sessions, and nothing that moves money or gives access', async () => {
      const policies = await compile(preset, 'trade-only');
      for (const request of ofKinds(TRADERS)) expect(isAllowed(policies, preset, request), request.name).to.equal(true);
      for (const request of ofKinds(DANGEROUS)) {
        expect(isAllowed(policies, preset, request), request.name).to.equal(false);
      }
    });

    it('no-withdrawals: deny what moves money or gives access, and no order, cancel or session', async () => {
      const policies = await compile(preset, 'no-withdrawals');
      for (const request of ofKinds(TRADERS)) expect(isAllowed(policies, preset, request), request.name).to.equal(true);
      for (const request of ofKinds(DANGEROUS)) {
        expect(isAllowed(policies, preset, request), request.name).to.equal(false);
      }
    });

    if (listVenuePolicyNames(preset).includes('read-only')) {
      it('read-only: allow reads, and nothing that changes anything', async () => {
        const policies = await compile(preset, 'read-only');
        const changes = requests.filter(({ kind }) => kind !== 'read');
        for (const request of changes) expect(isAllowed(policies, preset, request), request.name).to.equal(false);
        const reads = ofKinds(['read']);
        expect(reads.filter((request) => isAllowed(policies, preset, request)).length).to.be.greaterThan(
          reads.length / 2,
        );
      });
    }
  });
}

describe('Presets', () => {
  it('have ready-made policies where the signature says what a request does', () => {
    const without = VENUE_PRESETS.filter(({ name }) => listVenuePolicyNames(name).length === 0).map(({ name }) => name);
    expect(without).to.have.members([...UNDECIDABLE, ...NOT_WRITTEN]);
  });
});
