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
}
