import { z } from 'zod';
import type { JsonObject } from '../../model/json.ts';
import type { HyperliquidMultiSig } from '../../model/payload.ts';
import { HYPERLIQUID_FIELDS, hashAction, readSentAction } from '../hyperliquid-action.ts';
import { MULTI_SIG_TYPE, USER_SIGNED_DOMAIN } from '../hyperliquid-agent.ts';
import { findActionIssue } from '../hyperliquid-forms.ts';
import { fieldMessage, invalid, refuseIf } from '../payload-outcome.ts';
import type { RuleModule } from '../rule-module.ts';
import { encodeTypedData } from '../typed-data/eip712.ts';

const TYPES = {
  [MULTI_SIG_TYPE]: [
    { name: 'hyperliquidChain', type: 'string' },
    { name: 'multiSigActionHash', type: 'bytes32' },
    { name: 'nonce', type: 'uint64' },
  ],
};
const CHAINS = { mainnet: 'Mainnet', testnet: 'Testnet' } as const;

/** A `multiSig` action. */
interface Envelope {
  readonly type: 'multiSig';
  readonly signatureChainId: string;
  readonly signatures: readonly JsonObject[];
  readonly payload: HyperliquidMultiSig & { readonly action: JsonObject };
}

function readEnvelope(action: JsonObject): Envelope {
  const { type, signatures } = action;
  if (type !== 'multiSig') return invalid('data.action.type', fieldMessage(type, 'must be multiSig'));
  refuseIf(findActionIssue(['action'], action));
  if (Array.isArray(signatures) && signatures.length > 0) return action as unknown as Envelope;
  return invalid('data.action.signatures', 'must be an array with at least one signature');
}

const schema = z.strictObject({
  rule: z.literal('hyperliquid-multi-sig'),
  network: z.enum(['mainnet', 'testnet']).default('mainnet').describe('Default: mainnet.'),
});

/**
 * Rule `hyperliquid-multi-sig`: the outer signature of a `multiSig` action, which sends an action
 * with the signatures of authorized users. EIP-712 typed data `HyperliquidTransaction:SendMultiSig`
 * over the hash of the action without its `type`, 66 bytes; the domain's chainId is
 * `signatureChainId`. Source: hyperliquid-python-sdk, hyperliquid/utils/signing.py,
 * `sign_multi_sig_action`.
 */
export const hyperliquidMultiSig: RuleModule<typeof schema> = {
  schema,
  algorithms: ['eip712'],
  build: (data, rule, context) => {
    const read = readSentAction(data);
    const envelope = readEnvelope(read.action);
    const { type: _, ...hashed } = read.action;
    const { signatureChainId, payload } = envelope;
    const { action, ...multiSig } = payload;
    const message = {
      hyperliquidChain: CHAINS[rule.network],
      multiSigActionHash: hashAction(hashed, read, context),
      nonce: read.nonce,
    };
    const domain = { ...USER_SIGNED_DOMAIN, chainId: signatureChainId };
    const request = { ...read, action, multiSig };
    const typedData = { domain, types: TYPES, primaryType: MULTI_SIG_TYPE, message };
    return encodeTypedData(typedData, context, { kind: 'hyperliquid', request });
  },
  ...HYPERLIQUID_FIELDS,
};
