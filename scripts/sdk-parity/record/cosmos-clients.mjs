import { createRequire } from 'node:module';
import { addSigned, recordAll } from './isolated-requests.mjs';
import { KEYS } from './requests.mjs';

/** By name: no dependencies of this repository. */
const load = (name) => import(name);
const loadCommonJs = createRequire(import.meta.url);

const FEE = { amount: [], gas: '1000000' };

/** dYdX's own client, and cosmjs. */
export async function recordCosmosClients() {
  await recordCosmosHub();
  await recordDydx('dydx', 'dydx-mainnet-1');
  await recordDydx('dydx-testnet', 'dydx-testnet-4');
}

async function recordCosmosHub() {
  const cosmjs = await load('@cosmjs/proto-signing');
  const { MsgSend } = await load('cosmjs-types/cosmos/bank/v1beta1/tx');
  const { MsgDelegate } = await load('cosmjs-types/cosmos/staking/v1beta1/tx');
  const wallet = await cosmjs.DirectSecp256k1Wallet.fromKey(Buffer.from(KEYS.ethereumKey, 'hex'), 'cosmos');
  const [{ address, pubkey }] = await wallet.getAccounts();
  const registry = new cosmjs.Registry([
    ['/cosmos.bank.v1beta1.MsgSend', MsgSend],
    ['/cosmos.staking.v1beta1.MsgDelegate', MsgDelegate],
  ]);
  const { encodeSecp256k1Pubkey } = await load('@cosmjs/amino');
  const amount = { denom: 'uatom', amount: '1234567' };
  const send = {
    typeUrl: '/cosmos.bank.v1beta1.MsgSend',
    value: { fromAddress: address, toAddress: 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu', amount: [amount] },
  };
  const delegate = {
    typeUrl: '/cosmos.staking.v1beta1.MsgDelegate',
    value: { delegatorAddress: address, validatorAddress: 'cosmosvaloper1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5', amount },
  };
  const sign =
    (messages, { memo = '', timeoutHeight } = {}) =>
    async () => {
      const body = { messages, memo, ...(timeoutHeight && { timeoutHeight }) };
      const bodyBytes = registry.encodeTxBody(body);
      const publicKey = cosmjs.encodePubkey(encodeSecp256k1Pubkey(pubkey));
      const fee = [{ denom: 'uatom', amount: '2000' }];
      const authInfoBytes = cosmjs.makeAuthInfoBytes(
        [{ pubkey: publicKey, sequence: 19 }],
        fee,
        200_000,
        undefined,
        undefined,
      );
      const document = cosmjs.makeSignDoc(bodyBytes, authInfoBytes, 'cosmoshub-4', 1);
      const { signed, signature } = await wallet.signDirect(address, document);
      return toRequest(cosmjs.makeSignBytes(signed), signature.signature);
    };
  await recordAll(
    { preset: 'cosmos-hub', source: '@cosmjs/proto-signing' },
    {
      transfer: sign([send]),
      batch: sign([send, delegate]),
      delegation: sign([delegate], { timeoutHeight: 25_000_000n }),
      'non-ASCII': sign([send], { memo: '币安人生 ü' }),
    },
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
  const [quantums, subticks] = [Long.fromNumber(10_000_000), Long.fromNumber(40_000_000_000)];
  const block = 25_000_000;
  const until = 1_700_000_000 + 3600;
  const sign = (message, { memo, authenticators } = {}) => {
    const options = { accountNumber: 12, sequence: 5, chainId, authenticators };
    return () =>
      takeDocument(offlineSigner, makeSignBytes, () => wallet.signTransaction([message], options, FEE, memo));
  };
  const order = composer.composeMsgPlaceOrder(
    address,
    0,
    123_456_789,
    1,
    0,
    block,
    0,
    1,
    quantums,
    subticks,
    1,
    false,
    0,
  );
  await recordAll(
    { preset, source: '@dydxprotocol/v4-client-js' },
    {
      order: sign(order),
      'order by authenticator': sign(order, { authenticators: [Long.fromNumber(7)] }),
      'long-term order': sign(
        composer.composeMsgPlaceOrder(address, 0, 7, 1, 64, 0, until, 2, quantums, subticks, 2, true, 0),
      ),
      'conditional order': sign(
        composer.composeMsgPlaceOrder(address, 127, 7, 1, 32, 0, until, 2, quantums, subticks, 0, true, 1, 1, subticks),
      ),
      cancel: sign(composer.composeMsgCancelOrder(address, 0, 123_456_789, 1, 0, block, 0)),
      'batch cancel': sign(
        composer.composeMsgBatchCancelShortTermOrders(address, 0, [{ clobPairId: 1, clientIds: [1, 2] }], block),
      ),
      transfer: sign(composer.composeMsgTransfer(address, 0, address, 1, 0, quantums)),
      withdrawal: sign(composer.composeMsgWithdrawFromSubaccount(address, 0, 0, quantums), { memo: 'memo 币 ü' }),
    },
  );
}

/** What the client's signer signs, and its signature. */
async function takeDocument(offlineSigner, makeSignBytes, call) {
  const { signDirect } = Object.getPrototypeOf(offlineSigner);
  let request;
  offlineSigner.signDirect = async (...parts) => {
    const response = await signDirect.apply(offlineSigner, parts);
    request = toRequest(makeSignBytes(response.signed), response.signature.signature);
    return response;
  };
  await call();
  return request;
}

/** `signed` of the record are the bytes of the document. */
function toRequest(document, signature) {
  addSigned(document);
  const body = JSON.stringify({ signDoc: Buffer.from(document).toString('base64'), signature });
  return { method: 'POST', url: 'https://unsent.invalid/', headers: {}, body };
}
