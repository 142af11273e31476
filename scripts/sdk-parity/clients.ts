import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import type { FixedValues } from '../../src/domain/model/payload.ts';
import { RSA_KEYS } from '../../tests/vectors/rsa-keys.ts';
import type { SentRequest } from './template-reader.ts';

/** Clients on the npm registry, by package; `*`: published by the venue. */
export const NPM_CLIENTS = {
  '@binance/spot': '32.0.4 *',
  '@cosmjs/proto-signing': '0.39.0 *',
  '@dydxprotocol/v4-client-js': '3.6.0 *',
  '@polymarket/clob-client': '5.8.1 *',
  'bitget-api': '3.2.3',
  'bitmex-node': '1.9.0',
  bitvavo: '1.4.1 *',
  'bybit-api': '4.7.7',
  ccxt: '4.5.84',
  // The last versions sign Aster's API v3 only.
  'ccxt-aster-v1': 'npm:ccxt@4.5.40',
  'gate-api': '7.2.144 *',
  'kucoin-universal-sdk': '1.3.0 *',
  'mexc-api-sdk': '1.0.3 *',
};

/** Clients on PyPI. */
export const PYTHON_CLIENTS = {
  'binance-fix-connector': '1.2.0 *',
  'bpx-py': '2.0.11',
  'coinbase-advanced-py': '1.8.4 *',
  'hyperliquid-python-sdk': '0.24.0 *',
  pybit: '5.17.0 *',
  'python-okx': '0.4.4 *',
};

/** Their dependencies are the newest before this day, for the same installation each time. */
const NPM_BEFORE = '2026-11-25';

/** What one call of a client signed, or why it signed nothing. */
export interface SdkRecord {
  readonly preset: string;
  /** Named rule of the preset; absent: its default rule. */
  readonly rule?: string;
  /** `order`, or what is special about the request. */
  readonly kind: string;
  /** The client, by its package. */
  readonly source: string;
  /** Absent: it signs apart from a request. */
  readonly request?: SentRequest;
  /** Where the request does not show it. */
  readonly signature?: string;
  /** HMAC inputs, hex; empty where they are unknown. */
  readonly signed?: readonly string[];
  /** Members of `data` that it signs and does not send. */
  readonly unsent?: JsonObject;
  /** Values of the account that it signs and does not send. */
  readonly values?: FixedValues;
  readonly problem?: string;
}

/** Test keys of the records; nobody holds anything with them. */
export const SDK_KEYS = {
  apiKey: 'test-api-key',
  passphrase: 'test-passphrase',
  /** HMAC secret as text. */
  secret: 'test-secret',
  /** HMAC secret as base64 and base64url: Kraken, Polymarket. */
  base64Secret: 'dGVzdC1zZWNyZXQ=',
  /** Seed of an Ed25519 key: hex, base64, base58, PEM (PKCS#8, RFC 8410 §7). */
  seed: '07'.repeat(32),
  seedBase64: Buffer.alloc(32, 7).toString('base64'),
  seedBase58: 'US517G5965aydkZ46HS38QLi7UQiSojurfbQfKCELFx',
  ed25519Pem: `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH
-----END PRIVATE KEY-----
`,
  /** Seed and public key, base64. */
  keyPairBase64: 'BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwfqSmxj4pxSCr71UHsTLsX5lUd2rr6+e5JCHuppFEbSLA==',
  /** Private key on secp256k1 and the StarkNet curve, hex. */
  ethereumKey: `${'0123456789'.repeat(6)}0123`,
  /** The same number on P-256, with its point, which ccxt requires (SEC 1, RFC 5915): Coinbase. */
  p256Pem: `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIAEjRWeJASNFZ4kBI0VniQEjRWeJASNFZ4kBI0VniQEjoAoGCCqGSM49
AwEHoUQDQgAEbuxF+PfzEUEtE7Ae7o1WwnAp+V0gI0MlX3FJYRy750Ms+Vdwpigu
ETaDefmiuGzByXbHV3fj4TAWpkH6G24hpg==
-----END EC PRIVATE KEY-----
`,
  /** RSA key of 2048 bits, PEM (PKCS#8). */
  rsaPem: RSA_KEYS[0] ?? '',
} as const;

/** The calls that the venues' files list, by preset and client; with the test keys in options. */
export function listCalls() {
  const toKeys = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (all, name) =>
      name in SDK_KEYS ? JSON.stringify(SDK_KEYS[name as keyof typeof SDK_KEYS]).slice(1, -1) : all,
    );
  return listPresets().flatMap(({ name, clients = {} }) =>
    Object.entries(clients).flatMap(([client, { exchange = name, options = {}, calls = [] }]) =>
      calls.length === 0
        ? []
        : [{ preset: name, client, exchange, options: JSON.parse(toKeys(JSON.stringify(options))), calls }],
    ),
  );
}

/**
 * Installs clients from the npm registry into a folder, without install scripts, and copies the
 * programs of record/ there.
 */
export async function installFromNpm(folder: string, clients: { readonly [name: string]: string }): Promise<void> {
  writeFileSync(join(folder, 'package.json'), '{"private": true}');
  const names = Object.entries(clients).map(([name, version]) => `${name}@${version.replace(' *', '')}`);
  const options = [`--before=${NPM_BEFORE}`, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', '--prefix', folder, ...options, ...names], folder);
  const recorders = join(import.meta.dirname, 'record');
  for (const file of readdirSync(recorders)) cpSync(join(recorders, file), join(folder, file));
}

/** Creates a Python environment with clients from PyPI. @returns its Python */
export async function installFromPyPi(folder: string, python: string): Promise<string> {
  const own = join(folder, 'python/bin/python3');
  await run(python, ['-m', 'venv', join(folder, 'python')], folder);
  const names = Object.entries(PYTHON_CLIENTS).map(([name, version]) => `${name}==${version.replace(' *', '')}`);
  await run(own, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...names], folder);
  return own;
}

/**
 * Runs a program of record/ without this environment, and where Linux allows it in a network
 * namespace. @returns the records that it writes
 */
export async function recordIsolated<Item>(
  program: string,
  script: string,
  folder: string,
  ...more: readonly string[]
): Promise<readonly Item[]> {
  const results = join(folder, `${script}.json`);
  const command = [program, join(folder, script), results, JSON.stringify(SDK_KEYS), ...more];
  const namespace = ['unshare', '--user', '--map-root-user', '--net', '--'];
  const isPossible = spawnSync('unshare', [...namespace.slice(1), 'true']).status === 0;
  const [first = '', ...args] = isPossible ? [...namespace, ...command] : command;
  await run(first, args, folder, { PATH: process.env['PATH'] ?? '', HOME: folder });
  return JSON.parse(readFileSync(results, 'utf8'));
}

/** Runs a program; its errors are shown. @throws Error if it fails */
async function run(program: string, args: readonly string[], cwd: string, env = process.env): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'], env });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw new Error(`${program} ${args[0]} ended with ${exitCode}.`);
}
