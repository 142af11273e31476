import type { VenuePreset } from './venue-preset.ts';

/** Requests of the WebSocket API. */
const WEBSOCKET = { rule: 'query', field: 'params', sort: true, encode: 'none' } as const;

/** RawData of a FIX logon. */
const FIX = {
  rule: 'prehash',
  template: '{data.msgType}{data.senderCompId}{data.targetCompId}{data.msgSeqNum}{data.sendingTime}',
  separator: '\u0001',
} as const;

/** Binance spot with HMAC keys. */
export const BINANCE: VenuePreset = {
  name: 'binance',
  venue: 'Binance spot REST, HMAC keys',
  docs: 'https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security',
  platform: {
    format: 'any',
    payload: { rule: 'query', field: 'params' },
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
    rules: { websocket: WEBSOCKET },
  },
  rules: { websocket: { alias: 'binance-ws' } },
  keyFile: 'the API secret, exactly as Binance shows it',
  notes: [
    'Names and values are percent-encoded before they are signed, and the text that is sent has to be the text that was signed, with &signature= behind it.',
    "The order of the parameters is the caller's; nothing is sorted. Method, path and API key (header X-MBX-APIKEY) are not signed.",
    'timestamp is a parameter of the request, in milliseconds by default; recvWindow is one too when it is sent.',
    'A request with parameters in both its query string and its form body is signed over the two texts one behind the other without "&" between them: put all parameters into one place instead.',
  ],
  example: {
    source:
      'https://github.com/binance/binance-spot-api-docs/blob/a5e0bc3ddc0fd7e6bb696849323b74423fa3a54d/rest-api.md',
    key: { text: 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j' },
    data: {
      params: {
        symbol: 'LTCBTC',
        side: 'BUY',
        type: 'LIMIT',
        timeInForce: 'GTC',
        quantity: '1',
        price: '0.1',
        recvWindow: 5000,
        timestamp: 1499827319559,
      },
    },
    payload:
      'symbol=LTCBTC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=1&price=0.1&recvWindow=5000&timestamp=1499827319559',
    signature: 'c8db56825ae71d6d79447849e617115f4a920fa2acdcab2b053c4b2838bd6b71',
  },
};

/** {@link BINANCE} with Ed25519 keys. */
export const BINANCE_ED25519: VenuePreset = {
  name: 'binance-ed25519',
  venue: 'Binance spot REST, Ed25519 keys',
  docs: 'https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security',
  platform: {
    format: 'any',
    payload: { rule: 'query', field: 'params' },
    algorithms: ['ed25519'],
    encoding: 'base64',
    rules: { fix: FIX, websocket: WEBSOCKET },
  },
  rules: { fix: { alias: 'binance-fix' }, websocket: { alias: 'binance-ws-ed25519' } },
  keyFile: "the private key as PEM (PKCS#8), as openssl and Binance's key generator write it",
  notes: [
    'The text is the same as for HMAC keys; the signature is base64 and case-sensitive.',
    'The signature has to be percent-encoded where it goes into a URL or a form body: base64 has +, / and =.',
    'Binance prints an Ed25519 example for REST in rest-api.md whose signature is 256 bytes long, as one of RSA is: it cannot be checked and is not used here.',
  ],
  example: {
    source:
      'https://github.com/binance/binance-connector-java/blob/b522c22ec8d84d25d9f710bae56654babe5a4097/src/test/java/unit/signature/TestEd25519SignatureGenerator.java',
    key: {
      pem: '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIKsxHjCv6ABIQ4Fz7KYqEchoef0yLIBPbJLY3CjsuczK\n-----END PRIVATE KEY-----\n',
    },
    data: {
      params: {
        timeInForce: 'GTC',
        quantity: '0.2',
        price: '30000',
        symbol: 'BTCUSDT',
        side: 'SELL',
        type: 'LIMIT',
        timestamp: 1683189275000,
      },
    },
    payload: 'timeInForce=GTC&quantity=0.2&price=30000&symbol=BTCUSDT&side=SELL&type=LIMIT&timestamp=1683189275000',
    signature: 'kJs8urXFQ/GkR/hQ+ukZMFwH9H8oe7Ec/sap6pFIB/7HHHoh5mKVQT1zLVaRl7QdJLjNB2QB4PGZPflubUCHBA==',
  },
};

/** Binance's WebSocket API with HMAC keys. */
export const BINANCE_WS: VenuePreset = {
  name: 'binance-ws',
  venue: 'Binance spot WebSocket API, HMAC keys',
  docs: 'https://developers.binance.com/docs/binance-spot-api-docs/websocket-api/request-security',
  platform: {
    format: 'any',
    payload: WEBSOCKET,
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
  },
  keyFile: 'the API secret, exactly as Binance shows it',
  notes: [
    'All parameters are signed, apiKey among them, sorted by name and not percent-encoded; only signature is not.',
    'Numbers are signed as they are written in the JSON message: send decimals as strings, for JSON numbers lose trailing zeros.',
    'Parameters that are arrays or objects have no published example.',
  ],
  example: {
    source:
      'https://github.com/binance/binance-spot-api-docs/blob/a5e0bc3ddc0fd7e6bb696849323b74423fa3a54d/web-socket-api.md',
    key: { text: 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j' },
    data: {
      params: {
        symbol: 'BTCUSDT',
        side: 'SELL',
        type: 'LIMIT',
        timeInForce: 'GTC',
        quantity: '0.01000000',
        price: '52000.00',
        recvWindow: 100,
        timestamp: 1645423376532,
        apiKey: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
      },
    },
    payload:
      'apiKey=vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A&price=52000.00&quantity=0.01000000&recvWindow=100&side=SELL&symbol=BTCUSDT&timeInForce=GTC&timestamp=1645423376532&type=LIMIT',
    signature: 'aa1b5712c094bc4e57c05a1a5c1fd8d88dcd628338ea863fec7b88e59fe2db24',
  },
};

/** {@link BINANCE_WS} with Ed25519 keys. */
export const BINANCE_WS_ED25519: VenuePreset = {
  name: 'binance-ws-ed25519',
  venue: 'Binance spot WebSocket API, Ed25519 keys',
  docs: 'https://developers.binance.com/docs/binance-spot-api-docs/websocket-api/request-security',
  platform: {
    format: 'any',
    payload: WEBSOCKET,
    algorithms: ['ed25519'],
    encoding: 'base64',
  },
  keyFile: "the private key as PEM (PKCS#8), as openssl and Binance's key generator write it",
  notes: [
    'The text is the same as for HMAC keys: all parameters, apiKey among them, sorted by name and not percent-encoded.',
    'session.logon takes Ed25519 keys only; after it requests need no signature.',
    'The signature stands in a JSON message, so it is not percent-encoded.',
  ],
  example: {
    source:
      'https://github.com/binance/binance-connector-java/blob/f517028b5eeb0a53f37100d8c2b5b3ef3b78a9ef/clients/spot/src/test/resources/expected/api/AuthApi/session.logon-test.json',
    key: {
      pem: '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEILpXm6EtDzSzPJWHTbP904h5R3bzb0QsLjTf1tAt2OlB\n-----END PRIVATE KEY-----\n',
    },
    data: { params: { apiKey: 'apiKey', timestamp: '1736393892000' } },
    payload: 'apiKey=apiKey&timestamp=1736393892000',
    signature: 'w5VdScCUjVCBg8gmima0WOwDjnL0BaNQ0Boi0A4rSSa8oszi1Ul+MWr5JH3JJ2zEduiEV781IxQg61lz3c+9BA==',
  },
};

/** Binance FIX logon with Ed25519 keys. */
export const BINANCE_FIX: VenuePreset = {
  name: 'binance-fix',
  venue: 'Binance FIX logon, Ed25519 keys',
  docs: 'https://developers.binance.com/docs/binance-spot-api-docs/fix-api',
  platform: {
    format: 'any',
    payload: FIX,
    algorithms: ['ed25519'],
    encoding: 'base64',
  },
  keyFile: "the private key as PEM (PKCS#8), as openssl and Binance's key generator write it",
  notes: [
    'RawData (96) of Logon <A>: MsgType (35), SenderCompID (49), TargetCompID (56), MsgSeqNum (34) and SendingTime (52), joined by SOH (0x01).',
    'RawDataLength (95) is the length of the base64 text: 88.',
  ],
  example: {
    source: 'https://github.com/binance/binance-spot-api-docs/blob/a5e0bc3ddc0fd7e6bb696849323b74423fa3a54d/fix-api.md',
    key: {
      pem: '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIIJEYWtGBrhACmb9Dvy+qa8WEf0lQOl1s4CLIAB9m89u\n-----END PRIVATE KEY-----\n',
    },
    data: {
      msgType: 'A',
      senderCompId: 'EXAMPLE',
      targetCompId: 'SPOT',
      msgSeqNum: 1,
      sendingTime: '20240627-11:17:25.223',
    },
    payload: 'A\u0001EXAMPLE\u0001SPOT\u00011\u000120240627-11:17:25.223',
    signature: '4MHXelVVcpkdwuLbl6n73HQUXUf1dse2PCgT1DYqW9w8AVZ1RACFGM+5UdlGPrQHrgtS3CvsRURC1oj73j8gCA==',
  },
};
