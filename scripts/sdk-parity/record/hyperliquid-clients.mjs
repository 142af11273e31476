import { createRequire } from 'node:module';
import { record } from './isolated-requests.mjs';
import { KEYS, NON_ASCII } from './requests.mjs';

/** By name: no dependencies of this repository. */
const load = (name) => import(name);
const loadCommonJs = createRequire(import.meta.url);

/** Hyperliquid: signing functions of the clients, which send nothing. */
export async function recordHyperliquidClients() {
  const nktkas = await load('@nktkas/hyperliquid/signing');
  const { signL1Action, signUserSignedAction } = loadCommonJs('hyperliquid');
  const { Wallet } = loadCommonJs('ethers');
  const wallet = new Wallet(`0x${KEYS.ethereumKey}`);
  const nonce = 1_700_000_000_000;
  const order = { a: 3, b: true, p: '1670.1', s: '0.0147', r: false, t: { limit: { tif: 'Ioc' } } };
  const vault = '0x1719884eb866cb12b2287399b15f7db5e7d775ea';
  const toRequest = (message) => ({
    method: 'POST',
    url: 'https://unsent.invalid/',
    headers: {},
    body: JSON.stringify(message),
  });
  const actions = {
    order: { type: 'order', orders: [order], grouping: 'na' },
    cancel: { type: 'cancel', cancels: [{ a: 3, o: 82382 }] },
    batch: { type: 'order', orders: [order, { ...order, c: `0x${'0'.repeat(31)}1` }], grouping: 'na' },
    'non-ASCII': { type: 'createSubAccount', name: NON_ASCII },
  };
  for (const [kind, action] of Object.entries(actions)) {
    for (const isTestnet of [false, true]) {
      const preset = isTestnet ? 'hyperliquid-testnet' : 'hyperliquid';
      for (const vaultAddress of kind === 'cancel' ? [undefined, vault] : [undefined]) {
        const named = vaultAddress === undefined ? kind : 'vault';
        const own = vaultAddress === undefined ? {} : { vaultAddress };
        await record({ preset, kind: named, source: 'hyperliquid' }, async () =>
          toRequest({
            action,
            nonce,
            ...own,
            signature: await signL1Action(wallet, action, vaultAddress ?? null, nonce, !isTestnet),
          }),
        );
        await record({ preset, kind: named, source: '@nktkas/hyperliquid' }, async () =>
          toRequest({
            action,
            nonce,
            ...own,
            signature: await nktkas.signL1Action({ wallet, action, nonce, isTestnet, ...own }),
          }),
        );
      }
    }
  }
  const message = { hyperliquidChain: 'Mainnet', destination: `0x${'22'.repeat(20)}`, amount: '1', time: nonce };
  const members = ['hyperliquidChain', 'destination', 'amount', 'time'];
  const types = members.map((name) => ({ name, type: name === 'time' ? 'uint64' : 'string' }));
  for (const [kind, type] of [
    ['transfer', 'UsdSend'],
    ['withdrawal', 'Withdraw'],
  ]) {
    // It signs for the chain 42161 on mainnet.
    const action = { ...message, type, signatureChainId: '0xa4b1' };
    const primaryType = `HyperliquidTransaction:${type}`;
    await record({ preset: 'hyperliquid-user', kind, source: 'hyperliquid' }, async () =>
      toRequest({ action, nonce, signature: await signUserSignedAction(wallet, message, types, primaryType, true) }),
    );
    await record({ preset: 'hyperliquid-user', kind, source: '@nktkas/hyperliquid' }, async () =>
      toRequest({
        action,
        nonce,
        signature: await nktkas.signUserSignedAction({ wallet, action, types: { [primaryType]: types } }),
      }),
    );
  }
  await recordMultiSig(nktkas, wallet, { nonce, vault, toRequest });
}

/** Of a multi-sig user with one authorized user, which is also the outer signer. */
async function recordMultiSig(nktkas, wallet, { nonce, vault, toRequest }) {
  const users = { multiSigUser: `0x${'33'.repeat(20)}`, signatureChainId: '0xa4b1' };
  const source = '@nktkas/hyperliquid';
  const action = { type: 'cancel', cancels: [{ a: 3, o: 82382 }] };
  const own = { vaultAddress: vault, expiresAfter: nonce + 60_000 };
  for (const isTestnet of [false, true]) {
    const preset = isTestnet ? 'hyperliquid-testnet' : 'hyperliquid';
    const request = { signers: [wallet], ...users, action, nonce, isTestnet, ...own };
    const { action: envelope, signature } = await nktkas.signMultiSigL1(request);
    const { multiSigUser, outerSigner } = envelope.payload;
    const inner = { action, nonce, ...own, multiSigUser, outerSigner, signature: envelope.signatures[0] };
    await record({ preset, kind: 'multi-sig', source }, async () => toRequest(inner));
    const outer = { action: envelope, nonce, ...own, signature };
    await record({ preset, rule: 'multi-sig', kind: 'multi-sig envelope', source }, async () => toRequest(outer));
  }
  const message = { hyperliquidChain: 'Mainnet', destination: `0x${'22'.repeat(20)}`, amount: '1', time: nonce };
  const members = ['hyperliquidChain', 'destination', 'amount', 'time'];
  const sent = await nktkas.signMultiSigUserSigned({
    signers: [wallet],
    multiSigUser: users.multiSigUser,
    action: { ...message, type: 'usdSend', signatureChainId: users.signatureChainId },
    types: {
      'HyperliquidTransaction:UsdSend': members.map((name) => ({ name, type: name === 'time' ? 'uint64' : 'string' })),
    },
  });
  const { multiSigUser: payloadMultiSigUser, outerSigner } = sent.action.payload;
  const signed = { ...message, payloadMultiSigUser, outerSigner, type: 'UsdSend', signatureChainId: '0xa4b1' };
  await record({ preset: 'hyperliquid-user', kind: 'multi-sig', source }, async () =>
    toRequest({ action: signed, nonce, signature: sent.action.signatures[0] }),
  );
  await record({ preset: 'hyperliquid', rule: 'multi-sig', kind: 'multi-sig transfer envelope', source }, async () =>
    toRequest({ action: sent.action, nonce, signature: sent.signature }),
  );
}
