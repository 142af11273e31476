import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { WrappingKeySettings } from '../../src/adapters/key-helper/helper-wrapping-keys.ts';
import { describeWrappingKeysContract, unwrapAll } from '../contracts/wrapping-keys-contract.ts';
import { ConnectProxy } from '../doubles/key-services/connect-proxy.ts';
import { failure, GCP_KEY, GcpStandIn } from '../doubles/key-services/gcp-stand-in.ts';
import type { ServiceStandIn } from '../doubles/key-services/service-stand-in.ts';
import { makeCertificate } from '../harness/certificates.ts';
import { installHelperLibraries } from '../harness/helper-libraries.ts';
import { helpersWith } from '../harness/wrapping-key-settings.ts';

const PLACE = { source: 'gcp-kms', wrappingKey: GCP_KEY, id: '0123456789abcdef' } as const;
const KEY = Buffer.alloc(32, 0x5a);
const GOOGLE = 'https://cloudkms.googleapis.com';
const GOOGLE_HOSTS = ['cloudkms', 'oauth2', 'sts'].map((name) => `${name}.googleapis.com`);

class GcpWorkplace {
  readonly kms: GcpStandIn;
  readonly server: ServiceStandIn;
  /** Stands in for all hosts of Google, through {@link proxy}. */
  readonly google: ServiceStandIn;
  readonly proxy: ConnectProxy;
  readonly home: string;
  readonly caFile: string;

  private constructor(
    home: string,
    caFile: string,
    kms: GcpStandIn,
    servers: readonly [ServiceStandIn, ServiceStandIn],
    proxy: ConnectProxy,
  ) {
    this.home = home;
    this.caFile = caFile;
    this.kms = kms;
    [this.server, this.google] = servers;
    this.proxy = proxy;
  }

  static async open(): Promise<GcpWorkplace> {
    const home = mkdtempSync(join(tmpdir(), 'gcp-'));
    const certificate = makeCertificate(home, 'google', 1, GOOGLE_HOSTS);
    const kms = new GcpStandIn();
    const google = await kms.start({ tls: true, certificate });
    const proxy = await ConnectProxy.start(Number(google.url.port));
    return new GcpWorkplace(home, certificate.certFile, kms, [await kms.start(), google], proxy);
  }

  /** Path of a file in the home folder. */
  write(name: string, text: string): string {
    const file = join(this.home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  helper(environment: NodeJS.ProcessEnv, settings: Partial<WrappingKeySettings['gcp']> = {}, timeoutMs = 20_000) {
    const gcp = { endpoint: this.server.url.href, tokenFile: null, ...settings };
    const base = { PATH: process.env['PATH'], HOME: this.home };
    return helpersWith({ gcp, timeoutMs, caFile: this.caFile }, { ...base, ...environment });
  }

  /** Google's own addresses, through the proxy. */
  throughProxy(environment: NodeJS.ProcessEnv = {}) {
    return this.helper({ HTTPS_PROXY: this.proxy.url, ...environment }, { endpoint: GOOGLE });
  }

  async close(): Promise<void> {
    this.proxy.stop();
    await Promise.all([this.server.stop(), this.google.stop()]);
    rmSync(this.home, { recursive: true });
  }
}

describe('Google Cloud KMS with its library', function () {
  this.timeout(60_000);
  before(function () {
    this.timeout(300_000);
    installHelperLibraries();
  });

  describeWrappingKeysContract('Google Cloud KMS', async () => {
    const place = await GcpWorkplace.open();
    return {
      wrappingKeys: place.helper({}, { tokenFile: place.write('token', place.kms.token) }),
      ...{ place: PLACE, named: GCP_KEY },
      deny: async () => {
        place.kms.isDenied = true;
      },
      dispose: () => place.close(),
    };
  });

  let place: GcpWorkplace;
  beforeEach(async () => {
    place = await GcpWorkplace.open();
  });
  afterEach(() => place.close());

  type Helper = ReturnType<GcpWorkplace['helper']>;
  const opens = async (helper: Helper) => {
    const ciphertext = await helper.wrap(PLACE, (use) => use(KEY));
    const [opened] = await unwrapAll(helper, { ...PLACE, ciphertext });
    expect(opened).to.deep.equal(KEY);
  };
  const explain = async (helper: Helper) => {
    const [outcome] = await unwrapAll(helper, { ...PLACE, ciphertext: 'AAAA' });
    if (!(outcome instanceof Error)) throw new Error('It should not open.');
    return outcome.message;
  };

  describe('takes credentials from', () => {
    it('SIGNING_GCP_TOKEN_FILE', () => opens(place.helper({}, { tokenFile: place.write('token', place.kms.token) })));

    it('the key of a service account', async () => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      place.kms.serviceAccount = publicKey;
      const account = {
        ...{ type: 'service_account', project_id: 'p-1', private_key_id: '1' },
        private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
        client_email: 'signing@p-1.iam.gserviceaccount.com',
      };
      await opens(
        place.helper({ GOOGLE_APPLICATION_CREDENTIALS: place.write('account.json', JSON.stringify(account)) }),
      );
    });

    it('a login of gcloud, through HTTPS_PROXY', async () => {
      const user = {
        type: 'authorized_user',
        client_id: 'c',
        client_secret: 's',
        refresh_token: place.kms.refreshToken,
      };
      place.write('.config/gcloud/application_default_credentials.json', JSON.stringify(user));
      await opens(place.throughProxy());
      expect(new Set(place.proxy.targets)).to.deep.equal(
        new Set(['oauth2.googleapis.com:443', 'cloudkms.googleapis.com:443']),
      );
    });

    it('workload identity federation, through HTTPS_PROXY', async () => {
      const federation = {
        type: 'external_account',
        audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/provider',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: 'https://sts.googleapis.com/v1/token',
        credential_source: { file: place.write('workload', place.kms.workloadToken) },
      };
      const file = place.write('federation.json', JSON.stringify(federation));
      await opens(place.throughProxy({ GOOGLE_APPLICATION_CREDENTIALS: file }));
      expect(place.proxy.targets).to.include('sts.googleapis.com:443');
    });

    it('the metadata server (Compute Engine, Kubernetes Engine, Cloud Run)', async () => {
      await opens(place.helper({ GCE_METADATA_HOST: place.server.url.host }));
    });
  });

  it('explains what KMS refuses', async () => {
    const tokenFile = place.write('token', place.kms.token);
    for (const [response, text] of [
      [failure(400, 'INVALID_ARGUMENT'), 'restore the master key file'],
      [failure(400, 'FAILED_PRECONDITION'), 'enable the key'],
      [failure(403, 'PERMISSION_DENIED'), 'roles/cloudkms.cryptoKeyDecrypter'],
      [failure(404, 'NOT_FOUND'), "check the wrapping key's name"],
      [failure(401, 'UNAUTHENTICATED'), 'SIGNING_GCP_TOKEN_FILE'],
    ] as const) {
      place.server.failures.push(response);
      const message = await explain(place.helper({}, { tokenFile }));
      expect(message).to.include(text).and.include(GCP_KEY);
    }
  });

  it('explains missing credentials, an unreachable endpoint and an untrusted certificate', async () => {
    expect(await explain(place.helper({ GCE_METADATA_HOST: '127.0.0.1:1' }))).to.include(
      'GOOGLE_APPLICATION_CREDENTIALS',
    );
    const tokenFile = place.write('token', place.kms.token);
    expect(await explain(place.helper({}, { tokenFile, endpoint: 'http://127.0.0.1:1' })))
      .to.include('ECONNREFUSED')
      .and.include('SIGNING_GCP_KMS_ENDPOINT');
    const untrusting = helpersWith(
      { gcp: { tokenFile, endpoint: place.google.url.href } },
      { PATH: process.env['PATH'] },
    );
    expect(await explain(untrusting)).to.include('SIGNING_MASTER_KEY_CA_FILE');
  });
});
