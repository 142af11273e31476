/**
 * The one global that the core may use beside ECMAScript itself: TextEncoder of the WHATWG Encoding Standard,
 * present in every runtime. It is declared here so that the core still compiles with `"types": []`.
 */
interface TextEncoder {
  encode(input: string): Uint8Array;
  /** Writes as many whole characters as `bytes` has room for. */
  encodeInto(text: string, bytes: Uint8Array): { readonly read: number; readonly written: number };
}
declare const TextEncoder: { new (): TextEncoder };
