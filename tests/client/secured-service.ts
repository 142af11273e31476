import { readFileSync } from 'node:fs';
import type { AuthenticationOptions, TlsOptions } from '../../src/client/client.ts';
import { makeCertificate } from '../harness/certificates.ts';
import { addAccount } from '../harness/run-command.ts';
import { type ServiceHere, Workplace } from '../harness/service-process.ts';
import { Authority } from '../harness/test-authority.ts';

/** A running service and how to call it. */
export interface SecuredService {
  readonly place: Workplace;
  readonly service: ServiceHere;
  /** Client with an accepted certificate. */
  readonly tls: TlsOptions;
  /** Client with an access token. */
  readonly authentication: AuthenticationOptions;
}

/**
 * Starts a service with HTTPS, client certificates, access tokens, an operators' listener and the
 * account `desk/main`.
 */
export async function startSecuredService(): Promise<SecuredService> {
  const place = new Workplace({ SIGNING_ADMIN_PORT: '0', SIGNING_AUTH: 'required' });
  const { certFile, keyFile } = makeCertificate(place.folder, 'service', 30);
  const clients = new Authority(place.folder, 'clients');
  const bot = clients.issue('bot', { name: '/CN=bot-1' });
  Object.assign(place.environment, {
    SIGNING_TLS_CERT_FILE: certFile,
    SIGNING_TLS_KEY_FILE: keyFile,
    SIGNING_TLS_CLIENT_CA_FILE: clients.certFile,
    SIGNING_AUTH_AUTHORITIES_FILE: place.path('authorities.txt'),
    SIGNING_AUTH_KEY_FILE: place.path('auth.key'),
    SIGNING_AUTH_TOKEN_FILE: place.path('auth-token.txt'),
  });
  await place.prepare('init');
  await place.prepare('platform', 'add', '--platform', 'desk', '--format', 'any');
  await addAccount(place.environment, 'desk', 'main', 'ed25519');
  const authority = ['--authority-key-file', place.path('authority.key')];
  const made = await place.prepare('token', 'authority', ...authority, '--json');
  const issued = await place.prepare('token', 'issue', '--service', '--expires-in', '1d', ...authority, '--json');
  await place.prepare(
    ...['token', 'issue', '--username', 'desk-1', '--expires-in', '1d', ...authority],
    ...['--new-key-file', place.path('desk-1.key'), '--out', place.path('desk-1.token')],
  );
  return {
    place,
    service: await place.startHere(),
    tls: { ca: { file: certFile }, cert: { file: bot.certFile }, key: readFileSync(bot.keyFile, 'utf8') },
    authentication: {
      privateKey: { file: place.path('desk-1.key') },
      token: { file: place.path('desk-1.token') },
      serviceKey: JSON.parse(issued).publicKey,
      authorityKeys: [JSON.parse(made).publicKey],
    },
  };
}
