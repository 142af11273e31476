import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { DataFormat, Platform } from '../../src/domain/model/platform.ts';
import { DEFAULT_RULE_OF_FORMAT } from '../../src/domain/payload/complete-platform.ts';
import type { FixedAccount } from '../doubles/fixed-credential-source.ts';
import { EIP_191_VECTORS } from '../vectors/eip-191.ts';
import { RFC_8032_VECTORS } from '../vectors/rfc-8032.ts';

/** A platform for each format, and `verbatim` for text and bytes (format any, rule raw). */
export const SAMPLE_PLATFORMS: readonly Platform[] = [
  platform('alpha', 'A', ['ed25519']),
  platform('beta', 'B', ['eip191']),
  platform('gamma', 'C', ['ed25519', 'eip191']),
  platform('delta', 'D', ['ed25519', 'eip191']),
  { ...platform('verbatim', 'any', ['ed25519', 'eip191']), payload: { rule: 'raw' } },
  platform('empty', 'any', ['ed25519']),
];

const ED25519_SEED = vector(RFC_8032_VECTORS, 0).seed;
const EIP191_KEY = vector(EIP_191_VECTORS, 0).privateKey.slice(2);

/** Accounts with published test keys; `alpha/idle` is disabled. */
export const SAMPLE_ACCOUNTS: readonly FixedAccount[] = [
  account('alpha', 'main', 'ed25519', ED25519_SEED, { alias: 'Alpha main' }),
  account('alpha', 'idle', 'ed25519', vector(RFC_8032_VECTORS, 1).seed, { status: 'disabled' }),
  account('beta', 'main', 'eip191', EIP191_KEY, { environment: 'staging' }),
  account('gamma', 'main', 'ed25519', vector(RFC_8032_VECTORS, 2).seed),
  account('delta', 'main', 'eip191', vector(EIP_191_VECTORS, 1).privateKey.slice(2)),
  account('verbatim', 'rfc8032-0', 'ed25519', ED25519_SEED),
  account('verbatim', 'rfc8032-1', 'ed25519', vector(RFC_8032_VECTORS, 1).seed),
  account('verbatim', 'eip191-0', 'eip191', EIP191_KEY),
];

/** Data of each format, from the specification. */
export const DATA_A = {
  instruction: { type: 'limit', market: 'SOL-USDC', side: 'buy', amount: '10', price: '98.5' },
  nonce: 1763628540123,
};

/** The flat form of format A. */
export const DATA_A_FLAT = { type: 'limit', market: 'SOL-USDC', side: 'buy', amount: '10', price: '98.5' };

/** See {@link DATA_A}. */
export const DATA_B = {
  message: { action: 'order', symbol: 'ETH-USD', price: '3050.1', quantity: '2', timestamp: 1763628540123 },
};

/** See {@link DATA_A}. */
export const DATA_C = {
  method: 'POST',
  endpoint: '/api/v3/order',
  params: {
    symbol: 'BTCUSDT',
    side: 'SELL',
    type: 'LIMIT',
    quantity: '0.5',
    price: '64000.00',
    timestamp: 1763628540123,
  },
};

/** See {@link DATA_A}. */
export const DATA_D = {
  method: 'POST',
  path: '/api/v5/trade/order',
  body: { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: '2', px: '64000' },
  timestamp: '2026-11-20T08:49:00.123Z',
};

function platform(platformId: string, format: DataFormat, algorithms: readonly Algorithm[]): Platform {
  return { platformId, format, algorithms, payload: DEFAULT_RULE_OF_FORMAT[format] };
}

/** The key is 32 bytes in hex. */
function account(
  platformId: string,
  accountId: string,
  algorithm: Algorithm,
  key: string,
  fields: Partial<FixedAccount> = {},
): FixedAccount {
  const privateKey = Uint8Array.from(Buffer.from(key, 'hex'));
  return {
    platformId,
    accountId,
    alias: accountId,
    status: 'active',
    environment: 'production',
    algorithm,
    publicKey: null,
    createdAt: null,
    privateKey,
    ...fields,
  };
}

function vector<Vector>(vectors: readonly Vector[], index: number): Vector {
  const found = vectors[index];
  if (found === undefined) throw new RangeError(`There is no vector ${index}.`);
  return found;
}
