/** Transactions of the Cosmos SDK: cosmjs, and dYdX's own client. */
import { addSigned, KEYS, load, loadCommonJs, recordAll, toRequest } from './isolated-requests.mjs';

export async function recordCosmosClients() {
  await recordCosmosHub();
  await recordDydx('dydx', 'dydx-mainnet-1');
  await recordDydx('dydx-testnet', 'dydx-testnet-4');
}

async function recordCosmosHub() {
  const cosmjs = await load('@cosmjs/proto-signing');
  const { encodeSecp256k1Pubkey } = await load('@cosmjs/amino');
  const { MsgSend } = await load('cosmjs-types/cosmos/bank/v1beta1/tx');
  const wallet = await cosmjs.DirectSecp256k1Wallet.fromKey(Buffer.from(KEYS.ethereumKey, 'hex'), 'cosmos');
  const [{ address, pubkey }] = await wallet.getAccounts();
  const typeUrl = '/cosmos.bank.v1beta1.MsgSend';
  const registry = new cosmjs.Registry([[typeUrl, MsgSend]]);
  const amount = [{ denom: 'uatom', amount: '1234567' }];
  const send = { typeUrl, value: { fromAddress: address, toAddress: address, amount } };
  const sign = (messages, memo) => async () => {
    const signer = { pubkey: cosmjs.encodePubkey(encodeSecp256k1Pubkey(pubkey)), sequence: 19 };
    const authInfo = cosmjs.makeAuthInfoBytes([signer], amount, 200_000, undefined, undefined);
    const body = registry.encodeTxBody({ messages, memo, timeoutHeight: 25_000_000n });
    const document = cosmjs.makeSignDoc(body, authInfo, 'cosmoshub-4', 1);
    const { signed, signature } = await wallet.signDirect(address, document);
    return toTransaction(cosmjs.makeSignBytes(signed), signature.signature);
  };
  await recordAll(
    { preset: 'cosmos-hub', source: '@cosmjs/proto-signing' },
    { transfer: sign([send], ''), 'batch, non-ASCII': sign([send, send], '币安人生 ü') },
  );
}

async function recordDydx(preset, chainId) {
  const { LocalWallet } = loadCommonJs('@dydxprotocol/v4-client-js');
  const Long = loadCommonJs('long');
  // It builds the messages of the client, but is no export of the package.
  const { Composer } = loadCommonJs(
    './node_modules/@dydxprotocol/v4-client-js/build/cjs/src/clients/modules/composer.js',
  );
  const { makeSignBytes } = await load('@cosmjs/proto-signing');
  const wallet = await LocalWallet.fromPrivateKey(KEYS.ethereumKey, 'dydx');
  const { address, offlineSigner } = wallet;
  const composer = new Composer();
  const [quantums, subticks, block] = [Long.fromNumber(10_000_000), Long.fromNumber(40_000_000_000), 25_000_000];
  const fee = { amount: [], gas: '1000000' };
  const sign = (message, memo, authenticators) => () => {
    const options = { accountNumber: 12, sequence: 5, chainId, authenticators };
    return takeDocument(offlineSigner, makeSignBytes, () => wallet.signTransaction([message], options, fee, memo));
  };
  const placed = [0, 123_456_789, 1, 0, block, 0, 1, quantums, subticks, 1, false, 0];
  const order = composer.composeMsgPlaceOrder(address, ...placed);
  await recordAll(
    { preset, source: '@dydxprotocol/v4-client-js' },
    {
      order: sign(order),
      'order by authenticator': sign(order, undefined, [Long.fromNumber(7)]),
      cancel: sign(composer.composeMsgCancelOrder(address, 0, 123_456_789, 1, 0, block, 0)),
      withdrawal: sign(composer.composeMsgWithdrawFromSubaccount(address, 0, 0, quantums), 'memo 币 ü'),
    },
  );
}

/** What the client's signer signs, and its signature. */
async function takeDocument(offlineSigner, makeSignBytes, call) {
  const { signDirect } = Object.getPrototypeOf(offlineSigner);
  let request;
  offlineSigner.signDirect = async (...parts) => {
    const response = await signDirect.apply(offlineSigner, parts);
    request = toTransaction(makeSignBytes(response.signed), response.signature.signature);
    return response;
  };
  await call();
  return request;
}

function toTransaction(document, signature) {
  addSigned(document);
  return toRequest({ signDoc: Buffer.from(document).toString('base64'), signature });
}
