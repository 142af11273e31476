import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AuthenticationOptions, SigningClient } from '../../src/client/client.ts';
import { makeCertificate } from '../../tests/api/harness/certificates.ts';
import { type ServiceHere, Workplace } from '../../tests/e2e/service-process.ts';

const PLATFORMS = [
  ['binance', 'ed25519'],
  ['backpack', 'ed25519'],
  ['hyperliquid', 'eip191'],
  ['coinbase', 'es256'],
  ['treasury', 'eip191'],
] as const;

/** Texts that must be escaped. */
const ODD_ALIAS = '<script>document.title = "ran"</script> & "co"';

const STRATEGIES = ['Market making', 'Basis', 'Funding', 'Options delta', 'Treasury'];

/** An account as `account import` reads it. */
interface Row {
  readonly platformId: string;
  readonly accountId: string;
  readonly alias: string;
  readonly status: 'active' | 'disabled';
}

function toRow(number: number): Row {
  const [platformId] = PLATFORMS[number % PLATFORMS.length] ?? PLATFORMS[0];
  const accountId = `bot-${String(number).padStart(3, '0')}`;
  const alias = number === 7 ? ODD_ALIAS : `${STRATEGIES[Math.floor(number / 5) % STRATEGIES.length]} ${number}`;
  return { platformId, accountId, alias, status: number % 41 === 40 ? 'disabled' : 'active' };
}

/** A service with HTTPS, accounts, policies and named callers, for looking at its console. */
export interface ConsoleService {
  readonly place: Workplace;
  readonly service: ServiceHere;
  /** Address of the console. */
  readonly url: string;
  readonly rows: readonly Row[];
  /** Signatures and refusals of several callers, about this many each second. */
  traffic(seconds: number, perSecond: number): Promise<void>;
  close(): Promise<void>;
}

/** Size of a {@link ConsoleService}. */
export interface ConsoleServiceOptions {
  readonly accountCount: number;
  /** Days until the certificate expires. */
  readonly days: number;
  /** Callers with access tokens, served 30 seconds after the start; none: anonymous. */
  readonly callers: readonly string[];
}

/** Starts it in this process. */
export async function startConsoleService({
  accountCount,
  days,
  callers,
}: ConsoleServiceOptions): Promise<ConsoleService> {
  const place = new Workplace({
    SIGNING_ADMIN_PORT: '0',
    SIGNING_INSTANCE_ID: 'signer-1',
    SIGNING_RELOAD_MAX_REMOVED: '1',
  });
  const { certFile, keyFile } = makeCertificate(place.folder, 'service', days);
  Object.assign(place.environment, {
    SIGNING_TLS_CERT_FILE: certFile,
    SIGNING_TLS_KEY_FILE: keyFile,
    SIGNING_RATE_LIMIT_PER_ACCOUNT: '1000',
  });
  await place.prepare('init');
  for (const [platform, algorithm] of PLATFORMS) {
    await place.prepare('platform', 'add', '--platform', platform, '--format', 'any', '--algorithm', algorithm);
  }
  const rows = Array.from({ length: accountCount }, (_, number) => toRow(number));
  writeFileSync(place.path('accounts.json'), JSON.stringify(rows));
  await place.prepare('account', 'import', place.path('accounts.json'));
  restrict(place, callers);

  const ca = { file: certFile };
  const identities = callers.length === 0 ? [undefined] : await issueTokens(place, callers);
  const service = await place.startHere();
  const clients = identities.map(
    (authentication) =>
      new SigningClient({ url: service.url, tls: { ca }, ...(authentication !== undefined && { authentication }) }),
  );
  return {
    ...{ place, service, rows, url: `${service.adminUrl}/` },
    traffic: (seconds, perSecond) => load(clients, rows, seconds, perSecond),
    close: async () => {
      for (const client of clients) client.close();
      await place.remove();
    },
  };
}

async function issueTokens(place: Workplace, names: readonly string[]): Promise<readonly AuthenticationOptions[]> {
  Object.assign(place.environment, {
    SIGNING_AUTH: 'optional',
    SIGNING_AUTH_AUTHORITIES_FILE: place.path('authorities.txt'),
    SIGNING_AUTH_KEY_FILE: place.path('auth.key'),
    SIGNING_AUTH_TOKEN_FILE: place.path('auth-token.txt'),
  });
  const authority = ['--authority-key-file', place.path('authority.key')];
  const { publicKey: authorityKey } = JSON.parse(await place.prepare('token', 'authority', ...authority, '--json'));
  const issue = ['token', 'issue', '--expires-in', '30d', ...authority];
  const { publicKey: serviceKey } = JSON.parse(await place.prepare(...issue, '--service', '--json'));
  const identities: AuthenticationOptions[] = [];
  for (const name of names) {
    const [key, token] = [place.path(`${name}.key`), place.path(`${name}.token`)];
    await place.prepare(...issue, '--username', name, '--new-key-file', key, '--out', token);
    identities.push({ privateKey: { file: key }, token: { file: token }, serviceKey, authorityKeys: [authorityKey] });
  }
  return identities;
}

/** Adds permissions, and a policy that denies. */
function restrict(place: Workplace, callers: readonly string[]): void {
  const file = place.path('credentials.json');
  const document = JSON.parse(readFileSync(file, 'utf8'));
  document.permissions = [
    { principals: callers.length === 0 ? ['anonymous'] : callers.slice(0, 2), operations: ['sign'], accounts: ['*/*'] },
    { principals: ['anonymous'], operations: ['status', 'reload'] },
    { principals: ['anonymous'], operations: ['read'], accounts: ['*/*'] },
  ];
  document.policies = [
    { name: 'no-withdrawals', accounts: ['*/*'], effect: 'deny', when: 'signed.message.type == "withdraw"' },
    { name: 'small-orders', accounts: ['backpack/*'], effect: 'deny', when: 'decimal(signed.message.size) > 90' },
  ];
  writeFileSync(file, JSON.stringify(document, null, 2), { mode: 0o600 });
}

async function load(clients: readonly SigningClient[], rows: readonly Row[], seconds: number, perSecond: number) {
  const end = Date.now() + seconds * 1000;
  const [london, tokyo = london, backtest = london] = clients;
  for (let tick = 0; Date.now() < end; tick += 1) {
    const count = Math.max(1, Math.round((perSecond / 4) * (1 + 0.7 * Math.sin(tick / 30) + 0.3 * Math.sin(tick / 5))));
    const calls = Array.from({ length: count }, async (_, index) => {
      const number = tick * 7 + index * 3;
      const { platformId, accountId } = rows[(number * number) % Math.min(rows.length, 60)] ?? {
        platformId: 'backpack',
        accountId: 'bot-001',
      };
      const data = { type: number % 23 === 5 ? 'withdraw' : 'order', size: String(number % 97) };
      const client = number % 61 === 0 ? backtest : number % 3 === 0 ? tokyo : london;
      await client?.sign({ platformId, accountId: number % 131 === 7 ? 'bot-999' : accountId, data });
    });
    await Promise.allSettled(calls);
    await sleep(250);
  }
}
