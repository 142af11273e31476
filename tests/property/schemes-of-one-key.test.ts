import { isDeepStrictEqual } from 'node:util';
import { encode } from '@msgpack/msgpack';
import { expect } from 'chai';
import { keccak256, TypedDataEncoder } from 'ethers';
import fc from 'fast-check';
import { listPresetRules, listVenues } from '../../src/adapters/venues/venue-files.ts';
import { type Algorithm, isEthereumAlgorithm } from '../../src/domain/model/algorithm.ts';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { FixedValues } from '../../src/domain/model/payload.ts';
import { findRule, type NamedRule } from '../../src/domain/model/platform.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { presetOf } from '../harness/venue-vectors.ts';

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
  /** Pattern of what the venue takes for a text of it. */
  readonly texts: string;
  /** Requests of the preset's vectors. */
  readonly requests: readonly JsonObject[];
}

/** All schemes of keys of one kind at one venue, each rule once. */
function listSchemes(): ReadonlyMap<string, readonly Scheme[]> {
  const groups = new Map<string, Scheme[]>();
  for (const { id, presets } of listVenues()) {
    for (const preset of presets) {
      for (const { name = 'default', rule, example, texts = '' } of listPresetRules(preset)) {
        const { algorithm } = example;
        const vectors = preset.vectors.filter((vector) => vector.rule === example.rule);
        const kind = isEthereumAlgorithm(algorithm) ? 'secp256k1' : algorithm;
        const schemes = groups.get(`${id}, ${kind}`) ?? [];
        groups.set(`${id}, ${kind}`, schemes);
        const { send: _, ...options } = rule;
        const scheme = { rule: { algorithm, ...options } as NamedRule, algorithm, texts };
        if (schemes.some((known) => isDeepStrictEqual(known.rule, scheme.rule))) continue;
        schemes.push({
          ...scheme,
          name: `${preset.name} ${name}`,
          values: vectors.find(({ values }) => values !== undefined)?.values ?? {},
          requests: vectors.map(({ data }) => data),
        });
      }
    }
  }
  return new Map([...groups].filter(([, schemes]) => schemes.length > 1));
}

/** Whether the venue takes a text for one of the scheme. */
function isTextOf({ rule, texts }: Scheme, text: string): boolean {
  const [, claims = ''] = text.split('.');
  return new RegExp(texts, 'u').test(rule.rule === 'jwt' ? Buffer.from(claims, 'base64url').toString() : text);
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

  it('have patterns in the file of the venue, and each takes its own texts', () => {
    for (const scheme of [...groups.values()].flat()) {
      expect(scheme.texts, scheme.name).to.not.equal('');
      const texts = scheme.requests.map((request) => textOf(scheme, request) ?? expect.fail(scheme.name));
      for (const text of texts) expect(isTextOf(scheme, text), `${scheme.name}: ${text}`).to.equal(true);
      expect(texts, scheme.name).to.not.have.lengthOf(0);
    }
  });

  for (const [group, schemes] of groups) {
    for (const one of schemes) {
      for (const other of schemes.filter((another) => another !== one)) {
        it(`${group}: no text of ${one.name} is one of ${other.name}`, () => {
          // The same pattern: the texts contain hashes, or only the network differs.
          const isAlike = one.texts === other.texts;
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
              expect(!isAlike && isTextOf(other, text), text).to.equal(false);
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
