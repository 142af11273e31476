/**
 * The one global that the core may use beside ECMAScript itself: TextEncoder of the WHATWG Encoding Standard,
 * present in every runtime. It is declared here so that the core still compiles with `"types": []`.
 */
interface TextEncoder {
  encode(input: string): Uint8Array;
}
declare const TextEncoder: { new (): TextEncoder };
