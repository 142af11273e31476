/*
 * Started by measure/footprint.ts with --expose-gc: imports what the service loads at its start,
 * part after part, and prints a line of JSON for each: the resident memory that it adds, how much of
 * that is not a mapped file (proc_pid_status(5), bytes), and its processor time (ms).
 */
import { readFileSync } from 'node:fs';

const PARTS = {
  'node:http, node:https, node:tls': ['node:http', 'node:https', 'node:tls'],
  'Native libraries': ['sodium-native', 'secp256k1-native', 'fs-native-extensions'],
  'ethers, @scure/starknet, hash-wasm': [
    'ethers/crypto',
    'ethers/hash',
    'ethers/utils',
    '@scure/starknet',
    'hash-wasm',
  ],
  zod: ['zod'],
  inversify: ['reflect-metadata', 'inversify'],
  'winston, prom-client': ['winston', 'winston-transport', 'prom-client'],
  'Express, helmet': ['../../dist/app/express-without-eval.js', 'express', 'helmet'],
  'This service': ['../../dist/app/serve.js', '../../dist/adapters/observability/prom-metrics.js'],
};

function memory() {
  globalThis.gc();
  const status = readFileSync('/proc/self/status', 'utf8');
  const bytes = (field) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { resident: bytes('VmRSS'), own: bytes('RssAnon') };
}

function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function printPart(part) {
  process.stdout.write(`${JSON.stringify(part)}\n`);
}

printPart({ name: 'Node.js', ms: processorMs(), ...memory() });
for (const [name, modules] of Object.entries(PARTS)) {
  const before = memory();
  const startedAt = processorMs();
  for (const module of modules) await import(module);
  const ms = processorMs() - startedAt;
  const { resident, own } = memory();
  printPart({ name, ms, resident: resident - before.resident, own: own - before.own });
}
