import type { CosmosSignDoc, ProtobufMessage, ProtobufValue } from '../model/payload.ts';
import type { SignedContent, SignedValue } from '../model/signed-content.ts';
import { encodeBase64 } from '../model/text/byte-encodings.ts';
import { ProtobufError, readProtobuf } from '../payload/protobuf-reader.ts';
import { listMessages } from '../payload/sign-doc.ts';
import { COSMOS_MESSAGES } from './cosmos-messages.ts';
import { MAX_SIGNED_VALUES, toSignedInteger } from './signed-value.ts';

/**
 * The signed fields of a Cosmos transaction: numbers as integers, bytes as base64, names in
 * lowerCamelCase. A message has `typeUrl` and `value`: its fields if {@link COSMOS_MESSAGES} has
 * its type and its bytes are canonical, otherwise base64. `sequence` only where one account signs.
 * Nothing for transactions of more than 4096 values.
 */
export function readSignDocFields({ chainId, accountNumber, body, authInfo }: CosmosSignDoc): SignedContent {
  const values = new ValueReader();
  const signers = listMessages(authInfo.get('signerInfos'));
  const [signer] = signers;
  const content: SignedContent = {
    chainId,
    accountNumber: toSignedInteger(accountNumber),
    messages: listMessages(body.get('messages')).map((message) => values.readMessage(message)),
    memo: body.get('memo') as string,
    timeoutHeight: values.read(body.get('timeoutHeight') ?? 0n),
    unordered: body.get('unordered') as boolean,
    extensionOptions: values.read(body.get('extensionOptions') ?? []),
    nonCriticalExtensionOptions: values.read(body.get('nonCriticalExtensionOptions') ?? []),
    signers: signers.map((info) => values.read(withoutMode(info))),
    fee: values.read(authInfo.get('fee') ?? new Map()),
    ...(signers.length === 1 && signer !== undefined ? { sequence: values.read(signer.get('sequence') ?? 0n) } : {}),
  };
  return values.isTooLarge ? {} : content;
}

function withoutMode(signer: ProtobufMessage): ProtobufMessage {
  return new Map([...signer].filter(([name]) => name !== 'modeInfo'));
}

/** Converts values and counts them. */
class ValueReader {
  #count = 0;

  get isTooLarge(): boolean {
    return this.#count > MAX_SIGNED_VALUES;
  }

  read(value: ProtobufValue): SignedValue {
    this.#count += 1;
    if (this.isTooLarge) return null;
    if (typeof value === 'bigint') return toSignedInteger(value);
    if (value instanceof Uint8Array) return encodeBase64(value);
    if (Array.isArray(value)) return value.map((item) => this.read(item));
    if (value instanceof Map) return new Map([...value].map(([name, field]) => [name, this.read(field)]));
    return value as string | boolean;
  }

  readMessage(message: ProtobufMessage): SignedValue {
    const typeUrl = message.get('typeUrl') as string;
    const bytes = message.get('value') as Uint8Array;
    return new Map([
      ['typeUrl', typeUrl],
      ['value', this.read(decodeValue(typeUrl, bytes) ?? bytes)],
    ]);
  }
}

function decodeValue(typeUrl: string, bytes: Uint8Array): ProtobufMessage | undefined {
  const schema = COSMOS_MESSAGES.get(typeUrl);
  if (schema === undefined) return undefined;
  try {
    return readProtobuf(bytes, schema);
  } catch (error) {
    if (error instanceof ProtobufError) return undefined;
    throw error;
  }
}
