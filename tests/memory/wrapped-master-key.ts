import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { ServiceStandIn } from '../doubles/key-services/service-stand-in.ts';
import { VaultStandIn } from '../doubles/key-services/vault-stand-in.ts';
import { TEST_CERTIFICATE } from '../harness/certificates.ts';
import type { Workplace } from '../harness/service-process.ts';
import { type Secret, secretOf } from '../process-memory/secrets.ts';

/** Options of init for a master key that the stand-in wraps. */
export const WRAPPED_BY_VAULT = [
  '--master-key-source',
  'vault-transit',
  '--wrapping-key',
  'transit/signing-service',
] as const;

/** A stand-in for Vault, in this process, over HTTPS. */
export class MasterKeyVault {
  readonly #server: ServiceStandIn;
  readonly #token: string;

  private constructor(server: ServiceStandIn, token: string) {
    this.#server = server;
    this.#token = token;
  }

  /** Starts it, and sets its address and a new token in the environment of the service. */
  static async start(place: Workplace): Promise<MasterKeyVault> {
    const vault = new VaultStandIn();
    vault.token = `hvs.${randomBytes(24).toString('base64url')}`;
    const server = await vault.start({ tls: true });
    const tokenFile = place.path('vault-token');
    writeFileSync(tokenFile, vault.token, { mode: 0o600 });
    Object.assign(place.environment, {
      SIGNING_VAULT_ADDRESS: server.url.href,
      SIGNING_VAULT_TOKEN_FILE: tokenFile,
      SIGNING_MASTER_KEY_CA_FILE: TEST_CERTIFICATE.certFile,
    });
    return new MasterKeyVault(server, vault.token);
  }

  /** The master key that it wrapped, and the token. */
  secrets(): readonly Secret[] {
    const wrapped = this.#server.calls.find(({ path }) => path === '/v1/transit/encrypt/signing-service');
    if (wrapped === undefined) throw new Error('No master key was wrapped.');
    const { plaintext } = JSON.parse(wrapped.body.toString());
    return [
      secretOf('master key', 'master key', Buffer.from(plaintext, 'base64')),
      secretOf('token of Vault', 'token', Buffer.from(this.#token)),
    ];
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}
