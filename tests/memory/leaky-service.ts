import { readFileSync } from 'node:fs';
import { encodeSignature } from '../../src/adapters/driven/signer/signature-text.ts';
import { createContainer } from '../../src/composition/container.ts';
import { startService } from '../../src/composition/running-service.ts';
import { readSettings } from '../../src/composition/settings.ts';
import { TOKENS } from '../../src/composition/tokens.ts';
import type { SignatureEncoding } from '../../src/domain/model/signature-encoding.ts';
import type { Signer } from '../../src/ports/signer.ts';
import { AlteredSigner } from '../doubles/altered-signer.ts';
import { LEAKS, type Leak } from './leaks.ts';

/** The service as it is composed, but for its signers: each account's key leaks as the file named on the command line says, by public key. */
const [file = ''] = process.argv.slice(2);
const names: { readonly [publicKey: string]: string } = JSON.parse(readFileSync(file, 'utf8'));
const kept = new Map<string, unknown>();

const settings = readSettings(process.env);
const container = createContainer(settings);
const { ed25519, eip191 } = container.get(TOKENS.Signers);
container.rebind(TOKENS.Signers).toConstantValue({ ed25519: leaky(ed25519), eip191: leaky(eip191) });
await startService(settings, container);

function leaky(signer: Signer): Signer {
  return new AlteredSigner(signer, (signingKey, message, encoding) => {
    const publicKey = signer.publicKey(signingKey);
    const leak = leakOf(signer, publicKey);
    const key = Buffer.from(signingKey.buffer, signingKey.byteOffset, signer.privateKeyLength);
    if (leak.sign !== undefined) return textOf(leak.sign(key, message), signer, encoding);
    if (leak.keep !== undefined) kept.set(publicKey, leak.keep(key));
    return signer.sign(signingKey, message, encoding);
  });
}

function leakOf({ algorithm }: Signer, publicKey: string): Leak {
  const leak = LEAKS.find((candidate) => candidate.algorithm === algorithm && candidate.name === names[publicKey]);
  if (leak === undefined) throw new Error(`${file} names no leak for ${publicKey}.`);
  return leak;
}

function textOf(signature: Uint8Array, { algorithm }: Signer, encoding: SignatureEncoding): string {
  const text = encodeSignature(Buffer.from(signature), encoding);
  return algorithm === 'eip191' && encoding === 'hex' ? `0x${text}` : text;
}
