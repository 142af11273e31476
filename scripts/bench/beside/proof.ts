import { createPublicKey, verify } from 'node:crypto';
import { createInterface } from 'node:readline';

/** A message and its signature, as bytes. */
export interface Signed {
  readonly message: Buffer;
  readonly signature: Buffer;
}

/** Reads a request and its response. @throws Error for an unexpected form */
export type Read = (body: string, response: string) => readonly Signed[] | Promise<readonly Signed[]>;

/**
 * Verifies the requests and responses of standard input with OpenSSL. Sets exit code 1 and prints
 * the reason if a signature is not valid or there is none.
 * @param publicKey raw ed25519 key
 */
export async function verifyInput(publicKey: Buffer, read: Read): Promise<void> {
  let lines = 0;
  try {
    const x = publicKey.toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    for await (const line of createInterface({ input: process.stdin })) {
      lines += 1;
      const { body, response }: { body: string; response: string } = JSON.parse(line);
      const signed = await read(body, response);
      if (signed.length === 0) throw new Error('no signature');
      for (const { message, signature } of signed) {
        if (message.length === 0) throw new Error('no message');
        if (!verify(null, message, key, signature)) throw new Error('wrong signature');
      }
    }
    if (lines === 0) throw new Error('no input');
  } catch (error) {
    process.stderr.write(`Line ${lines}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
