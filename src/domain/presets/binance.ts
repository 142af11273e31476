import { BINANCE_TEST_KEY } from './published-rsa-keys.ts';
import type { VenuePreset } from './venue-preset.ts';

/** Requests of the REST API, which have the API key in a header. */
const REST = { rule: 'query', field: 'params', parameters: { apiKey: 'excluded' } } as const;

/** Requests of the WebSocket API. */
const WEBSOCKET = {
  rule: 'query',
  field: 'params',
  sort: true,
  encode: 'none',
  parameters: { apiKey: 'required' },
} as const;

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
    payload: REST,
    algorithms: ['hmac-sha256'],
    encoding: 'hex',
    secretDecoding: 'utf8',
    rules: { websocket: WEBSOCKET },
  },
  rules: { websocket: { alias: 'binance-ws' } },
  keyFile: 'the API secret, exactly as Binance shows it',
  notes: [
    'Names and values are percent-encoded before signing. Send exactly the signed text, with &signature= appended.',
    'The caller chooses the order of the parameters; nothing is sorted. Method, path and API key (header X-MBX-APIKEY) are not signed. A parameter apiKey is rejected: it belongs to requests of the WebSocket API.',
    'timestamp is a parameter of the request, in milliseconds by default; so is recvWindow if sent.',
    'A list repeats its parameter (asset=BTC&asset=USDT). symbols and batchOrders are JSON texts: send them as strings.',
    'USDⓈ-M and COIN-M futures sign alike.',
    'If a request has parameters in both query string and form body, Binance concatenates the two texts without "&". Put all parameters in one place instead.',
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
    payload: REST,
    algorithms: ['ed25519'],
    encoding: 'base64',
    rules: { fix: FIX, websocket: WEBSOCKET },
  },
  rules: { fix: { alias: 'binance-fix' }, websocket: { alias: 'binance-ws-ed25519' } },
  keyFile: "the private key as PEM (PKCS#8), as openssl and Binance's key generator write it",
  notes: [
    'The signed text is the same as for HMAC keys; the signature is base64 and case-sensitive.',
    'Percent-encode the signature in a URL or form body: base64 contains +, / and =.',
    'The Ed25519 example for REST in rest-api.md has a signature of 256 bytes, the length of an RSA signature. It cannot be verified and is not used here.',
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

/** {@link BINANCE} with RSA keys. */
export const BINANCE_RSA: VenuePreset = {
  name: 'binance-rsa',
  venue: 'Binance spot REST, RSA keys',
  docs: 'https://developers.binance.com/docs/binance-spot-api-docs/rest-api/request-security',
  platform: {
    format: 'any',
    payload: REST,
    algorithms: ['rsa-sha256'],
    encoding: 'base64',
    rules: { websocket: WEBSOCKET },
  },
  rules: {
    websocket: {
      venue: 'Binance spot WebSocket API, RSA keys',
      docs: 'https://developers.binance.com/docs/binance-spot-api-docs/websocket-api/request-security',
      notes: [
        'The signed text is the same as for HMAC keys: all parameters, including apiKey, sorted by name and not percent-encoded.',
        'session.logon accepts only Ed25519 keys.',
        'The signature is part of a JSON message and is not percent-encoded.',
      ],
      example: {
        source:
          'https://github.com/binance/binance-spot-api-docs/blob/a5e0bc3ddc0fd7e6bb696849323b74423fa3a54d/web-socket-api.md',
        isComputed: true,
        key: { pem: BINANCE_TEST_KEY },
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
        signature:
          'n+saXaCjKtNbPmyYF++OGhrR+zZvMgTrSOV/rhWZwfwZcVQ9jfkihwEJQfZ+iYmDgH1Zrm+DgorQBV6c3RD/UtYNa+X51cZQirplJiIvxXcfERyrY1Zrz6//EvGMGa0lRwFvPOgqBkHI9iXDjLe5X3ZASkre4EsXoLAyUvlWeNV3iSXen75vPtY8Ocvq1KpzY5n5aB5Bg/jnMVL6eoAuYNGfmzoZbBEB78Pa6LyNSEjtEFZqibAU7urgR2kDW2/vsIBzZlOFBrVlyNy3k6xyjhx1j0+aFrPcB7U1STIbBCN04sGQhgmA+qZjweewYlNJojzy0IewYaMUTAlpwvKd1Q==',
      },
    },
  },
  keyFile: 'the private key as PEM (PKCS#8), 2048 to 4096 bits',
  notes: [
    'The signed text is the same as for HMAC keys; the signature is base64 and case-sensitive.',
    'Percent-encode the signature in a URL or form body: base64 contains +, / and =.',
    'A signature with 4096 bits takes several times as long as one with 2048. Binance recommends Ed25519 keys.',
    'USDⓈ-M and COIN-M futures sign alike.',
    'rest-api.md has two signatures of RSA keys (HZ8HOjiJ… and qJtv66wy…) without the key, so they cannot be verified.',
  ],
  example: {
    source:
      'https://github.com/binance/binance-connector-java/blob/84a6b0cbaf3cadc7a2edb5f150adc6a84501561a/src/test/java/unit/signature/TestRsaSignatureGenerator.java',
    key: { pem: BINANCE_TEST_KEY },
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
    signature:
      'uz2xmNkOf1EEsnZoWGraxR13F4jF9JYdC68uvWqYyjFyjwDgcoiMRm23UqsxWkmA208smu7TuGVxm1cWoZa/5fLQ2T/RcfLW9sokNWDzf1vM/xEpSmQEsSyIzd/c0pMWGsUkXsYpIarp3e/KSFzgwI73qZfbalBRkkK7u3dLWRVRk4kmEVf6dQUWMyXC44X8LB0M1XFrhkqcFYdcP9NcaCZCvb8nzG/nyUPtCJdBxVn8MMgXaVCM8DIbSrUBT0ZUxFQ3gTSd929LR1Tp6P2y4pHiWSElW5nJZYRRn2zUFt4xH7wvVKvuuEi8HH0Dusf6KBcWq8/3viAcRUh1Cj4fsQ==',
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
    'All parameters except signature are signed, including apiKey, sorted by name and not percent-encoded.',
    'Numbers are signed as written in the JSON message. Send decimals as strings: JSON numbers lose trailing zeros.',
    'There is no published example with array or object parameters.',
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
    'The signed text is the same as for HMAC keys: all parameters, including apiKey, sorted by name and not percent-encoded.',
    'session.logon accepts only Ed25519 keys; after it, requests need no signature.',
    'The signature is part of a JSON message and is not percent-encoded.',
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
