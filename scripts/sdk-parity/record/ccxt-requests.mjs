/*
 * What ccxt sends for the calls that the venues' files list. Arguments: file for the records, keys
 * as JSON, entries `{preset, client, exchange, options, calls}` as JSON.
 */
import { addSigned, addUnsent, addUnsentValues, finish, KEYS, load, record, toMessage } from './isolated-requests.mjs';

const CREDENTIALS = {
  ...{ apiKey: KEYS.apiKey, secret: KEYS.secret, password: KEYS.passphrase, uid: 'test-uid' },
  ...{ privateKey: `0x${KEYS.ethereumKey}`, walletAddress: `0x${'11'.repeat(20)}` },
  enableRateLimit: false,
};

for (const { preset, client, exchange: name, options, calls } of JSON.parse(process.argv[4])) {
  const { default: ccxt } = await load(client);
  for (const { kind, rule, call, unsent } of calls) {
    const exchange = createExchange(ccxt.pro[name] ?? ccxt[name], options);
    await record({ preset, kind, source: client, ...(rule && { rule }) }, () => {
      addUnsent(unsent);
      return takeRequest(exchange, call);
    });
  }
}
finish();

/** An exchange of which all that is signed is observed. */
function createExchange(Exchange, options) {
  const exchange = new Exchange({ ...CREDENTIALS, ...options });
  const { hmac, hash, ethEncodeStructuredData, starknetEncodeStructuredData } = exchange;
  exchange.hmac = (request, ...rest) => {
    addSigned(request);
    return hmac.call(exchange, request, ...rest);
  };
  // Of a text that ends with the secret.
  exchange.hash = (request, ...rest) => {
    const text = Buffer.from(request);
    const end = -KEYS.secret.length;
    if (text.subarray(end).equals(Buffer.from(KEYS.secret))) addSigned(text.subarray(0, end));
    return hash.call(exchange, request, ...rest);
  };
  exchange.ethEncodeStructuredData = (domain, types, message) => {
    addTypedData(domain, types, message);
    return ethEncodeStructuredData.call(exchange, domain, types, message);
  };
  exchange.starknetEncodeStructuredData = (domain, types, message, address) => {
    const StarkNetDomain = ['name', 'chainId', 'version'].map((member) => ({ name: member, type: 'felt' }));
    addTypedData(domain, { StarkNetDomain, ...types }, message);
    addUnsentValues({ address });
    return starknetEncodeStructuredData.call(exchange, domain, types, message, address);
  };
  return exchange;
}

function addTypedData(domain, types, message) {
  addUnsent({ domain, types, primaryType: Object.keys(types).at(-1), message });
}

/** What a call would send at last, or returns as a request; all responses are empty. */
function takeRequest(exchange, [method, ...args]) {
  return new Promise((resolve, reject) => {
    let request;
    exchange.fetch = async (url, verb, headers, body) => {
      request = { url, method: verb, headers, body };
      return {};
    };
    exchange.watch = (url, _hash, message) => resolve(toMessage(message, url.replace('wss:', 'https:')));
    const calling = (async () => exchange[method](...args.map((argument) => argument ?? undefined)))();
    calling.then(
      (result) => resolve(request ?? result),
      (error) => (request ? resolve(request) : reject(error)),
    );
  });
}
