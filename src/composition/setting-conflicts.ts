import { parseRedisUrl } from '../redis/redis-address.ts';

/** What is wrong between settings that are right by themselves, seen in the variables as they are set. */
export function findConflicts(
  given: { readonly [name: string]: string | undefined },
  production: boolean,
): readonly string[] {
  const conflicts: string[] = [];
  const certFile = given['SIGNING_TLS_CERT_FILE'] !== undefined;
  const keyFile = given['SIGNING_TLS_KEY_FILE'] !== undefined;
  if (certFile !== keyFile) {
    const [set, missing] = certFile ? ['CERT', 'KEY'] : ['KEY', 'CERT'];
    conflicts.push(
      `SIGNING_TLS_${set}_FILE is set without SIGNING_TLS_${missing}_FILE; HTTPS needs both, HTTP neither.`,
    );
  }
  if (given['SIGNING_TLS_CLIENT_CA_FILE'] !== undefined && !certFile) {
    conflicts.push('SIGNING_TLS_CLIENT_CA_FILE is set without SIGNING_TLS_CERT_FILE; client certificates need HTTPS.');
  }
  if (
    given['SIGNING_TLS_CLIENT_FINGERPRINTS_FILE'] !== undefined &&
    given['SIGNING_TLS_CLIENT_CA_FILE'] === undefined
  ) {
    conflicts.push('SIGNING_TLS_CLIENT_FINGERPRINTS_FILE is set without SIGNING_TLS_CLIENT_CA_FILE.');
  }
  if (given['SIGNING_ADMIN_HOST'] !== undefined && given['SIGNING_ADMIN_PORT'] === undefined) {
    conflicts.push('SIGNING_ADMIN_HOST is set without SIGNING_ADMIN_PORT.');
  }
  const adminPort = given['SIGNING_ADMIN_PORT'];
  if (adminPort !== undefined && adminPort !== '0' && adminPort === (given['SIGNING_PORT'] ?? '8080')) {
    conflicts.push('SIGNING_ADMIN_PORT is the same as SIGNING_PORT; give each listener a port of its own.');
  }
  if (given['SIGNING_REDIS_PASSWORD_FILE'] !== undefined) {
    const url = given['SIGNING_REDIS_URL'];
    if (url === undefined) conflicts.push('SIGNING_REDIS_PASSWORD_FILE is set without SIGNING_REDIS_URL.');
    else if (parseRedisUrl(url)?.hasPassword) {
      conflicts.push('SIGNING_REDIS_PASSWORD_FILE is set, and SIGNING_REDIS_URL has a password, too: leave one out.');
    }
  }
  const isLimited = ['CALLER', 'ACCOUNT'].some((whose) => given[`SIGNING_RATE_LIMIT_PER_${whose}`] !== undefined);
  if (given['SIGNING_RATE_LIMIT_WINDOW_SECONDS'] !== undefined && !isLimited) {
    conflicts.push(
      'SIGNING_RATE_LIMIT_WINDOW_SECONDS is set without SIGNING_RATE_LIMIT_PER_CALLER or SIGNING_RATE_LIMIT_PER_ACCOUNT.',
    );
  }
  if (production && given['SIGNING_ALLOW_PLAINTEXT_KEYS'] === 'true') {
    conflicts.push('SIGNING_ALLOW_PLAINTEXT_KEYS is for development and refused when NODE_ENV is production.');
  }
  if (production && given['SIGNING_KEY_STORE_MODULE'] !== undefined) {
    conflicts.push('SIGNING_KEY_STORE_MODULE is for reviews and tests and refused when NODE_ENV is production.');
  }
  return conflicts;
}

const FILES_OF_AUTH = ['SIGNING_AUTH_AUTHORITIES_FILE', 'SIGNING_AUTH_KEY_FILE', 'SIGNING_AUTH_TOKEN_FILE'];

/** What is wrong beyond that where the service runs. The `token` commands make these files while it is off. */
export function findServiceConflicts(given: { readonly [name: string]: string | undefined }): readonly string[] {
  if ((given['SIGNING_AUTH'] ?? 'off') !== 'off') return [];
  return FILES_OF_AUTH.filter((name) => given[name] !== undefined).map(
    (name) =>
      `${name} is set while SIGNING_AUTH is off, so that nobody would be asked who he is: set SIGNING_AUTH to optional or required, or leave this out.`,
  );
}
