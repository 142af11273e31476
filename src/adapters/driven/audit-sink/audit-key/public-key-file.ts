import { createPublicKey } from 'node:crypto';
import { OperatorError } from '../../../../domain/model/errors.ts';
import { isMissingFile, KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { createPublicFile, withSecretFile } from '../../../../secure-memory/secret-file.ts';
import { INIT_ADVICE } from './audit-key-file.ts';

/** Far more than the 113 of such a file. */
const MAX_FILE_BYTES = 1024;

/** Where the public half of the audit key in `keyFile` lies: beside it, with `.pub` behind its name. */
export function publicKeyFileOf(keyFile: string): string {
  return `${keyFile}.pub`;
}

/** An Ed25519 public key (32 bytes) as SubjectPublicKeyInfo in PEM (RFC 8410 §4, RFC 7468 §13), which every OpenSSL reads. */
export function publicKeyPem(publicKey: Buffer): string {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: publicKey.toString('base64url') };
  return String(createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' }));
}

/**
 * Whether the file with the public half is there. It is read as a key file is, so that nothing waits for a pipe.
 * @throws OperatorError when it holds anything but this public key
 */
export function hasPublicKeyFile(keyFile: string, publicKey: Buffer): boolean {
  const file = publicKeyFileOf(keyFile);
  try {
    const found = withSecretFile(file, MAX_FILE_BYTES, (content) => withPlainLineBreaks(content.toString('latin1')));
    if (found === withPlainLineBreaks(publicKeyPem(publicKey))) return true;
    throw new KeyFileError(file, 'it holds something else');
  } catch (error) {
    if (isMissingFile(error)) return false;
    if (!(error instanceof KeyFileError)) throw error;
    throw new OperatorError(
      `${file} is not the public half of the audit key ${keyFile} (SIGNING_AUDIT_KEY_FILE): ${error.message}. ` +
        `Move it aside and ${INIT_ADVICE}; where it belongs to an earlier key, keep it: older checkpoints are checked with it.`,
      { cause: error },
    );
  }
}

/** Writes the file with the public half, durably. @throws OperatorError when it can't be created */
export function createPublicKeyFile(keyFile: string, publicKey: Buffer): void {
  try {
    createPublicFile(publicKeyFileOf(keyFile), Buffer.from(publicKeyPem(publicKey)));
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new OperatorError(
      `The public half of the audit key ${keyFile} (SIGNING_AUDIT_KEY_FILE) can not be written beside it: ${error.message}. ` +
        `The key is in order; ${INIT_ADVICE}, where its folder can be written.`,
      { cause: error },
    );
  }
}

/** A file that went through an editor or a mail is the same key. */
function withPlainLineBreaks(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}
