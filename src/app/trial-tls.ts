import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { TrialTls } from '../adapters/cli/cli-context.ts';
import { withNewFiles } from '../adapters/files/new-files.ts';
import { pathExists } from '../adapters/files/replace-file.ts';
import { issueTrialCertificates, TRIAL_DAYS } from '../adapters/trial-tls/trial-certificates.ts';
import { toAuthority } from './read-status.ts';
import type { Settings } from './settings/settings.ts';

/**
 * Creates certificates for a trial beside the credentials file, unless they exist.
 * @param now milliseconds since 1970-01-01T00:00:00Z
 * @throws OperatorError if only some exist, or they cannot be written; nothing is left then
 */
export async function createTrialTls(settings: Settings, now: number): Promise<TrialTls> {
  const folder = join(dirname(settings.credentialsFile), 'tls');
  const [ca, clientKey] = [join(folder, 'ca.pem'), join(folder, 'client.key')];
  // Written last.
  const created = !pathExists(clientKey);
  if (created) {
    const hosts = new Set(['localhost', hostname(), '127.0.0.1', '::1', settings.host, settings.adminHost]);
    const files = await issueTrialCertificates([...hosts], now);
    await withNewFiles(async ({ create }) => {
      for (const [name, pem] of Object.entries(files)) create(join(folder, name), Buffer.from(pem));
    });
  }
  return {
    ...{ folder, created, days: TRIAL_DAYS, ca, clientKey },
    clientCert: join(folder, 'client.pem'),
    settings: {
      SIGNING_TLS_CERT_FILE: join(folder, 'server.pem'),
      SIGNING_TLS_KEY_FILE: join(folder, 'server.key'),
      SIGNING_TLS_CLIENT_CA_FILE: ca,
    },
    url: `https://${toAuthority(settings)}`,
    statusUrl: `https://${toAuthority(settings.admin ?? settings)}`,
  };
}
