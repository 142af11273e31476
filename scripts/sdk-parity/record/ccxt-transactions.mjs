/** Messages and transactions that ccxt signs: Paradex (StarkNet), dYdX (Cosmos SDK). */
import { addSigned, record } from './isolated-requests.mjs';
import { KEYS } from './requests.mjs';

/** @param createExchange makes an exchange of ccxt by name and options */
export async function recordTransactions(createExchange) {
  await recordParadex(createExchange);
  await recordDydx(createExchange('dydx', DYDX_OPTIONS), 'dydx');
  const testnet = createExchange('dydx', DYDX_OPTIONS);
  testnet.setSandboxMode(true);
  await recordDydx(testnet, 'dydx-testnet');
}

/**
 * About one of 180 signatures would differ: ccxt's library drops a zero byte of a nonce candidate
 * (RFC 6979). Choose other values then.
 */
async function recordParadex(createExchange) {
  const account = { privateKey: `0x${KEYS.ethereumKey}`, publicKey: '0x1', address: `0x${'2'.repeat(63)}` };
  const systemConfig = { starknet_chain_id: 'PRIVATE_SN_PARACLEAR_MAINNET' };
  const order = { market: 'ETH-USD-PERP', side: 'BUY', type: 'LIMIT', size: '0.1', price: '1500' };
  for (const [kind, sign] of [
    ['order', (exchange) => exchange.signOrderRequest(order)],
    ['market order', (exchange) => exchange.signOrderRequest({ ...order, type: 'MARKET', side: 'SELL' })],
    ['change', (exchange) => exchange.signOrderRequest({ ...order, id: '1700000000000201700000000001' }, true)],
    ['login', (exchange) => exchange.authenticateRest()],
    ['onboarding', (exchange) => exchange.onboarding()],
  ]) {
    const exchange = createExchange('paradex', { options: { paradexAccount: account, systemConfig } });
    await record({ preset: 'paradex', kind, source: 'ccxt', values: { address: account.address } }, () =>
      takeTypedData(exchange, sign),
    );
  }
}

/** What the client hashes for StarkNet, and its signature. */
function takeTypedData(exchange, sign) {
  return new Promise((resolve, reject) => {
    let typedData;
    const { starknetEncodeStructuredData, starknetSign } = exchange;
    exchange.starknetEncodeStructuredData = (domain, messageTypes, message, address) => {
      const [primaryType] = Object.keys(messageTypes);
      const StarkNetDomain = ['name', 'chainId', 'version'].map((name) => ({ name, type: 'felt' }));
      typedData = { domain, primaryType, types: { StarkNetDomain, ...messageTypes }, message };
      return starknetEncodeStructuredData.call(exchange, domain, messageTypes, message, address);
    };
    exchange.starknetSign = (...parts) => {
      const signature = starknetSign.apply(exchange, parts);
      resolve(toRequest({ ...typedData, signature }));
      return signature;
    };
    sign(exchange).catch(reject);
  });
}

const OWNER = 'dydx14zzueazeh0hj67cghhf9jypslcf9sh2n5k6art';

const DYDX_OPTIONS = {
  walletAddress: OWNER,
  options: { privateKey: KEYS.ethereumKey },
};

/** A perpetual as ccxt reads it from the indexer. */
const DYDX_MARKET = {
  id: 'ETH-USD',
  symbol: 'ETH/USDC:USDC',
  base: 'ETH',
  quote: 'USDC',
  settle: 'USDC',
  type: 'swap',
  swap: true,
  precision: { amount: 0.001, price: 0.1 },
  info: { clobPairId: '1', atomicResolution: '-9', quantumConversionExponent: '-9' },
};

async function recordDydx(exchange, preset) {
  exchange.setMarkets([DYDX_MARKET]);
  exchange.setCurrencies?.([]);
  exchange.fetchLatestBlockHeight = async () => 20_000_000;
  await exchange.loadDydxProtos();
  const { publicKey } = exchange.retrieveDydxCredentials(KEYS.ethereumKey);
  exchange.options.dydxAccount = {
    account_number: '12',
    sequence: '5',
    pub_key: { key: exchange.binaryToBase64(publicKey) },
  };
  exchange.estimateTxFee = async () => ({ amount: [{ denom: 'adydx', amount: '2500' }], gasLimit: 100_000 });
  const { symbol } = DYDX_MARKET;
  const short = { clientOrderId: 123456789, timeInForce: 'IOC' };
  for (const [kind, call] of [
    ['order', () => exchange.createOrder(symbol, 'limit', 'buy', 0.01, 1500, short)],
    ['long-term order', () => exchange.createOrder(symbol, 'limit', 'sell', 0.01, 1500, { clientOrderId: 7 })],
    [
      'conditional order',
      () => exchange.createOrder(symbol, 'limit', 'sell', 0.01, 1500, { clientOrderId: 7, stopLossPrice: 1400 }),
    ],
    ['cancel', () => exchange.cancelOrder('1', symbol, { clientOrderId: 123456789, orderFlags: 0 })],
    ['batch cancel', () => exchange.cancelOrders([], symbol, { clientOrderIds: [1, 2] })],
    ['transfer', () => exchange.transfer('USDC', 5, 'main', OWNER, { fromSubaccountId: 0, toSubaccountId: 1 })],
    ['withdrawal', () => exchange.withdraw('USDC', 5, OWNER, 'memo ü', { subaccountId: 0 })],
  ]) {
    await record({ preset, kind, source: 'ccxt' }, () => takeTransaction(exchange, call));
  }
}

/** The SignDoc that the client hashes, and the signature in the TxRaw that it sends. */
function takeTransaction(exchange, call) {
  return new Promise((resolve, reject) => {
    let signDoc;
    const { encodeDydxTxForSigning, hash } = exchange;
    exchange.encodeDydxTxForSigning = (...parts) => {
      exchange.hash = (bytes, ...rest) => {
        signDoc = Buffer.from(bytes);
        return hash.call(exchange, bytes, ...rest);
      };
      const encoded = encodeDydxTxForSigning.apply(exchange, parts);
      Object.assign(exchange, { encodeDydxTxForSigning, hash });
      return encoded;
    };
    exchange.nodeRpcGetBroadcastTxSync = async ({ tx }) => {
      addSigned(signDoc);
      // The last field of a TxRaw with one signature of 64 bytes.
      const signature = Buffer.from(tx.slice(-128), 'hex').toString('base64');
      resolve(toRequest({ signDoc: signDoc.toString('base64'), signature }));
      return {};
    };
    call().catch(reject);
  });
}

function toRequest(message) {
  return { method: 'POST', url: 'https://unsent.invalid/', headers: {}, body: JSON.stringify(message) };
}
