import { z } from 'zod';
import { type JsonObject, ownMember } from '../../model/json.ts';
import type { HyperliquidMultiSig } from '../../model/payload.ts';
import { HYPERLIQUID_FIELDS, hashAction, isAddress, readSentAction } from '../hyperliquid-action.ts';
import { AGENT_TYPES, EXCHANGE_DOMAIN } from '../hyperliquid-agent.ts';
import { findActionIssue } from '../hyperliquid-forms.ts';
import { invalid, refuseIf } from '../payload-outcome.ts';
import type { RuleModule } from '../rule-module.ts';
import { encodeTypedData } from '../typed-data/eip712.ts';

const MULTI_SIG_MEMBERS = ['multiSigUser', 'outerSigner'] as const;

/**
 * Reads `multiSigUser` and `outerSigner`, in lowercase; null if both are absent or null. One alone
 * is rejected: without the other, the signature would be for the signer's own account.
 */
function readMultiSig(data: JsonObject): HyperliquidMultiSig | null {
  const values = MULTI_SIG_MEMBERS.map((name) => ownMember(data, name) ?? null);
  const [multiSigUser, outerSigner] = values;
  if (multiSigUser === null && outerSigner === null) return null;
  if (isAddress(multiSigUser) && isAddress(outerSigner)) {
    return { multiSigUser: multiSigUser.toLowerCase(), outerSigner: outerSigner.toLowerCase() };
  }
  const wrong = MULTI_SIG_MEMBERS[isAddress(multiSigUser) ? 1 : 0];
  return invalid(
    `data.${wrong}`,
    `must be an address, 0x and 40 hex digits; ${MULTI_SIG_MEMBERS.join(' and ')} go together`,
  );
}

const SOURCES = { mainnet: 'a', testnet: 'b' } as const;

const schema = z.strictObject({
  rule: z.literal('hyperliquid-l1'),
  network: z.enum(['mainnet', 'testnet']).default('mainnet').describe('Default: mainnet.'),
});

/**
 * Rule `hyperliquid-l1`: the hash of the action is the connectionId of a phantom agent, encoded as
 * EIP-712 typed data of the domain Exchange / 1 / 1337, 66 bytes. With `multiSigUser` and
 * `outerSigner` the hash is of `[multiSigUser, outerSigner, action]`: what each authorized user of
 * a multi-sig user signs. MessagePack begins an array (0x93) and an object (0x8n, 0xde, 0xdf)
 * differently, so neither form passes for the other. Actions that the venue cannot accept are
 * rejected: see `findActionIssue`. Source: hyperliquid-python-sdk,
 * hyperliquid/utils/signing.py, `l1_payload` and `sign_multi_sig_l1_action_payload`.
 *
 * @see hashAction
 */
export const hyperliquidL1: RuleModule<typeof schema> = {
  schema,
  algorithms: ['hyperliquid-l1'],
  build: (data, rule, context) => {
    const read = readSentAction(data, MULTI_SIG_MEMBERS);
    const { action } = read;
    if (ownMember(action, 'type') === 'multiSig') {
      return invalid('data.action.type', 'must not be multiSig, which rule hyperliquid-multi-sig signs');
    }
    if (typeof action['type'] !== 'string' || Object.keys(action)[0] !== 'type') {
      return invalid('data.action', 'must have type, a string, as its first member: the venue hashes it first');
    }
    refuseIf(findActionIssue(['action'], action));
    const multiSig = readMultiSig(data);
    const content = multiSig === null ? action : [multiSig.multiSigUser, multiSig.outerSigner, action];
    const message = { source: SOURCES[rule.network], connectionId: hashAction(content, read, context) };
    const agent = { domain: EXCHANGE_DOMAIN, types: AGENT_TYPES, primaryType: 'Agent', message };
    const request = { ...read, multiSig };
    return encodeTypedData(agent, context, { kind: 'hyperliquid', request });
  },
  findSendIssue: ({ content }) =>
    content?.kind === 'hyperliquid' && content.request.multiSig !== null
      ? {
          path: 'data.multiSigUser',
          message: 'must be absent: the signature belongs into an envelope, not to a request',
        }
      : undefined,
  ...HYPERLIQUID_FIELDS,
};
