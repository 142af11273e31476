import { z } from 'zod';
import { jsonPath, ownMember } from '../../model/json.ts';
import { decodeBase64, decodeHex, encodeHex } from '../../model/text/byte-encodings.ts';
import { fieldMessage, invalid } from '../payload-outcome.ts';
import { type RuleModule, readAs } from '../rule-module.ts';
import { CHAIN_ID_PATTERN, readSignDoc } from '../sign-doc.ts';
import { readSignDocFields } from '../signed/read-sign-doc.ts';
import { MAX_SIGNED_LENGTH } from '../signed/signed-value.ts';

const PATH = 'data.signDoc';

/** Begins every hex text of a SignDoc, and no base64 text: its first byte is 0x0a. */
const HEX_START = '0';

const chain = z.string().regex(CHAIN_ID_PATTERN, 'must be a chain ID: 1 to 50 printable ASCII characters, no spaces');

const schema = z.strictObject({
  rule: z.literal('cosmos-sign-doc'),
  chainId: z
    .union(
      [chain, z.array(chain).min(1, 'must list at least one chain ID').max(64, 'must list at most 64 chain IDs')],
      'must be a chain ID or a list of chain IDs',
    )
    .exactOptional()
    .describe('Only transactions of this chain, or of one of these chains, are signed. Default: any chain.'),
});

/**
 * Rule `cosmos-sign-doc`: the bytes of a cosmos.tx.v1beta1.SignDoc, as SIGN_MODE_DIRECT signs them.
 * `data` is `{signDoc}`, its canonical bytes as base64 (RFC 4648 §4, padded) or hex (either case,
 * with or without `0x`). Only SignDocs of the configured chains are signed. Amino JSON documents
 * (SIGN_MODE_LEGACY_AMINO_JSON, ADR 036) are not.
 *
 * @example the 279 bytes of `0a93010a9001…2001`, a MsgSend on the chain simd-testing, are signed
 *   as they are
 */
export const cosmosSignDoc: RuleModule<typeof schema> = {
  schema,
  algorithms: ['cosmos'],
  build: (data, rule) => {
    const unknown = Object.keys(data).find((name) => name !== 'signDoc');
    if (unknown !== undefined) return invalid(jsonPath('data', [unknown]), 'is not signed; the only field is signDoc');
    const text = ownMember(data, 'signDoc');
    const isHex = typeof text === 'string' && text.startsWith(HEX_START);
    const bytes = typeof text !== 'string' ? undefined : isHex ? decodeHex(text) : decodeBase64(text);
    if (typeof text !== 'string' || bytes === undefined) {
      return invalid(PATH, fieldMessage(text, 'must be the bytes of a SignDoc, in canonical base64 or in hex'));
    }
    const read = readSignDoc(bytes);
    if (!read.ok) {
      return invalid(PATH, `must be the canonical encoding of a cosmos.tx.v1beta1.SignDoc; ${read.refusal}`);
    }
    const { chainId } = rule;
    const allowed = chainId === undefined || typeof chainId === 'string' ? chainId : chainId.join(' or ');
    if (chainId !== undefined && ![chainId].flat().includes(read.value.chainId)) {
      return invalid(PATH, `must be for the chain ${allowed}`);
    }
    const payload = isHex
      ? { text: encodeHex(bytes), encoding: 'hex' as const }
      : { text, encoding: 'base64' as const };
    return { bytes, ...payload, parts: {}, content: { kind: 'cosmos', signDoc: read.value } };
  },
  findSendIssue: ({ content }) => {
    const signers = content?.kind === 'cosmos' ? readSignDocFields(content.signDoc)['signers'] : [];
    if (!Array.isArray(signers) || signers.length === 1) return undefined;
    return { path: PATH, message: 'must have one signer: the transaction needs the signatures of the others' };
  },
  ...readAs(
    {
      chainId: 'string',
      accountNumber: 'dyn',
      sequence: 'dyn',
      messages: 'list<dyn>',
      memo: 'string',
      timeoutHeight: 'dyn',
      unordered: 'dyn',
      fee: 'map<string, dyn>',
      signers: 'list<dyn>',
      extensionOptions: 'list<dyn>',
      nonCriticalExtensionOptions: 'list<dyn>',
    },
    ({ content, bytes }) =>
      content?.kind === 'cosmos' && bytes.length <= MAX_SIGNED_LENGTH ? readSignDocFields(content.signDoc) : {},
  ),
};
