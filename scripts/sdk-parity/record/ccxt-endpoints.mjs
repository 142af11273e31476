/*
 * Every request of ccxt's exchanges that may change something, made by `exchange.sign`, which sends
 * nothing. Arguments: file for the requests, keys as JSON, entries `{preset, exchange, options,
 * isNamedByType}` as JSON.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { KEYS, load, normalize } from './isolated-requests.mjs';

const { default: ccxt } = await load('ccxt');
/** It has endpoints that the newer lacks. */
const { default: older } = await load('ccxt-aster-v1');

const ID = '1';

/** A parameter of the path that has few values takes each of them. */
const VALUES = { settle: ['btc', 'usdt'], accountMode: ['classic', 'unified'] };

const requests = [];
for (const { preset, exchange: name, options, isNamedByType } of JSON.parse(process.argv[4])) {
  const known = new Set();
  for (const exchange of createAll(name, options)) {
    for (const { api, method, path } of listEndpoints(exchange.describe().api)) {
      const endpoint = `${api.join('.')} ${method} ${path}`;
      if (method === 'GET' || /public/i.test(api.join('.')) || known.has(endpoint)) continue;
      known.add(endpoint);
      const params = Object.fromEntries([...path.matchAll(/\{([^}]+)\}/g)].map(([, param]) => [param, ID]));
      for (const variant of toVariants(params))
        requests.push({ preset, endpoint, ...sign(exchange, { api, method, path }, variant) });
    }
  }
  for (const type of isNamedByType ? listActions(name) : []) requests.push({ preset, type });
}
writeFileSync(process.argv[2], JSON.stringify(requests));
process.exit(0);

/** The exchange of each version that has it, the newer first. */
function createAll(name, options) {
  const credentials = {
    ...{ apiKey: KEYS.apiKey, secret: KEYS.base64Secret, password: KEYS.passphrase, uid: 'test-uid' },
    ...{ privateKey: `0x${KEYS.ethereumKey}`, walletAddress: `0x${'11'.repeat(20)}` },
    ...options,
  };
  return [ccxt[name], older[name]].filter(Boolean).map((Exchange) => new Exchange(credentials));
}

/** The leaves of `describe().api`: lists of paths, or paths with their costs, below a method. */
function* listEndpoints(node, api = []) {
  for (const [name, child] of Object.entries(node)) {
    if (/^(?:get|post|put|delete|patch)$/.test(name)) {
      const paths = Array.isArray(child) ? child : Object.keys(child);
      for (const path of paths) yield { api, method: name.toUpperCase(), path };
    } else if (typeof child === 'object' && child !== null) yield* listEndpoints(child, [...api, name]);
  }
}

function toVariants(params) {
  const [name] = Object.keys(params).filter((one) => one in VALUES);
  return name === undefined ? [params] : VALUES[name].map((value) => ({ ...params, [name]: value }));
}

/** What `exchange.sign` makes, with Backpack's instruction, or why it makes nothing. */
function sign(exchange, { api, method, path }, params) {
  const instruction = exchange.options.instructions?.[path]?.[method];
  try {
    return { instruction, request: normalize(exchange.sign(path, api.length === 1 ? api[0] : api, method, params)) };
  } catch (error) {
    return { problem: String(error.message) };
  }
}

/** Of requests that differ by the type of the action alone: the types in ccxt's source. */
function listActions(name) {
  const source = readFileSync(new URL(`src/${name}.js`, import.meta.resolve('ccxt')), 'utf8');
  const types = [...source.matchAll(/(?:'type': |(?:operation|action)Type = )'([a-z]\w+)'/g)].map(([, type]) => type);
  return [...new Set(types)];
}
