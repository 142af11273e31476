import type { CosmosSignDoc, SignedContent, SignedValue } from '../../model/payload.ts';
import { encodeBase64 } from '../../model/text/byte-encodings.ts';
import { decodeProtobuf, type ProtobufMessage, type ProtobufValue } from '../protobuf.ts';
import { AUTH_INFO, TX_BODY } from '../sign-doc.ts';
import { COSMOS_MESSAGES } from './cosmos-messages.ts';
import { MAX_SIGNED_VALUES, toSignedInteger } from './signed-value.ts';

/**
 * The signed fields of a Cosmos transaction: numbers as integers, bytes as base64, names in
 * lowerCamelCase. A message has `typeUrl` and `value`: its fields if {@link COSMOS_MESSAGES} has
 * its type and its bytes are canonical, otherwise base64. `sequence` only where one account signs.
 * Nothing for transactions of more than 4096 values.
 */
export function readSignDocFields({ chainId, accountNumber, bodyBytes, authInfoBytes }: CosmosSignDoc): SignedContent {
  const decoded = [decodeProtobuf(TX_BODY, bodyBytes), decodeProtobuf(AUTH_INFO, authInfoBytes)] as const;
  if (!decoded[0].ok || !decoded[1].ok) return {};
  const { messages, timeoutTimestamp: _, ...body } = decoded[0].value;
  const { signerInfos, fee = {} } = decoded[1].value;
  const values = new ValueReader();
  const read = (message: ProtobufMessage) =>
    Object.fromEntries(Object.entries(message).map(([name, value]) => [name, values.read(value)]));
  const content: SignedContent = {
    ...read({ chainId, accountNumber, ...body, fee }),
    messages: messages.map(({ typeUrl, value }) => {
      const schema = COSMOS_MESSAGES.get(typeUrl);
      const fields = schema && decodeProtobuf(schema, value);
      return values.read({ typeUrl, value: fields?.ok ? fields.value : value });
    }),
    signers: signerInfos.map(({ modeInfo: __, ...signer }) => values.read(signer)),
    ...(signerInfos.length === 1 ? read({ sequence: signerInfos[0]?.sequence }) : {}),
  };
  return values.isTooLarge ? {} : content;
}

/** Converts values and counts them. */
class ValueReader {
  #count = 0;

  get isTooLarge(): boolean {
    return this.#count > MAX_SIGNED_VALUES;
  }

  read(value: ProtobufValue | undefined): SignedValue {
    this.#count += 1;
    if (this.isTooLarge || value === undefined) return null;
    if (typeof value === 'bigint') return toSignedInteger(value);
    if (value instanceof Uint8Array) return encodeBase64(value);
    if (Array.isArray(value)) return value.map((item) => this.read(item));
    if (typeof value !== 'object') return value as string | boolean;
    return new Map(Object.entries(value).map(([name, field]) => [name, this.read(field)]));
  }
}
