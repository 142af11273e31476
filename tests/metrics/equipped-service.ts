import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { normalizeFingerprint } from '../../src/adapters/http/tls/client-trust-files.ts';
import { MemoryUsageLedger } from '../../src/adapters/usage/memory-usage-ledger.ts';
import { SodiumKeyStore } from '../../src/adapters/vault/sodium-key-store.ts';
import type { RunningService } from '../../src/app/lifecycle.ts';
import type { AuditHead } from '../../src/domain/model/audit-entry.ts';
import { issueToken, TestKey } from '../authentication/parties.ts';
import { FixedCredentialSource } from '../doubles/fixed-credential-source.ts';
import { MemoryAuditSink } from '../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../doubles/recording-service-log.ts';
import { bs58 } from '../harness/base58.ts';
import { TEST_CERTIFICATE } from '../harness/certificates.ts';
import { SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../harness/sample-accounts.ts';
import { startSampleHere } from '../harness/start-here.ts';
import { Authority } from '../harness/test-authority.ts';

/** A sink whose head has a hash. */
class ProvingSink extends MemoryAuditSink {
  override get head(): AuditHead {
    return { seq: super.head.seq, hash: `sha256:${'0'.repeat(64)}` };
  }
}

export interface PlainResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

export interface RequestOptions {
  readonly method?: string;
  readonly body?: object;
  readonly headers?: { readonly [name: string]: string };
}

/**
 * The composed service with every feature that has metrics: HTTPS with client certificates, mutual
 * authentication, permissions, limits, an operators' port, account and caller metrics. Its audit
 * records are in memory.
 */
export class EquippedService {
  readonly #folder: string;
  readonly #service: RunningService;
  readonly #client: { readonly cert: Buffer; readonly key: Buffer };

  static async start(): Promise<EquippedService> {
    const folder = mkdtempSync(join(tmpdir(), 'signing-service-metrics-'));
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const authority = new Authority(folder, 'authority');
    const bot = authority.issue('bot', { name: '/CN=bot' });
    const [issuer, own] = [new TestKey(0xa1), new TestKey(0x5e)];
    const expirationTime = new Date(Date.now() + 86_400_000).toISOString();
    const token = issueToken(issuer, { username: 'signing-service', publicKey: own.publicKey, expirationTime });
    const { fingerprint256 } = new X509Certificate(readFileSync(bot.certFile));
    const environment = {
      SIGNING_ADMIN_PORT: '0',
      SIGNING_DRAIN_DELAY_MS: '0',
      SIGNING_METRICS_ACCOUNTS: 'true',
      SIGNING_METRICS_CALLERS: 'true',
      SIGNING_EXPIRY_WARNING_DAYS: '21',
      SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
      SIGNING_AUDIT_CHECKPOINT_FILE: join(folder, 'checkpoints.jsonl'),
      SIGNING_TLS_CERT_FILE: TEST_CERTIFICATE.certFile,
      SIGNING_TLS_KEY_FILE: TEST_CERTIFICATE.keyFile,
      SIGNING_TLS_CLIENT_CA_FILE: authority.certFile,
      SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: file('listed.txt', `${normalizeFingerprint(fingerprint256)}\n`),
      SIGNING_RATE_LIMIT_PER_CALLER: '1000',
      SIGNING_RATE_LIMIT_PER_ACCOUNT: '1000',
      SIGNING_KEY_REFRESH_SECONDS: '1',
      SIGNING_AUTH: 'optional',
      SIGNING_AUTH_AUTHORITIES_FILE: file('authorities.txt', `${bs58.encode(issuer.publicKey)}\n`),
      SIGNING_AUTH_KEY_FILE: file('auth.key', own.seed.toString('hex')),
      SIGNING_AUTH_TOKEN_FILE: file('token.txt', `${token.toString('base64')}\n`),
    };
    const usage = new MemoryUsageLedger();
    const service = await startSampleHere(environment, {
      usage,
      sink: new ProvingSink(usage),
      log: new RecordingServiceLog(),
      keyStore: new SodiumKeyStore(),
      source: new FixedCredentialSource({
        platforms: SAMPLE_PLATFORMS,
        accounts: SAMPLE_ACCOUNTS,
        permissions: [{ principals: ['bot'], operations: ['*'], accounts: ['*/*'] }],
        policies: [{ name: 'all', accounts: ['alpha/*'], effect: 'allow', when: 'true' }],
        budgets: [{ name: 'daily', accounts: ['alpha/*'], sum: '1', max: 1_000_000, windowSeconds: 86_400 }],
      }),
    });
    return new EquippedService(folder, service, { cert: readFileSync(bot.certFile), key: readFileSync(bot.keyFile) });
  }

  private constructor(
    folder: string,
    service: RunningService,
    client: { readonly cert: Buffer; readonly key: Buffer },
  ) {
    this.#folder = folder;
    this.#service = service;
    this.#client = client;
  }

  /** Requests the main port with the client certificate. */
  request(path: string, options: RequestOptions = {}): Promise<PlainResponse> {
    return this.#send(this.#service.url, path, options, this.#client);
  }

  /** Requests the operators' port without. */
  requestAdmin(path: string, options: RequestOptions = {}): Promise<PlainResponse> {
    return this.#send(this.#service.adminUrl ?? '', path, options, {});
  }

  async reload(): Promise<void> {
    await this.#service.reload();
  }

  async stop(): Promise<void> {
    await this.#service.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #send(
    url: string,
    path: string,
    { method = 'GET', body, headers = {} }: RequestOptions,
    client: object,
  ): Promise<PlainResponse> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const type =
      body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const ca = readFileSync(TEST_CERTIFICATE.certFile);
      const options = { method, ca, servername: 'localhost', headers: { ...headers, ...type }, ...client };
      const sent = request(`${url}${path}`, options, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const contentType = response.headers['content-type'];
        resolve({ status: response.statusCode ?? 0, contentType, text: Buffer.concat(chunks).toString() });
      });
      sent.once('error', reject).end(text);
    });
  }
}
