import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import type { WrappingKeySettings } from '../../../../src/adapters/key-helper/helper-wrapping-keys.ts';
import { runKeyHelper, toProgram } from '../../../../src/adapters/key-helper/run-key-helper.ts';
import { OperatorError, UNAVAILABLE } from '../../../../src/domain/model/errors.ts';
import { describeWrappingKeysContract, unwrapAll } from '../../../contracts/wrapping-keys-contract.ts';
import type { ServiceStandIn } from '../../../doubles/key-services/service-stand-in.ts';
import { VaultStandIn } from '../../../doubles/key-services/vault-stand-in.ts';
import { TEST_CERTIFICATE } from '../../../harness/certificates.ts';
import { helpersWith } from '../../../harness/wrapping-key-settings.ts';

const PLACE = { source: 'vault-transit', wrappingKey: 'transit/signing-service', id: '0123456789abcdef' } as const;
const KEY = Buffer.alloc(32, 0x5a);

type VaultSettings = NonNullable<WrappingKeySettings['vault']>;

class VaultWorkplace {
  readonly vault: VaultStandIn;
  readonly server: ServiceStandIn;
  readonly #folder = mkdtempSync(join(tmpdir(), 'vault-'));
  readonly tokenFile: string;

  private constructor(vault: VaultStandIn, server: ServiceStandIn) {
    this.vault = vault;
    this.server = server;
    this.tokenFile = this.write('token', `${vault.token}\n`);
  }

  static async open(tls = false): Promise<VaultWorkplace> {
    const vault = new VaultStandIn();
    return new VaultWorkplace(vault, await vault.start({ tls }));
  }

  /** Path of a file with that text. */
  write(name: string, text: string, mode = 0o600): string {
    const file = join(this.#folder, name);
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  helper(vault: Partial<VaultSettings> = {}, others: Partial<WrappingKeySettings> = {}) {
    const { tokenFile, server } = this;
    return helpersWith({
      vault: { address: server.url.href, namespace: null, login: { tokenFile }, ...vault },
      ...others,
    });
  }

  async close(): Promise<void> {
    await this.server.stop();
    rmSync(this.#folder, { recursive: true });
  }
}

describeWrappingKeysContract('Vault over HTTPS', async () => {
  const place = await VaultWorkplace.open(true);
  return {
    wrappingKeys: place.helper({}, { caFile: TEST_CERTIFICATE.certFile }),
    place: PLACE,
    named: `Vault at ${place.server.url.origin}`,
    deny: async () => {
      place.vault.token = 'hvs.another';
    },
    dispose: () => place.close(),
  };
});

describe('The key helper for Vault', () => {
  let place: VaultWorkplace;
  let ciphertext: string;
  beforeEach(async () => {
    place = await VaultWorkplace.open();
    ciphertext = await place.helper().wrap(PLACE, (use) => use(KEY));
  });
  afterEach(() => place.close());

  const open = async (helper = place.helper(), wrappingKey: string = PLACE.wrappingKey) => {
    const [outcome] = await unwrapAll(helper, { ...PLACE, wrappingKey, ciphertext });
    return outcome;
  };
  const opens = async (helper = place.helper()) => expect(await open(helper)).to.deep.equal(KEY);
  const failure = async (helper = place.helper(), wrappingKey?: string) => {
    const outcome = await open(helper, wrappingKey);
    if (!(outcome instanceof Error)) throw new Error('It should not open.');
    return outcome.message;
  };

  it('sends the token, the namespace and the request mark', async () => {
    place.vault.namespace = 'trading/eu';
    await opens(place.helper({ namespace: 'trading/eu' }));
    const { headers } = place.server.calls.at(-1) ?? {};
    expect(headers).to.include({ 'x-vault-token': place.vault.token, 'x-vault-request': 'true' });
    expect(await failure())
      .to.include('permission denied')
      .and.include('transit/decrypt/signing-service');
  });

  it('reads a token with a byte order mark and CRLF', async () => {
    place.write('token', `\ufeff${place.vault.token}\r\n`);
    await opens();
  });

  it('logs in with the token of its Kubernetes service account, which may have mode 0644', async () => {
    const login = { mount: 'kubernetes', role: 'signing', jwtFile: place.write('jwt', place.vault.jwt, 0o644) };
    await opens(place.helper({ login }));
    expect(await failure(place.helper({ login: { ...login, role: 'other' } }))).to.include('check the role other');
  });

  it('logs in with an AppRole, once for all keys', async () => {
    const login = { mount: 'approle', roleId: 'signing', secretIdFile: place.write('secret-id', place.vault.secretId) };
    const keys = [0, 1].map(() => ({ ...PLACE, ciphertext }));
    const before = place.server.calls.length;
    expect(await unwrapAll(place.helper({ login }), ...keys)).to.deep.equal([KEY, KEY]);
    expect(place.server.calls.slice(before).map(({ path }) => path)).to.deep.equal([
      '/v1/auth/approle/login',
      ...Array(2).fill('/v1/transit/decrypt/signing-service'),
    ]);
    place.write('secret-id', 'another');
    expect(await failure(place.helper({ login })))
      .to.include('invalid secret id')
      .and.include('SIGNING_VAULT_APPROLE_SECRET_ID_FILE');
  });

  it('names setting and file of a token that is missing, has several lines or is readable by others', async () => {
    place.write('token', 'two\nlines');
    expect(await failure())
      .to.include('SIGNING_VAULT_TOKEN_FILE')
      .and.include(place.tokenFile);
    place.write('token', 'hvs.token', 0o644);
    expect(await failure()).to.include(`run \`chmod 600 ${place.tokenFile}\``);
    rmSync(place.tokenFile);
    expect(await failure())
      .to.include('SIGNING_VAULT_TOKEN_FILE')
      .and.include('no such file');
  });

  it('repeats requests while Vault is failing, then tells the operator to unseal it', async () => {
    place.server.failures.push({ status: 500, body: { errors: ['internal error'] } });
    await opens();
    place.vault.isSealed = true;
    const before = place.server.calls.length;
    expect(await failure()).to.include('unseal it');
    expect(place.server.calls.length - before).to.equal(3);
  });

  it('is asked again by a reload while it is sealed or away, not if it refuses', async () => {
    const codeOf = async () => {
      const [outcome] = await unwrapAll(place.helper(), { ...PLACE, ciphertext });
      return outcome instanceof OperatorError ? outcome.code : 'opened';
    };
    place.server.failures.push({ status: 403, body: { errors: ['permission denied'] } });
    expect(await codeOf()).to.equal(undefined);
    place.vault.isSealed = true;
    expect(await codeOf()).to.equal(UNAVAILABLE);
    await place.server.stop();
    expect(await codeOf()).to.equal(UNAVAILABLE);
  });

  it('follows a standby to the active node, and never leaves TLS or the host without TLS', async () => {
    const [standby, secure] = [await VaultWorkplace.open(), await VaultWorkplace.open(true)];
    const path = '/v1/transit/decrypt/signing-service';
    const redirected = ({ server }: VaultWorkplace, location: string) => {
      server.failures.push({ status: 307, body: '', headers: { location } });
      return place.helper({ address: server.url.href }, { caFile: TEST_CERTIFICATE.certFile });
    };
    try {
      await opens(redirected(standby, `${place.server.url.origin}${path}`));
      for (const [from, origin] of [
        [standby, 'http://vault-1.example:8200'],
        [secure, place.server.url.origin],
      ] as const) {
        expect(await failure(redirected(from, `${origin}${path}`)))
          .to.include(`redirects to ${origin}`)
          .and.include('api_addr');
      }
    } finally {
      await standby.close();
      await secure.close();
    }
  });

  it('explains a missing engine and a ciphertext of another key', async () => {
    expect(await failure(place.helper(), 'other/signing-service')).to.include('no Transit engine at other');
    ciphertext = Buffer.from('vault:v1:AAAA').toString('base64url');
    expect(await failure())
      .to.include('message authentication failed')
      .and.include('restore the master key file');
  });

  it('is not quoted with the secrets of a request', async () => {
    const errors = [`token ${place.vault.token} and ${KEY.toString('base64')}`];
    place.server.failures.push({ status: 400, body: { errors } });
    const error = await place
      .helper()
      .wrap(PLACE, (use) => use(KEY))
      .catch(({ message }: Error) => message);
    expect(error).to.include('(token *** and ***)');
    expect(error).to.not.include(place.vault.token).and.to.not.include(KEY.toString('base64'));
  });

  it('rejects responses that are malformed or truncated', async () => {
    for (const response of [
      { status: 200, body: 'no JSON' },
      { status: 200, body: { data: {} } },
      { status: 200, body: { data: { plaintext: 5 } } },
      { status: 400, body: { errors: 'no array' } },
      { status: 307, body: '', headers: { location: 'https://[' } },
      'cut',
    ] as const) {
      place.server.failures.push(response);
      expect(await failure()).to.include(`Vault at ${place.server.url.origin}: `);
    }
    place.server.failures.push({ status: 200, body: '{}', headers: { 'Content-Length': '2x' } });
    expect(await failure()).to.include('it cannot be reached (HPE_INVALID_CONTENT_LENGTH)');
  });

  it('ends by itself at the time limit of its request, if the service was killed', async () => {
    place.server.failures.push('hang');
    const run = { name: 'vault', command: toProgram('vault'), environment: {}, timeoutMs: 15_000, timeoutAdvice: '' };
    const settings = { address: place.server.url.href, namespace: null, login: { tokenFile: place.tokenFile } };
    const keys = [{ name: PLACE.wrappingKey, id: PLACE.id, ciphertext }];
    const ended = runKeyHelper(run, { operation: 'unwrap', keys, timeoutMs: 300, settings }, z.unknown());
    expect(await ended.catch(({ message }: Error) => message)).to.equal('Key helper vault: it ended with 1.');
  });

  it('names the setting of an address where nothing listens', async () => {
    const address = place.server.url.href;
    await place.server.stop();
    expect(await failure(place.helper({ address })))
      .to.include('ECONNREFUSED')
      .and.include('SIGNING_VAULT_ADDRESS');
  });

  it('rejects a certificate of an unknown authority, and names the setting for it', async () => {
    const secure = await VaultWorkplace.open(true);
    try {
      expect(await failure(secure.helper())).to.include('SIGNING_MASTER_KEY_CA_FILE');
      const missing = secure.helper({}, { caFile: '/nowhere/ca.pem' });
      expect(await failure(missing))
        .to.include('SIGNING_MASTER_KEY_CA_FILE')
        .and.include('/nowhere/ca.pem');
    } finally {
      await secure.close();
    }
  });
});
