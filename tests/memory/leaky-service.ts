import { readFileSync } from 'node:fs';
import { encodeSignature } from '../../src/adapters/signing/signature-text.ts';
import { AdapterSet } from '../../src/app/adapters.ts';
import { startService } from '../../src/app/lifecycle.ts';
import { loadSigners } from '../../src/app/load-signer.ts';
import { readSettings } from '../../src/app/settings/settings.ts';
import type { Signer } from '../../src/ports/signer.ts';
import { alteredSigner } from '../doubles/altered-signer.ts';
import { LEAKS, type Leak } from './leaks.ts';

/** The service with leaking signers, configured by a file, by public key. */
const [file = ''] = process.argv.slice(2);
const names: { readonly [publicKey: string]: string } = JSON.parse(readFileSync(file, 'utf8'));
/** An ed25519 signing key continues with the public key. */
const KEY_BYTES = 32;
const kept = new Map<string, unknown>();

const settings = readSettings(process.env);
const signers = Object.entries(await loadSigners()).map(([algorithm, signer]) => [algorithm, leaky(signer)]);
await startService(settings, new AdapterSet(settings, { signers: Object.fromEntries(signers) }));

function leaky(signer: Signer): Signer {
  return alteredSigner(signer, {
    sign: (signingKey, message, encoding) => {
      const publicKey = signer.publicKey(signingKey);
      const leak = leakOf(signer, publicKey);
      const length = signer.algorithm === 'rsa-sha256' ? signingKey.length : KEY_BYTES;
      const key = Buffer.from(signingKey.buffer, signingKey.byteOffset, length);
      if (leak.sign !== undefined) return encodeSignature(Buffer.from(leak.sign(key, message)), encoding);
      if (leak.keep !== undefined) kept.set(publicKey, leak.keep(key));
      return signer.sign(signingKey, message, encoding);
    },
  });
}

function leakOf({ algorithm }: Signer, publicKey: string): Leak {
  const leak = LEAKS.find((candidate) => candidate.algorithm === algorithm && candidate.name === names[publicKey]);
  if (leak === undefined) throw new Error(`${file} names no leak for ${publicKey}.`);
  return leak;
}
