/**
 * The core's only globals beyond ECMAScript: the WHATWG Encoding Standard's, which
 * every runtime has. Declared here so that the core compiles with `"types": []`.
 */
interface TextEncoder {
  encode(input: string): Uint8Array;
  /** Writes as many whole characters as `bytes` has room for. */
  encodeInto(text: string, bytes: Uint8Array): { readonly read: number; readonly written: number };
}
declare const TextEncoder: { new (): TextEncoder };

/** TextDecoder of the same standard. */
interface TextDecoder {
  /** @throws TypeError for bytes that are not UTF-8, if it is fatal */
  decode(bytes: Uint8Array): string;
}
declare const TextDecoder: {
  new (label: 'utf-8', options: { readonly fatal: boolean; readonly ignoreBOM: boolean }): TextDecoder;
};
