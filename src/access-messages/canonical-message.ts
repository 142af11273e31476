import { Buffer } from 'node:buffer';
import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';

/** Fields that the message does not have are not kept, so that encoding again leaves them out. */
const READING = { readUnknownFields: false } as const;

/**
 * A message in its one canonical encoding; null for any other bytes. Canonical: known fields alone, each once, in the order of their numbers, with the shortest length prefixes, and none that has its default value. That is what
 * protobuf libraries write, but none of them asks for it when it reads: then the same message would have many encodings, of which a signature covers one.
 */
export function decodeCanonical<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array): MessageShape<Desc> | null {
  try {
    const message = fromBinary(schema, bytes, READING);
    return Buffer.from(bytes).equals(toBinary(schema, message)) ? message : null;
  } catch {
    // The library throws for what is no message at all.
    return null;
  }
}
