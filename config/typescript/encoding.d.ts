/**
 * The core's only global beyond ECMAScript: TextEncoder of the WHATWG Encoding Standard, which
 * every runtime has. Declared here so that the core compiles with `"types": []`.
 */
interface TextEncoder {
  encode(input: string): Uint8Array;
  /** Writes as many whole characters as `bytes` has room for. */
  encodeInto(text: string, bytes: Uint8Array): { readonly read: number; readonly written: number };
}
declare const TextEncoder: { new (): TextEncoder };
