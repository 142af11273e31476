import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SigningClient } from '../../src/client/client.ts';
import { makeCertificate } from '../harness/certificates.ts';
import { type ServiceHere, Workplace } from '../harness/service-process.ts';

const PLATFORMS = [
  ['binance', 'ed25519'],
  ['backpack', 'ed25519'],
  ['hyperliquid', 'eip191'],
  ['coinbase', 'es256'],
  ['treasury', 'eip191'],
] as const;

/** A text that must be escaped. */
export const ODD_ALIAS = '<script>document.title = "ran"</script> & "co"';

/** An account as `account import` reads it. */
interface Row {
  readonly platformId: string;
  readonly accountId: string;
  readonly alias: string;
  readonly status: 'active' | 'disabled';
}

function toRow(number: number): Row {
  const [platformId] = PLATFORMS[number % PLATFORMS.length] ?? PLATFORMS[0];
  const alias = number === 7 ? ODD_ALIAS : `Account ${number}`;
  const accountId = `bot-${String(number).padStart(3, '0')}`;
  return { platformId, accountId, alias, status: number % 41 === 40 ? 'disabled' : 'active' };
}

/** A service with HTTPS, accounts, permissions and policies, for looking at its console. */
export class ConsoleService {
  readonly place: Workplace;
  readonly service: ServiceHere;
  readonly rows: readonly Row[];
  readonly #client: SigningClient;

  private constructor(place: Workplace, service: ServiceHere, rows: readonly Row[], client: SigningClient) {
    this.place = place;
    this.service = service;
    this.rows = rows;
    this.#client = client;
  }

  /** Starts it in this process. */
  static async start(accountCount: number): Promise<ConsoleService> {
    const place = new Workplace({ SIGNING_ADMIN_PORT: '0', SIGNING_INSTANCE_ID: 'signer-1' });
    const { certFile, keyFile } = makeCertificate(place.folder, 'service', 30);
    Object.assign(place.environment, { SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile });
    await place.prepare('init');
    for (const [platform, algorithm] of PLATFORMS) {
      await place.prepare('platform', 'add', '--platform', platform, '--format', 'any', '--algorithm', algorithm);
    }
    const rows = Array.from({ length: accountCount }, (_, number) => toRow(number));
    writeFileSync(place.path('accounts.json'), JSON.stringify(rows));
    await place.prepare('account', 'import', place.path('accounts.json'));
    restrict(place.path('credentials.json'));
    const service = await place.startHere();
    const client = new SigningClient({ url: service.url, tls: { ca: { file: certFile } } });
    return new ConsoleService(place, service, rows, client);
  }

  /** Address of the console. */
  get url(): string {
    return `${this.service.adminUrl}/`;
  }

  /** Signatures and refusals, 20 a second. */
  async traffic(seconds: number): Promise<void> {
    for (let tick = 0; tick < 4 * seconds; tick += 1) {
      const calls = Array.from({ length: 5 }, (_, index) => this.#call(5 * tick + index));
      await Promise.allSettled(calls);
      await sleep(250);
    }
  }

  async close(): Promise<void> {
    this.#client.close();
    await this.place.remove();
  }

  async #call(number: number): Promise<void> {
    const { platformId, accountId } = this.rows[(number * number) % this.rows.length] as Row;
    const data = { type: number % 23 === 5 ? 'withdraw' : 'order', size: String(number % 97) };
    await this.#client.sign({ platformId, accountId: number % 31 === 7 ? 'bot-999' : accountId, data });
  }
}

/** Adds permissions, and a policy that denies. */
function restrict(file: string): void {
  const document = JSON.parse(readFileSync(file, 'utf8'));
  document.permissions = [
    { principals: ['anonymous'], operations: ['sign', 'read'], accounts: ['*/*'] },
    { principals: ['anonymous'], operations: ['status', 'reload'] },
  ];
  document.policies = [
    { name: 'no-withdrawals', accounts: ['*/*'], effect: 'deny', when: 'signed.message.type == "withdraw"' },
  ];
  writeFileSync(file, JSON.stringify(document, null, 2), { mode: 0o600 });
}
