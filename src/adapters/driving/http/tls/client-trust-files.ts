import { X509Certificate } from 'node:crypto';
import { OperatorError } from '../../../../domain/model/errors.ts';
import { readSetFile } from './read-set-file.ts';

/** Paths of what says which client certificates are taken. */
export interface ClientTrustFileNames {
  /** PEM certificates of the authorities. */
  readonly caFile: string;
  /** Fingerprints of the client certificates that are taken; null: every one that an authority issued is. */
  readonly fingerprintsFile: string | null;
}

/** Which client certificates are taken. */
export interface ClientTrustFiles {
  /** PEM of {@link authorities}, and of nothing else that stands in the file. */
  readonly ca: Buffer;
  readonly authorities: readonly X509Certificate[];
  /** SHA-256 of DER, 64 lower-case hex digits each; null: every one that an authority issued is taken. */
  readonly fingerprints: ReadonlySet<string> | null;
}

const CA_SETTING = 'SIGNING_TLS_CLIENT_CA_FILE';
const FINGERPRINTS_SETTING = 'SIGNING_TLS_CLIENT_FINGERPRINTS_FILE';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

const BEGINNINGS = /-----BEGIN CERTIFICATE-----/g;

/** A block of any other kind (RFC 7468 §2). OpenSSL would take authorities from some of them, too. */
const OTHER_BEGINNING = /-----BEGIN (?!CERTIFICATE-----)/;

/** 64 hex digits, or pairs with colons as `openssl x509 -fingerprint -sha256` prints them; with its label, too. */
const FINGERPRINT = /^(?:sha256 Fingerprint=)?((?:[0-9a-f]{2}:?){31}[0-9a-f]{2})$/i;

/**
 * Reads which client certificates are taken.
 * @param production whether files that other users can change are refused
 * @throws OperatorError that names the setting, the file and what to do
 */
export function readClientTrustFiles(
  { caFile, fingerprintsFile }: ClientTrustFileNames,
  production: boolean,
): ClientTrustFiles {
  const read = (setting: string, file: string, holds: string) => readSetFile(setting, file, production ? holds : null);
  const caText = read(CA_SETTING, caFile, 'the authorities of client certificates').toString('latin1');
  const authorities = parseAuthorities(caText, caFile);
  const ca = Buffer.from(authorities.map(String).join(''), 'latin1');
  if (fingerprintsFile === null) return { ca, authorities, fingerprints: null };
  const listed = read(FINGERPRINTS_SETTING, fingerprintsFile, 'which client certificates are taken').toString('utf8');
  return { ca, authorities, fingerprints: parseFingerprints(listed, fingerprintsFile) };
}

/** A fingerprint in the form in which they are compared. */
export function plainFingerprint(text: string): string {
  return text.replaceAll(':', '').toLowerCase();
}

function parseAuthorities(content: string, file: string): readonly X509Certificate[] {
  assertNothingElse(content, file);
  const texts = content.match(CERTIFICATES) ?? [];
  if (texts.length !== (content.match(BEGINNINGS) ?? []).length) {
    throw new OperatorError(`${CA_SETTING}: a certificate in ${file} has no end; the file is perhaps still written.`);
  }
  if (texts.length === 0) {
    throw new OperatorError(`${CA_SETTING}: ${file} holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).`);
  }
  const authorities = texts.map((text, index) => {
    try {
      return new X509Certificate(text);
    } catch (error) {
      throw new OperatorError(`${CA_SETTING}: certificate ${index + 1} of ${file} can not be read.`, {
        cause: error,
      });
    }
  });
  assertUsable(authorities, file);
  return authorities;
}

/** A certificate under another label would be no authority here, without a word. */
function assertNothingElse(content: string, file: string): void {
  const place = content.search(OTHER_BEGINNING);
  if (place < 0) return;
  const line = content.slice(0, place).split('\n').length;
  throw new OperatorError(
    `${CA_SETTING}: line ${line} of ${file} begins something else than -----BEGIN CERTIFICATE-----. Leave in the file what is under that label alone; \`openssl x509 -in FILE\` prints a certificate with it that has another (X509 CERTIFICATE, TRUSTED CERTIFICATE).`,
  );
}

/** OpenSSL takes a client certificate only if its chain ends in one here that issued itself. */
function assertUsable(authorities: readonly X509Certificate[], file: string): void {
  for (const [index, authority] of authorities.entries()) {
    const name = `${CA_SETTING}: certificate ${index + 1} of ${file}`;
    if (!authority.ca) {
      throw new OperatorError(`${name} is not that of an authority (CA:TRUE). Name the authority that issued it.`);
    }
    if (!authorities.some((issuer) => authority.checkIssued(issuer))) {
      throw new OperatorError(`${name} was issued by an authority that is not in the file. Add it, up to the root.`);
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
        `${FINGERPRINTS_SETTING}: line ${index + 1} of ${file} is no SHA-256 fingerprint of a certificate (64 hex digits, with or without colons; \`openssl x509 -noout -fingerprint -sha256 -in FILE\` prints it).`,
      );
    }
    fingerprints.add(plainFingerprint(fingerprint));
  }
  if (fingerprints.size > 0) return fingerprints;
  throw new OperatorError(
    `${FINGERPRINTS_SETTING}: ${file} names no fingerprint, so that nobody could call. Add one a line, or leave the setting out.`,
  );
}
