import { expect } from 'chai';
import { findPreset, listPresets } from '../../src/adapters/venues/venue-files.ts';
import { listVenuePolicyNames, toVenuePolicy, type VenuePolicyName } from '../../src/adapters/venues/venue-policies.ts';
import type { VenuePreset } from '../../src/adapters/venues/venue-schema.ts';
import { TimeSlice } from '../../src/domain/flow/time-slice.ts';
import type { Account } from '../../src/domain/model/account.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import { findRule, type Platform } from '../../src/domain/model/platform.ts';
import type { Policies, PolicyEntry } from '../../src/domain/model/policy.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { FixedClock } from '../doubles/fixed-clock.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { policyCompiler } from '../doubles/policy-compiler.ts';

/** Kinds that move assets out of the account or to another one, or give access to it. */
const DANGEROUS = ['withdraw', 'transfer', 'subAccount', 'keyManagement'] as const;
/** A session is a feed of the account, or takes orders without further signatures. */
const TRADING = ['order', 'cancel', 'session'] as const;
/** Kinds that keep assets inside the account. */
const INSIDE = ['leverage', 'borrow', 'convert', 'earn'] as const;

type VenueRequest = NonNullable<VenuePreset['policyRequests']>[number];
type Kind = VenueRequest['kind'];

/** A rule of an operator's own: it signs any text. */
const OTHER_RULE = { other: { rule: 'raw' } };

/** The platform as `platform add --preset … --add-rule other={"rule":"raw"}` writes it. */
function platformOf({ platform }: VenuePreset): Platform {
  return { platformId: 'venue', ...platform, rules: { ...platform.rules, ...OTHER_RULE } };
}

function entryOf(preset: VenuePreset, name: VenuePolicyName): PolicyEntry {
  const policy = toVenuePolicy(preset, name, 'venue', Object.keys(preset.platform.rules ?? {}));
  if (policy === undefined) throw new Error(`${preset.name} has no policy ${name}.`);
  return policy.entry;
}

async function compile(preset: VenuePreset, entries: readonly PolicyEntry[]): Promise<Policies> {
  const slice = new TimeSlice(new FixedClock());
  const compiled = await policyCompiler().compile(entries, [platformOf(preset)], slice);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.refusal));
  return compiled.value;
}

function payloadOf(preset: VenuePreset, { rule: ruleName, data }: Pick<VenueRequest, 'rule' | 'data'>) {
  const platform = platformOf(preset);
  const rule = findRule(platform, ruleName);
  if (rule === undefined) throw new Error(`${preset.name} has no rule ${ruleName}.`);
  const payload = buildPayload(data, rule, payloadContext(preset.example.values));
  return { platform, rule, ruleName, payload };
}

function isAllowed(policies: Policies, preset: VenuePreset, request: Pick<VenueRequest, 'rule' | 'data'>): boolean {
  const { payload, ...others } = payloadOf(preset, request);
  if (!payload.ok) throw new Error(`${payload.refusal.path} ${payload.refusal.message}`);
  const account = { platformId: 'venue', accountId: 'main', environment: 'production' } as Account;
  return policies.decide({ ...others, account, payload: payload.value, principal: null, now: 0 }).isAllowed;
}

/** Other spellings and neighbours of a request, some of which a lenient venue could take for it. */
function listVariants({ data }: VenueRequest): readonly JsonObject[] {
  const { path, instruction, action, type } = data;
  if (typeof path === 'string') {
    const paths = ['.json', '.do', '~', '/', '/x', 'X', '-v2'].map((suffix) => ({ ...data, path: path + suffix }));
    const otherCase = [...path].map((sign, at) => (at % 2 === 0 ? sign.toUpperCase() : sign)).join('');
    return [...paths, { ...data, path: otherCase }, { ...data, path: `/new${path}` }];
  }
  if (instruction !== undefined) return [{ ...data, instruction: `${instruction}V2` }];
  if (type !== undefined) return [{ ...data, type: `${type}_v2` }];
  return [{ ...data, action: { ...(action as JsonObject), type: 'somethingNew' } }];
}

for (const preset of listPresets()) {
  const { policyRequests: requests } = preset;
  if (requests === undefined) continue;
  describe(`The ready-made policies of ${preset.name}`, () => {
    const ofKinds = (...kinds: readonly Kind[]) => requests.filter(({ kind }) => kinds.includes(kind));

    it('are tried on requests of each kind that the API has', () => {
      const kinds = new Set(requests.map(({ kind }) => kind));
      const missing = ['order' as const, 'cancel' as const, ...DANGEROUS].filter((kind) => !kinds.has(kind));
      expect(missing).to.deep.equal(preset.notInApi ?? []);
    });

    it('trade-only: allow orders, cancels and sessions, and nothing else but reads', async () => {
      const policies = await compile(preset, [entryOf(preset, 'trade-only')]);
      for (const request of ofKinds(...TRADING)) {
        expect(isAllowed(policies, preset, request), request.name).to.equal(true);
      }
      for (const request of ofKinds(...DANGEROUS, ...INSIDE)) {
        expect(isAllowed(policies, preset, request), request.name).to.equal(false);
      }
    });

    it('no-withdrawals: deny what moves assets out or gives access, and nothing that keeps them inside', async () => {
      const policies = await compile(preset, [entryOf(preset, 'no-withdrawals')]);
      for (const request of ofKinds(...TRADING, ...INSIDE)) {
        expect(isAllowed(policies, preset, request), request.name).to.equal(true);
      }
      for (const request of ofKinds(...DANGEROUS)) {
        expect(isAllowed(policies, preset, request), request.name).to.equal(false);
      }
    });

    if (listVenuePolicyNames(preset).includes('read-only')) {
      it('read-only: allow reads, and nothing that changes anything', async () => {
        const policies = await compile(preset, [entryOf(preset, 'read-only')]);
        const changes = requests.filter(({ kind }) => kind !== 'read');
        for (const request of changes) expect(isAllowed(policies, preset, request), request.name).to.equal(false);
        const reads = ofKinds('read');
        expect(reads.filter((request) => isAllowed(policies, preset, request)).length).to.be.greaterThan(
          reads.length / 2,
        );
      });
    }

    it('allow no other spelling of a request that moves assets or gives access, and no unknown one', async () => {
      for (const name of listVenuePolicyNames(preset)) {
        const policies = await compile(preset, [entryOf(preset, name)]);
        for (const request of ofKinds(...DANGEROUS).filter(({ rule }) => rule === undefined)) {
          for (const data of listVariants(request)) {
            if (!payloadOf(preset, { data }).payload.ok) continue;
            expect(isAllowed(policies, preset, { data }), `${name}: ${JSON.stringify(data)}`).to.equal(false);
          }
        }
      }
    });

    it("allow nothing by a rule that is not the preset's", async () => {
      for (const name of listVenuePolicyNames(preset)) {
        const policies = await compile(preset, [entryOf(preset, name)]);
        for (const request of requests) {
          const { payload } = payloadOf(preset, request);
          if (!payload.ok || payload.value.encoding !== 'utf8') continue;
          const sameText = { rule: 'other', data: { text: payload.value.text } };
          expect(isAllowed(policies, preset, sameText), `${name}: ${request.name}`).to.equal(false);
        }
      }
    });

    it('no-withdrawals: never allows what is denied without it', async () => {
      const own: PolicyEntry = { name: 'own', accounts: ['*/*'], effect: 'allow', when: 'rule == "other"' };
      const others = listVenuePolicyNames(preset).filter((name) => name !== 'no-withdrawals');
      for (const entries of [[], [own], ...others.map((name) => [entryOf(preset, name)])]) {
        const before = await compile(preset, entries);
        const after = await compile(preset, [...entries, entryOf(preset, 'no-withdrawals')]);
        for (const request of requests.filter((one) => isAllowed(after, preset, one))) {
          expect(isAllowed(before, preset, request), request.name).to.equal(true);
        }
      }
    });
  });
}

/** The policies of each file, once. */
const POLICIES = [...new Set(listPresets().flatMap(({ policies = [] }) => policies))];

/** A placeholder is one segment, at most once. */
const PATH = /(?:\/[\w-]+)+(?:\/\{id\})?(?:\/[\w-]+)*/.source;
const PATH_FORMS = [new RegExp(`^(?:GET|POST|PUT|PATCH|DELETE) ${PATH}$`), new RegExp(`^${PATH}$`)];
const TARGET_FORM = /^(?:\/[\w-]+)+$/;
const NAME_FORM = /^[\w.]+$/;

describe('The lists of requests', () => {
  for (const { presets, requests: entries } of POLICIES) {
    it(`${presets.join(', ')}: has each request once, in the form of its rule, and is tried on requests`, () => {
      const names = entries.flatMap(({ rules }) => rules);
      expect(names).to.deep.equal([...new Set(names)]);
      expect(presets.some((preset) => findPreset(preset)?.policyRequests !== undefined)).to.equal(true);
      for (const { rules: _, field, parameters, ...groups } of entries) {
        const requests = Object.values(groups).flatMap((group) => group ?? []);
        if (requests.includes('*')) {
          expect(requests).to.deep.equal(['*']);
          continue;
        }
        expect(requests.filter((request, index) => requests.indexOf(request) !== index)).to.deep.equal([]);
        const forms = parameters !== undefined ? [TARGET_FORM] : field !== undefined ? [NAME_FORM] : PATH_FORMS;
        const form = forms.find((one) => one.test(requests[0] ?? ''));
        expect(requests.filter((request) => form?.test(request) !== true)).to.deep.equal([]);
      }
    });
  }
});
