/*
 * Started by measure/footprint.ts with --expose-gc: imports what the service loads at its start,
 * part after part, and prints a line of JSON for each: what it adds to the resident memory and to
 * V8's heap (bytes), and its processor time (ms).
 */
const PARTS = {
  '`node:http`, `node:https`, `node:tls`': ['node:http', 'node:https', 'node:tls'],
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

function reading() {
  const { user, system } = process.cpuUsage();
  globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  return { resident: rss, heap: heapUsed, ms: (user + system) / 1000 };
}

function printAdded(name, before, after) {
  const added = Object.entries(after).map(([field, value]) => [field, value - before[field]]);
  process.stdout.write(`${JSON.stringify({ name, ...Object.fromEntries(added) })}\n`);
}

printAdded('Node.js', { resident: 0, heap: 0, ms: 0 }, reading());
for (const [name, modules] of Object.entries(PARTS)) {
  const before = reading();
  for (const module of modules) await import(module);
  printAdded(name, before, reading());
}
