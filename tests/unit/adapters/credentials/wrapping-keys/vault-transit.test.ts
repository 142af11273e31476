import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import {
  type VaultSettings,
  VaultTransitKey,
} from '../../../../../src/adapters/credentials/wrapping-keys/vault-transit.ts';
import { MasterKeyUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { describeWrappingKeyContract } from '../../../../contracts/wrapping-key-contract.ts';
import type { ServiceStandIn } from '../../../../doubles/key-services/service-stand-in.ts';
import { VaultStandIn } from '../../../../doubles/key-services/vault-stand-in.ts';
import { TEST_CERTIFICATE } from '../../../../harness/certificates.ts';

const NAME = 'transit/signing-service';
const ID = '0123456789abcdef';
const KEY = Buffer.alloc(32, 0x5a);

class VaultWorkplace {
  readonly vault = new VaultStandIn();
  readonly #folder = mkdtempSync(join(tmpdir(), 'vault-'));
  readonly tokenFile = join(this.#folder, 'token');
  readonly jwtFile = join(this.#folder, 'jwt');
  readonly server: ServiceStandIn;

  private constructor(vault: VaultStandIn, server: ServiceStandIn) {
    this.vault = vault;
    this.server = server;
    writeFileSync(this.tokenFile, `${vault.token}\n`, { mode: 0o600 });
    writeFileSync(this.jwtFile, vault.jwt);
    chmodSync(this.jwtFile, 0o644);
  }

  static async open(tls = false): Promise<VaultWorkplace> {
    const vault = new VaultStandIn();
    return new VaultWorkplace(vault, await vault.start({ tls }));
  }

  key(settings: Partial<VaultSettings> = {}, name = NAME): VaultTransitKey {
    const { tokenFile } = this;
    const address = this.server.url;
    const defaults = { address, namespace: null, login: { tokenFile }, timeoutMs: 5000, caFile: null };
    return new VaultTransitKey(name, { ...defaults, ...settings });
  }

  async close(): Promise<void> {
    await this.server.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

describeWrappingKeyContract('VaultTransitKey over HTTPS', async () => {
  const place = await VaultWorkplace.open(true);
  return {
    wrappingKey: place.key({ caFile: TEST_CERTIFICATE.certFile }),
    place: `Vault at ${place.server.url.origin}`,
    deny: async () => {
      place.vault.token = 'hvs.another';
    },
    dispose: () => place.close(),
  };
});

describe('VaultTransitKey', () => {
  let place: VaultWorkplace;
  let ciphertext: Uint8Array;
  beforeEach(async () => {
    place = await VaultWorkplace.open();
    ciphertext = await place.key().wrap(ID, (use) => use(KEY));
  });
  afterEach(() => place.close());

  const opened = (key: VaultTransitKey) => key.unwrap(ID, ciphertext, (bytes) => Buffer.from(bytes));
  const failure = async (key: VaultTransitKey = place.key()) => {
    const error = await opened(key).catch((reason: unknown) => reason);
    if (!(error instanceof MasterKeyUnavailableError)) throw error;
    return error.message;
  };

  it('sends the token, the namespace and the request mark', async () => {
    place.vault.namespace = 'trading/eu';
    expect((await opened(place.key({ namespace: 'trading/eu' }))).equals(KEY)).to.equal(true);
    const { headers } = place.server.calls.at(-1) ?? {};
    expect(headers).to.include({ 'x-vault-token': place.vault.token, 'x-vault-request': 'true' });
    expect(await failure())
      .to.include('permission denied')
      .and.include('transit/decrypt/signing-service');
  });

  it('logs in with the token of its Kubernetes service account, which may have mode 0644', async () => {
    const login = { mount: 'kubernetes', role: 'signing', jwtFile: place.jwtFile };
    expect((await opened(place.key({ login }))).equals(KEY)).to.equal(true);
    expect(await failure(place.key({ login: { ...login, role: 'other' } }))).to.include('role other was refused');
  });

  it('reads the token at each opening, so that a renewed one is used', async () => {
    const key = place.key();
    place.vault.token = 'hvs.renewed';
    expect(await failure(key)).to.include('renew the token');
    writeFileSync(place.tokenFile, 'hvs.renewed');
    expect((await opened(key)).equals(KEY)).to.equal(true);
  });

  it('names setting and file of a missing or malformed token', async () => {
    writeFileSync(place.tokenFile, 'two words');
    expect(await failure())
      .to.include('SIGNING_VAULT_TOKEN_FILE')
      .and.include(place.tokenFile);
    rmSync(place.tokenFile);
    expect(await failure())
      .to.include('SIGNING_VAULT_TOKEN_FILE')
      .and.include('no such file');
  });

  it('retries while Vault is sealed, then tells the operator to unseal it', async () => {
    place.server.failures.push({ status: 500, body: { errors: ['internal error'] } });
    expect((await opened(place.key())).equals(KEY)).to.equal(true);
    place.vault.isSealed = true;
    const before = place.server.calls.length;
    expect(await failure()).to.include('unseal it');
    expect(place.server.calls.length - before).to.equal(3);
  });

  it('explains a missing engine and a ciphertext of another key', async () => {
    expect(await failure(place.key({}, 'other/signing-service'))).to.include('no Transit engine at other');
    ciphertext = Buffer.from('vault:v1:AAAA');
    expect(await failure())
      .to.include('message authentication failed')
      .and.include('restore the master key file');
  });

  it('rejects responses that are malformed, truncated or too large', async () => {
    const responses = [
      { status: 200, body: 'no JSON' },
      { status: 200, body: { data: {} } },
      { status: 200, body: { data: { plaintext: 'no base64' } } },
      { status: 200, body: { data: { plaintext: 7 } } },
      { status: 200, body: `{"data":{"plaintext":"${'A'.repeat(20_000)}"}}` },
      'cut',
    ] as const;
    for (const response of responses) {
      place.server.failures.push(response);
      expect(await failure()).to.include(place.server.url.origin);
    }
  });

  it('ends after the timeout, and names its setting', async () => {
    place.server.failures.push('hang');
    expect(await failure(place.key({ timeoutMs: 100 }))).to.include('within 100 ms (SIGNING_MASTER_KEY_TIMEOUT_MS)');
  });

  it('names the setting of an address where nothing listens', async () => {
    const address = place.server.url;
    await place.server.stop();
    expect(await failure(place.key({ address })))
      .to.include('ECONNREFUSED')
      .and.include('SIGNING_VAULT_ADDRESS');
  });

  it('rejects a certificate of an unknown authority, and names the setting for it', async () => {
    const secure = await VaultWorkplace.open(true);
    try {
      expect(await failure(secure.key())).to.include('SIGNING_MASTER_KEY_CA_FILE');
      const missing = secure.key({ caFile: '/nowhere/ca.pem' });
      expect(await failure(missing))
        .to.include('SIGNING_MASTER_KEY_CA_FILE')
        .and.include('/nowhere/ca.pem');
    } finally {
      await secure.close();
    }
  });
});
