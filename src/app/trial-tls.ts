import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { withNewFiles } from '../adapters/backup/new-files.ts';
import type { TrialTls } from '../adapters/cli/cli-context.ts';
import { pathExists } from '../adapters/files/replace-file.ts';
import { issueTrialCertificates, TRIAL_DAYS, type TrialFiles } from '../adapters/trial-tls/trial-certificates.ts';
import { OperatorError } from '../domain/model/errors.ts';
import { toAuthority } from './read-status.ts';
import type { Settings } from './settings/settings.ts';

const NAMES = [
  'ca.pem',
  'server.pem',
  'server.key',
  'client.pem',
  'client.key',
] as const satisfies (keyof TrialFiles)[];

/**
 * Creates certificates for a trial beside the credentials file, unless they exist.
 * @param now milliseconds since 1970-01-01T00:00:00Z
 * @throws OperatorError if only some exist, or they cannot be written; nothing is left then
 */
export async function createTrialTls(settings: Settings, now: number): Promise<TrialTls> {
  const { credentialsFile, host, port, adminHost, adminPort } = settings;
  const folder = join(dirname(credentialsFile), 'tls');
  const [ca = '', certFile = '', keyFile = '', clientCert = '', clientKey = ''] = NAMES.map((name) =>
    join(folder, name),
  );
  const existing = NAMES.filter((name) => pathExists(join(folder, name)));
  const created = existing.length === 0;
  if (!created && existing.length < NAMES.length) {
    throw new OperatorError(
      `${folder} has only ${existing.join(', ')}; its TLS files were not changed. The key of their CA is gone, so the others cannot be issued: move the folder away, and run the command again.`,
    );
  }
  if (created) {
    const hosts = new Set(['localhost', hostname(), '127.0.0.1', '::1']);
    if (!['0.0.0.0', '::'].includes(host)) hosts.add(host);
    const files = await issueTrialCertificates([...hosts], now);
    await withNewFiles(async (made) => {
      for (const name of NAMES) made.create(join(folder, name), Buffer.from(files[name]));
    });
  }
  return {
    ...{ folder, created, days: TRIAL_DAYS, ca, clientCert, clientKey },
    settings: { SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile, SIGNING_TLS_CLIENT_CA_FILE: ca },
    url: `https://${toAuthority({ host, port })}`,
    statusUrl: `https://${toAuthority(adminPort === null ? { host, port } : { host: adminHost, port: adminPort })}`,
  };
}
