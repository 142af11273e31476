/** Transactions of the Cosmos SDK: cosmjs, and dYdX's own client. */
import { addSigned, addUnsent, KEYS, load, loadCommonJs, recordAll } from './isolated-requests.mjs';

export async function recordCosmosClients() {
  await recordCosmosHub();
  await recordDydx('dydx', 'dydx-mainnet-1', 'https://dydx-ops-rest.kingnodes.com');
  await recordDydx('dydx-testnet', 'dydx-testnet-4', 'https://test-dydx-rest.kingnodes.com');
}

async function recordCosmosHub() {
  const cosmjs = await load('@cosmjs/proto-signing');
  const { encodeSecp256k1Pubkey } = await load('@cosmjs/amino');
  const { MsgSend } = await load('cosmjs-types/cosmos/bank/v1beta1/tx');
  const { TxRaw } = await load('cosmjs-types/cosmos/tx/v1beta1/tx');
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
    const bytes = Buffer.from(signature.signature, 'base64');
    const raw = TxRaw.fromPartial({
      bodyBytes: signed.bodyBytes,
      authInfoBytes: signed.authInfoBytes,
      signatures: [bytes],
    });
    return toBroadcast(
      'https://cosmos-rest.publicnode.com',
      cosmjs.makeSignBytes(signed),
      signature.signature,
      TxRaw.encode(raw).finish(),
    );
  };
  await recordAll(
    { preset: 'cosmos-hub', source: '@cosmjs/proto-signing' },
    { transfer: sign([send], ''), 'batch, non-ASCII': sign([send, send], '币安人生 ü') },
  );
}

async function recordDydx(preset, chainId, node) {
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
    return takeDocument(offlineSigner, node, makeSignBytes, () =>
      wallet.signTransaction([message], options, fee, memo),
    );
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

/** What the client's signer signs, its signature, and the transaction that the client sends. */
async function takeDocument(offlineSigner, node, makeSignBytes, call) {
  const { signDirect } = Object.getPrototypeOf(offlineSigner);
  let signed;
  offlineSigner.signDirect = async (...parts) => {
    signed = await signDirect.apply(offlineSigner, parts);
    return signed;
  };
  const transaction = await call();
  return toBroadcast(node, makeSignBytes(signed.signed), signed.signature.signature, transaction);
}

/** The request of a node's REST API; these clients send to its RPC. */
function toBroadcast(node, document, signature, transaction) {
  addSigned(document);
  addUnsent({ signDoc: Buffer.from(document).toString('base64') });
  const body = JSON.stringify({ tx_bytes: Buffer.from(transaction).toString('base64'), mode: 'BROADCAST_MODE_SYNC' });
  return { method: 'POST', url: `${node}/cosmos/tx/v1beta1/txs`, headers: {}, body, signature };
}
