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
    'The text is signed before it is percent-encoded; values with characters that a URL may not have (the JSON of stopLoss, takeProfit, batchOrders) are encoded when they are sent, after signing.',
    'Send parameters in the query string, also with POST: BingX checks a form body as it is sent, percent-encoded (BingX-API/BingX-swap-api-doc issue 38).',
    "The order that is sent is the one that is signed; here it is that of the names, as in BingX's examples: send them sorted.",
    'timestamp in milliseconds is a parameter; the API key goes into the header X-BX-APIKEY and is not signed.',
    'Parameters split between query string and body are signed one behind the other without "&" between them.',
    'Older pages on perpetual swaps show another way (method and path signed too, base64): it is not this API.',
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
