import type { JsonObject } from './json.ts';

/** One member of a struct type: `{ name: 'to', type: 'address' }`. */
export interface TypedDataField {
  readonly name: string;
  readonly type: string;
}

/** Struct types by name, without `EIP712Domain`, which the domain's own members decide. */
export type TypedDataTypes = { readonly [name: string]: readonly TypedDataField[] };

/** Typed data of EIP-712, in the JSON form of `eth_signTypedData_v4`. */
export interface TypedData {
  /** Any of name, version, chainId, verifyingContract and salt. */
  readonly domain: JsonObject;
  readonly types: TypedDataTypes;
  readonly primaryType: string;
  readonly message: JsonObject;
}
