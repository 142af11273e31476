import type { AccountProfile } from '../../../domain/model/account.ts';
import type { Algorithm } from '../../../domain/model/algorithm.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import type { PlatformWish } from '../../../domain/services/account-administration-service.ts';

/** One platform of the demonstration: one of the specification's formats, and data of that shape. */
export interface DemoPlatform {
  readonly platform: PlatformWish;
  readonly algorithm: Algorithm;
  /** What is signed, in one line. */
  readonly explanation: string;
  readonly data: (now: Date) => JsonObject;
}

/** A demonstration platform and the account made on it. */
export interface DemoAccount {
  readonly demo: DemoPlatform;
  readonly account: AccountProfile;
}

/** The one account of each demonstration platform. */
export const DEMO_ACCOUNT_ID = 'trader';

/** One platform a format. */
export const DEMO_PLATFORMS: readonly DemoPlatform[] = [
  {
    platform: { platformId: 'demo-a', format: 'A' },
    algorithm: 'ed25519',
    explanation: 'format A, ed25519, base58: canonical JSON (RFC 8785) of the data',
    data: (now) => ({
      instruction: { type: 'limit', market: 'SOL-PERP', side: 'buy', amount: '10', price: '142.5' },
      nonce: now.getTime(),
    }),
  },
  {
    platform: { platformId: 'demo-b', format: 'B' },
    algorithm: 'eip191',
    explanation: 'format B, EIP-191, 0x-hex: canonical JSON of data.message, with the personal_sign prefix',
    data: (now) => ({
      message: { action: 'order', symbol: 'ETH-USD', price: '3150.00', quantity: '0.5', timestamp: now.getTime() },
    }),
  },
  {
    platform: { platformId: 'demo-c', format: 'C', algorithms: ['ed25519'], encoding: 'base64' },
    algorithm: 'ed25519',
    explanation: 'format C, ed25519, base64: the query string of data.params',
    data: (now) => ({
      method: 'POST',
      endpoint: '/api/v3/order',
      params: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        quantity: '0.001',
        price: '64000',
        timestamp: now.getTime(),
      },
    }),
  },
  {
    platform: { platformId: 'demo-d', format: 'D', algorithms: ['ed25519'], encoding: 'base64url' },
    algorithm: 'ed25519',
    explanation: 'format D, ed25519, base64url: timestamp, method, path and body in one text',
    data: (now) => ({
      method: 'POST',
      path: '/api/v5/trade/order',
      body: { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: '0.001', px: '64000' },
      timestamp: now.toISOString(),
    }),
  },
];
