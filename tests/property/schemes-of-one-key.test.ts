import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { keccak256, TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import { type Algorithm, SECP256K1_ALGORITHMS } from '../../src/domain/model/algorithm.ts';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { FixedValues } from '../../src/domain/model/payload-rule.ts';
import { findRule, type NamedRule } from '../../src/domain/model/platform.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { presetOf } from '../vectors/venue-vectors.ts';

/*
 * A venue verifies several texts with one key: of its REST API, of logins, of an older API. A text
 * that a caller gets for one of them must be none of another: no policy has seen it as such. Each
 * scheme is given requests that carry texts of the others wherever the caller chooses a text.
 */

interface Scheme {
  /** Preset and rule. */
  readonly name: string;
  readonly rule: NamedRule;
  readonly algorithm: Algorithm;
  readonly values: FixedValues;
  /** Requests of the preset's vectors. */
  readonly requests: readonly JsonObject[];
}

/** Whether a venue takes a text for one of a scheme, read as widely as its documentation allows. */
type Form = (text: string) => boolean;

const form = (pattern: RegExp): Form => pattern.test.bind(pattern);

const namesOf = (text: string) => text.split('&').map((pair) => pair.split('=')[0]);

/** Parameters without control characters, which Binance refuses (error -1100). */
const isOfBinance = form(/^[^\p{Cc}]*=[^\p{Cc}]*$/u);

/** A signed request of the WebSocket API has it; the REST API refuses it (error -1104). */
const hasApiKey: Form = (text) => namesOf(text).includes('apiKey');

/** Claims in the text of a token. */
const claimsOf = (text: string) => JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString());

/** Of the domain Exchange, as ethers hashes it. */
const EXCHANGE = TypedDataEncoder.hashDomain({
  name: 'Exchange',
  version: '1',
  chainId: 1337,
  verifyingContract: '0x0000000000000000000000000000000000000000',
}).slice(2);

const isL1Action = form(new RegExp(`^1901${EXCHANGE}`));
const isUserSigned: Form = (text) => text.startsWith('1901') && !isL1Action(text);

const FORMS: { readonly [scheme: string]: Form } = {
  'binance default': (text) => isOfBinance(text) && !hasApiKey(text),
  'binance websocket': (text) => isOfBinance(text) && hasApiKey(text),
  'binance fix': (text) => text.split('\u0001').length === 5,
  'bitfinex default': form(/^\/api\/v2\//),
  'bitfinex login': form(/^AUTH/),
  'bitget default': form(/^\d{13}[A-Z]+\//),
  'bitget login': form(/^\d{10}GET\/user\/verify$/),
  'bybit default': form(/^\d{13}/),
  'bybit login': form(/^GET\/realtime/),
  'coinbase default': (text) => 'uri' in claimsOf(text),
  'coinbase websocket': (text) => !('uri' in claimsOf(text)),
  'coinex default': form(/^[A-Z]+\//),
  'coinex login': form(/^\d{13}$/),
  'deribit default': (text) => text.split('\n').length === 3,
  'deribit rest': form(/^\d{13}\n[^\n]*\n[A-Z]+\n\/[^\n]*\n[\s\S]*\n$/),
  'dydx default': () => true,
  'gate default': form(/^[A-Z]+\n\//),
  'gate websocket': form(/^channel=/),
  'gate websocket-api': form(/^api\n/),
  'hyperliquid default': isL1Action,
  'hyperliquid user': isUserSigned,
  'hyperliquid multi-sig': isUserSigned,
  // A path and a hash of 32 bytes, in hex; a hash alone.
  'kraken default': form(/^2f(?:..)*.{64}$/),
  'kraken-futures default': form(/^.{64}$/),
  // Percent-encoded, as the venue requires, and each signed request has a timestamp.
  'mexc default': (text) => /^[A-Za-z0-9._~%+*=&-]*$/.test(text) && namesOf(text).includes('timestamp'),
  'mexc futures': form(/^[^&=]*\d{13}(?:$|[^&=]*=|[[{])/),
  'okx default': form(/^\d{4}-/),
  'okx login': form(/^\d{10}GET/),
  'woo default': form(/^\d{13}[A-Z]+\//),
  'woo-v1 default': form(/=[\s\S]*\|\d{13}$/),
};

function toKey(preset: string, rule = 'default'): string {
  return `${preset.replace(/-(?:rsa|ed25519|testnet)$/, '')} ${rule}`;
}

/** All schemes of keys of one kind at one venue, each rule once. */
function listSchemes(): ReadonlyMap<string, readonly Scheme[]> {
  const groups = new Map<string, Scheme[]>();
  for (const preset of listPresets()) {
    const platform = { platformId: preset.name, ...preset.platform };
    for (const name of [undefined, ...Object.keys(platform.rules ?? {})]) {
      const rule = findRule(platform, name);
      const algorithm = rule?.algorithm ?? platform.algorithms?.[0];
      if (rule === undefined || algorithm === undefined) throw new Error(`${preset.name} has no rule ${name}.`);
      const vectors = preset.vectors.filter((vector) => vector.rule === name);
      const kind = SECP256K1_ALGORITHMS.some((one) => one === algorithm) ? 'secp256k1' : algorithm;
      const group = `${preset.name.split('-')[0]}, ${kind}`;
      const schemes = groups.get(group) ?? [];
      groups.set(group, schemes);
      const isKnown = schemes.some((known) => JSON.stringify(known.rule) === JSON.stringify({ algorithm, ...rule }));
      if (isKnown) continue;
      schemes.push({
        name: toKey(preset.name, name),
        rule: { algorithm, ...rule } as NamedRule,
        algorithm,
        values: vectors.find(({ values }) => values !== undefined)?.values ?? {},
        requests: vectors.map(({ data }) => data),
      });
    }
  }
  return new Map([...groups].filter(([, schemes]) => schemes.length > 1));
}

function textOf({ rule, values, algorithm }: Scheme, data: JsonObject): string | undefined {
  const built = buildPayload(data, rule, payloadContext(values, algorithm));
  return built.ok ? built.value.text : undefined;
}

/** Texts with which a caller may try to have another one signed. */
function disguises(text: string): fc.Arbitrary<string> {
  const wrapped = [
    ...[text, `{${text}`, `[${text}`, `${text}}`, `{"a":"${text}"}`, `["${text}"]`, `{}${text}`],
    ...[`${text}&`, `${text}&x=`, `&${text}`, `=&${text}`, `{=&${text}`, `\n${text}`, `?${text}`, `/${text}`],
  ];
  const cut = fc.nat(text.length).chain((at) => fc.constantFrom(text.slice(at), text.slice(0, at)));
  return fc.oneof(fc.constantFrom(...wrapped), cut);
}

/** Parameters of a text, as an object. */
function parameters(text: string): JsonObject {
  return Object.fromEntries(
    text.split('&').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name, value.join('=')];
    }),
  );
}

const MEMBERS = ['body', 'query', 'params', 'data', 'nonce', 'path', 'channel', 'accessKey', 'host', 'expires'];

/** A request with one text replaced, or the body, parameters or another member added. */
function disguised(request: JsonObject, text: string): fc.Arbitrary<JsonObject> {
  const replaced = fc
    .tuple(fc.constantFrom(...Object.keys(request)), disguises(text))
    .map(([name, value]) => ({ ...request, [name]: replace(request[name] as JsonValue, value) }));
  const added = fc
    .tuple(fc.constantFrom(...MEMBERS), disguises(text))
    .map(([name, value]) => ({ ...request, [name]: name === 'path' ? `/${value}` : value }));
  const asParameters = fc
    .tuple(fc.constantFrom('body', 'query', 'params'), disguises(text))
    .map(([name, value]) => ({ ...request, [name]: parameters(value) }));
  return fc.oneof(replaced, added, asParameters);
}

/** The value, in its form, with this text in place of one of its own. */
function replace(value: JsonValue, text: string): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
  const [name, member] = Object.entries(value)[0] ?? ['a', ''];
  return { ...value, [name]: replace(member, text) };
}

describe('Schemes of one key at one venue', () => {
  const groups = listSchemes();

  it('are all known here, and each takes its own texts', () => {
    const names = new Set([...groups.values()].flat().map(({ name }) => name));
    expect(Object.keys(FORMS)).to.have.members([...names]);
    for (const scheme of [...groups.values()].flat()) {
      const texts = scheme.requests.map((request) => textOf(scheme, request) ?? expect.fail(scheme.name));
      for (const text of texts) expect(FORMS[scheme.name]?.(text), `${scheme.name}: ${text}`).to.equal(true);
      expect(texts, scheme.name).to.not.have.lengthOf(0);
    }
  });

  for (const [group, schemes] of groups) {
    for (const one of schemes) {
      for (const other of schemes.filter((another) => another !== one)) {
        it(`${group}: no text of ${one.name} is one of ${other.name}`, () => {
          // The same form: the texts contain hashes, or only the network differs.
          const isOther = FORMS[one.name] === FORMS[other.name] ? undefined : FORMS[other.name];
          const texts = other.requests.map((request) => textOf(other, request) as string);
          const attempt = fc
            .tuple(fc.constantFrom(...one.requests), fc.constantFrom(...other.requests), fc.constantFrom(...texts))
            .chain(([request, foreign, text]) =>
              fc.oneof({ weight: 8, arbitrary: disguised(request, text) }, fc.constantFrom(foreign, request)),
            );
          fc.assert(
            fc.property(attempt, (data) => {
              const text = textOf(one, data);
              if (text === undefined) return;
              expect(texts, text).to.not.include(text);
              expect(isOther?.(text) ?? false, text).to.equal(false);
            }),
            { numRuns: 100 },
          );
        });
      }
    }
  }

  it('hyperliquid: rule user does not sign the envelope of rule multi-sig from its hash', () => {
    const preset = presetOf('hyperliquid');
    const platform = { platformId: 'hyperliquid', ...preset.platform };
    const [user, multiSig] = ['user', 'multi-sig'].map((name) => findRule(platform, name) as NamedRule);
    const { example } = preset.rules?.['multi-sig'] ?? preset;
    if (user === undefined || multiSig === undefined) throw new Error();
    const { action, nonce } = example.data as { action: JsonObject; nonce: number };
    const { type: _, ...hashed } = action;
    const tail = `${nonce.toString(16).padStart(16, '0')}00`;
    const multiSigActionHash = keccak256(`0x${Buffer.from(encode(hashed)).toString('hex')}${tail}`);
    const domain = {
      name: 'HyperliquidSignTransaction',
      version: '1',
      chainId: 421614,
      verifyingContract: '0x0000000000000000000000000000000000000000',
    };
    const types = {
      'HyperliquidTransaction:SendMultiSig': [
        { name: 'hyperliquidChain', type: 'string' },
        { name: 'multiSigActionHash', type: 'bytes32' },
        { name: 'nonce', type: 'uint64' },
      ],
    };
    const message = { hyperliquidChain: 'Mainnet', multiSigActionHash, nonce };
    expect(TypedDataEncoder.encode(domain, types, message).slice(2)).to.equal(example.payloadHex);
    const primaryType = 'HyperliquidTransaction:SendMultiSig';
    const built = buildPayload({ domain, types, primaryType, message }, user, payloadContext({}, 'eip712'));
    expect(built).to.have.nested.property('refusal.path', 'data.primaryType');
  });
});
