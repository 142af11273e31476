import { X509Certificate } from 'node:crypto';
import { OperatorError } from '../../../domain/model/errors.ts';
import { readConfiguredFile } from '../../files/configured-file.ts';
import { clientVerifier, type VerifyClient } from './client-verifier.ts';

/** Paths of the files that define trusted client certificates. */
export interface ClientTrustFileNames {
  /** PEM certificates of the certificate authorities. */
  readonly caFile: string;
  /** Fingerprints of allowed certificates; null allows all that an authority issued. */
  readonly fingerprintsFile: string | null;
}

/** The trusted client certificates. */
export interface ClientTrustFiles {
  /** PEM of {@link authorities} only. */
  readonly ca: Buffer;
  readonly authorities: readonly X509Certificate[];
  readonly verify: VerifyClient;
  /** SHA-256 of DER, 64 lowercase hex digits each; null allows all. */
  readonly fingerprints: ReadonlySet<string> | null;
}

const CA_SETTING = 'SIGNING_TLS_CLIENT_CA_FILE';
const FINGERPRINTS_SETTING = 'SIGNING_TLS_CLIENT_FINGERPRINTS_FILE';

/**
 * 64 hex digits, optionally with colons and label as `openssl x509 -fingerprint -sha256` prints.
 */
const FINGERPRINT = /^(?:sha256 Fingerprint=)?((?:[0-9a-f]{2}:?){31}[0-9a-f]{2})$/i;

/**
 * Reads the trusted client certificates.
 * @param production rejects files that other users can change
 * @throws OperatorError that names the setting, the file and what to do
 */
export function readClientTrustFiles(
  { caFile, fingerprintsFile }: ClientTrustFileNames,
  production: boolean,
): ClientTrustFiles {
  const read = (setting: string, file: string, holds: string) =>
    readConfiguredFile(setting, file, production ? holds : null).toString('latin1');
  const authorities = parseAuthorities(read(CA_SETTING, caFile, 'the authorities of client certificates'), caFile);
  const ca = Buffer.from(authorities.map(String).join(''), 'latin1');
  const trusted = { ca, authorities, verify: clientVerifier(authorities) };
  if (fingerprintsFile === null) return { ...trusted, fingerprints: null };
  const listed = read(FINGERPRINTS_SETTING, fingerprintsFile, 'the list of allowed client certificates');
  return { ...trusted, fingerprints: parseFingerprints(listed, fingerprintsFile) };
}

/** The form in which fingerprints are compared. */
export function normalizeFingerprint(text: string): string {
  return text.replaceAll(':', '').toLowerCase();
}

function parseAuthorities(content: string, file: string): readonly X509Certificate[] {
  // Text before the first block is a comment.
  const blocks = content.split(/(?=-----BEGIN )/).filter((text) => text.startsWith('-----BEGIN '));
  if (blocks.length === 0) {
    throw new OperatorError(`${CA_SETTING}: ${file} contains no PEM certificate (-----BEGIN CERTIFICATE-----).`);
  }
  const authorities = blocks.map((text, index) => {
    try {
      // Node also reads trusted certificates, without their restrictions.
      if (text.startsWith('-----BEGIN CERTIFICATE-----')) return new X509Certificate(text);
    } catch {}
    throw new OperatorError(
      `${CA_SETTING}: block ${index + 1} of ${file} is not a complete PEM certificate (-----BEGIN CERTIFICATE-----). Remove other blocks; \`openssl x509 -in FILE\` converts X509 CERTIFICATE and TRUSTED CERTIFICATE.`,
    );
  });
  assertUsable(authorities, file);
  return authorities;
}

/** OpenSSL requires chains that end in a self-signed certificate. */
function assertUsable(authorities: readonly X509Certificate[], file: string): void {
  for (const [index, authority] of authorities.entries()) {
    const name = `${CA_SETTING}: certificate ${index + 1} of ${file}`;
    if (!authority.ca) {
      throw new OperatorError(
        `${name} is not a CA certificate (CA:TRUE). Use the certificate of the authority that issued it.`,
      );
    }
    if (!authorities.some((issuer) => authority.checkIssued(issuer))) {
      throw new OperatorError(
        `${name} was issued by an authority that is not in the file. Add the issuing authorities, up to the root.`,
      );
    }
  }
}

function parseFingerprints(content: string, file: string): ReadonlySet<string> {
  const fingerprints = new Set<string>();
  const lines = content.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const text = line.replace(/#.*/, '').trim();
    if (text === '') continue;
    const fingerprint = FINGERPRINT.exec(text)?.[1];
    if (fingerprint === undefined) {
      throw new OperatorError(
        `${FINGERPRINTS_SETTING}: line ${index + 1} of ${file} is not a SHA-256 certificate fingerprint (64 hex digits, with or without colons; \`openssl x509 -noout -fingerprint -sha256 -in FILE\` prints it).`,
      );
    }
    fingerprints.add(normalizeFingerprint(fingerprint));
  }
  if (fingerprints.size > 0) return fingerprints;
  throw new OperatorError(
    `${FINGERPRINTS_SETTING}: ${file} contains no fingerprint, so every caller would be rejected. Add one per line, or remove the setting.`,
  );
}
