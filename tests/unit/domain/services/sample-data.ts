import type { JsonObject } from '../../../../src/domain/model/json.ts';
import type { DataFormat } from '../../../../src/domain/model/platform.ts';

/** Data of a signing request, and its signed text by the format's default rule, written by hand. */
export interface SampleData {
  readonly data: JsonObject;
  readonly text: string;
}

/** One valid request of every format. */
export const SAMPLE_DATA: { readonly [Format in DataFormat]: SampleData } = {
  A: {
    data: {
      nonce: 1763628540123,
      instruction: { type: 'order', market: 'SOL-USDC', side: 'buy', amount: '1.5', price: '150.25' },
    },
    text: '{"instruction":{"amount":"1.5","market":"SOL-USDC","price":"150.25","side":"buy","type":"order"},"nonce":1763628540123}',
  },
  B: {
    data: {
      message: { symbol: 'ETH-USD', action: 'order', price: '3000', quantity: '0.5', timestamp: 1763628540123 },
    },
    text: '{"action":"order","price":"3000","quantity":"0.5","symbol":"ETH-USD","timestamp":1763628540123}',
  },
  C: {
    data: {
      method: 'POST',
      endpoint: '/api/v3/order',
      params: {
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        quantity: '0.001',
        price: '50000',
        timestamp: 1763628540123,
      },
    },
    text: 'symbol=BTCUSDT&side=BUY&type=LIMIT&quantity=0.001&price=50000&timestamp=1763628540123',
  },
  D: {
    data: {
      method: 'post',
      path: '/api/v5/trade/order',
      body: { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: '2', px: '2.15' },
      timestamp: '2026-11-20T08:49:00.000Z',
    },
    text: '2026-11-20T08:49:00.000ZPOST/api/v5/trade/order{"instId":"BTC-USDT","side":"buy","ordType":"limit","sz":"2","px":"2.15"}',
  },
  any: { data: { é: [true, null], a: 0.5 }, text: '{"a":0.5,"é":[true,null]}' },
};
