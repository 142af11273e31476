/** What a {@link makeSignDoc} has; every field has a default. */
export interface SignDocSample {
  readonly typeUrl?: string;
  readonly value?: Uint8Array;
  readonly memo?: string;
  readonly chainId?: string;
  readonly sequence?: number;
  readonly accountNumber?: number;
  /** Of the cosmos.tx.v1beta1.Fee: one Coin, and who pays. */
  readonly fee?: { readonly amount?: Uint8Array; readonly payer?: string; readonly granter?: string };
}

/** SIGN_MODE_DIRECT (cosmos/tx/signing/v1beta1/signing.proto). */
const DIRECT = Buffer.of(8, 1);

/** The canonical bytes of a SignDoc with one message, by the wire format alone. */
export function makeSignDoc({
  typeUrl = '/cosmos.bank.v1beta1.MsgSend',
  value = Buffer.alloc(0),
  memo = '',
  chainId = 'simd-testing',
  sequence = 1,
  accountNumber = 1,
  fee: { amount = Buffer.alloc(0), payer = '', granter = '' } = {},
}: SignDocSample = {}): Buffer {
  const message = Buffer.concat([bytesField(1, Buffer.from(typeUrl)), bytesField(2, value)]);
  const body = Buffer.concat([bytesField(1, message), bytesField(2, Buffer.from(memo))]);
  const modeInfo = bytesField(1, DIRECT);
  const signer = Buffer.concat([bytesField(2, modeInfo), numberField(3, sequence)]);
  const payers = [bytesField(3, Buffer.from(payer)), bytesField(4, Buffer.from(granter))];
  const fee = Buffer.concat([bytesField(1, amount), numberField(2, 200_000), ...payers]);
  const authInfo = Buffer.concat([bytesField(1, signer), bytesField(2, fee)]);
  return Buffer.concat([
    bytesField(1, body),
    bytesField(2, authInfo),
    bytesField(3, Buffer.from(chainId)),
    numberField(4, accountNumber),
  ]);
}

/** A length-delimited field; empty values are the default and absent. */
export function bytesField(number: number, value: Uint8Array): Buffer {
  if (value.length === 0) return Buffer.alloc(0);
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value]);
}

/** A varint field; 0 is the default and absent. */
export function numberField(number: number, value: number): Buffer {
  return value === 0 ? Buffer.alloc(0) : Buffer.concat([varint(number * 8), varint(value)]);
}

/** Little-endian groups of seven bits (protobuf.dev, "Base 128 Varints"). */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.of(...bytes, rest);
}
