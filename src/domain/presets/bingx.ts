import type { VenuePreset } from './venue-preset.ts';

/** BingX REST, spot and perpetual swaps v2. */
export const BINGX: VenuePreset = {
  name: 'bingx',
  venue: 'BingX REST, spot and perpetual swaps v2',
  docs: 'https://bingx-api.github.io/docs/spot/authentication.html',
  platform: {
    format: 'any',
    payload: { rule: 'query', field: 'params', sort: true, encode: 'none' },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the secret key, exactly as BingX shows it',
  notes: [
    'The text is signed before percent-encoding. Values with characters that are not allowed in a URL (the JSON of stopLoss, takeProfit, batchOrders) are encoded after signing, when they are sent.',
    'Send parameters in the query string, also with POST: BingX verifies a form body as sent, percent-encoded (BingX-API/BingX-swap-api-doc issue 38).',
    "The signed order must be the order sent. Here parameters are sorted by name, as in BingX's examples: send them sorted.",
    'timestamp is a parameter, in milliseconds. The API key is sent in the header X-BX-APIKEY and is not signed.',
    'Parameters split between query string and body are concatenated without "&" for signing.',
    'Older pages on perpetual swaps describe another API, which also signs method and path and uses base64.',
  ],
  example: {
    source:
      'https://github.com/BingX-API/BingX-spot-api-doc/blob/00e6cf03be7f963bf619d2d8ce918c1f253fb987/REST%20API.md',
    key: { text: 'UuGuyEGt6ZEkpUObCYCmIfh0elYsZVh80jlYwpJuRZEw70t6vomMH7Sjmf94ztSI' },
    data: { params: { symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', quoteOrderQty: 20, timestamp: 1649404670162 } },
    payload: 'quoteOrderQty=20&side=BUY&symbol=ETHUSDT&timestamp=1649404670162&type=MARKET',
    signature: '428a3c383bde514baff0d10d3c20e5adfaacaf799e324546dafe5ccc480dd827',
  },
};
