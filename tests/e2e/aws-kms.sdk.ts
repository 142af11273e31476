import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { WrappingKeySettings } from '../../src/adapters/key-helper/helper-wrapping-keys.ts';
import { describeWrappingKeysContract, unwrapAll } from '../contracts/wrapping-keys-contract.ts';
import { AWS_KEY, AwsStandIn, failure } from '../doubles/key-services/aws-stand-in.ts';
import { ConnectProxy } from '../doubles/key-services/connect-proxy.ts';
import type { ServiceStandIn } from '../doubles/key-services/service-stand-in.ts';
import { TEST_CERTIFICATE } from '../harness/certificates.ts';
import { installHelperLibraries } from '../harness/helper-libraries.ts';
import { helpersWith } from '../harness/wrapping-key-settings.ts';

const PLACE = { source: 'aws-kms', wrappingKey: AWS_KEY, id: '0123456789abcdef' } as const;
const KEY = Buffer.alloc(32, 0x5a);
const INI_PROFILES = `[default]\naws_access_key_id = AKIAOTHER\naws_secret_access_key = other\n`;

class AwsWorkplace {
  readonly kms = new AwsStandIn();
  readonly home = mkdtempSync(join(tmpdir(), 'aws-'));
  readonly server: ServiceStandIn;
  readonly secure: ServiceStandIn;

  private constructor(kms: AwsStandIn, server: ServiceStandIn, secure: ServiceStandIn) {
    this.kms = kms;
    this.server = server;
    this.secure = secure;
  }

  static async open(): Promise<AwsWorkplace> {
    const kms = new AwsStandIn();
    return new AwsWorkplace(kms, await kms.start(), await kms.start({ tls: true }));
  }

  /** Path of a file in the home folder. */
  write(name: string, text: string, mode = 0o600): string {
    const file = join(this.home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, mode);
    return file;
  }

  helper(environment: NodeJS.ProcessEnv, settings: Partial<WrappingKeySettings['aws']> = {}, secure = false) {
    const endpoint = (secure ? this.secure : this.server).url.href;
    const aws = { region: null, endpoint, credentialsFile: null, ...settings };
    const base = { PATH: process.env['PATH'], HOME: this.home, AWS_EC2_METADATA_DISABLED: 'true' };
    return helpersWith({ aws, caFile: TEST_CERTIFICATE.certFile }, { ...base, ...environment });
  }

  /** Variables with the keys. */
  get keys(): NodeJS.ProcessEnv {
    const { accessKeyId, secretAccessKey, sessionToken } = this.kms;
    return {
      ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
      ...(sessionToken === null ? {} : { AWS_SESSION_TOKEN: sessionToken }),
    };
  }

  /** A profile with the keys. */
  profile(name: string): string {
    const { accessKeyId, secretAccessKey, sessionToken } = this.kms;
    return `[${name}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\naws_session_token = ${sessionToken}\n`;
  }

  async close(): Promise<void> {
    await Promise.all([this.server.stop(), this.secure.stop()]);
    rmSync(this.home, { recursive: true });
  }
}

describe('AWS KMS with its SDK', function () {
  this.timeout(60_000);
  before(function () {
    this.timeout(300_000);
    installHelperLibraries();
  });

  describeWrappingKeysContract('AWS KMS', async () => {
    const place = await AwsWorkplace.open();
    return {
      ...{ wrappingKeys: place.helper(place.keys), place: PLACE, named: AWS_KEY },
      deny: async () => {
        place.kms.isDenied = true;
      },
      dispose: () => place.close(),
    };
  });

  let place: AwsWorkplace;
  beforeEach(async () => {
    place = await AwsWorkplace.open();
  });
  afterEach(() => place.close());

  type Helper = ReturnType<AwsWorkplace['helper']>;
  const opens = async (helper: Helper, wrappingKey: string = AWS_KEY) => {
    const ciphertext = await helper.wrap({ ...PLACE, wrappingKey }, (use) => use(KEY));
    const [opened] = await unwrapAll(helper, { ...PLACE, wrappingKey, ciphertext });
    expect(opened).to.deep.equal(KEY);
  };
  const explain = async (helper: Helper, wrappingKey: string = AWS_KEY) => {
    const [outcome] = await unwrapAll(helper, { ...PLACE, wrappingKey, ciphertext: 'AAAA' });
    if (!(outcome instanceof Error)) throw new Error('It should not open.');
    return outcome.message;
  };

  describe('takes credentials from', () => {
    it('variables', () => opens(place.helper(place.keys)));

    it('SIGNING_AWS_CREDENTIALS_FILE, before variables', async () => {
      const credentialsFile = place.write('keys', place.profile('default'));
      await opens(place.helper({ AWS_ACCESS_KEY_ID: 'AKIAOTHER', AWS_SECRET_ACCESS_KEY: 'x' }, { credentialsFile }));
    });

    it('a profile', async () => {
      place.write('.aws/credentials', INI_PROFILES + place.profile('signing'));
      await opens(place.helper({ AWS_PROFILE: 'signing' }));
    });

    it('a program (credential_process)', async () => {
      const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken } = place.kms;
      const output = place.write('out', JSON.stringify({ Version: 1, AccessKeyId, SecretAccessKey, SessionToken }));
      place.write('.aws/config', `[default]\ncredential_process = /bin/cat ${output}\n`);
      await opens(place.helper({}));
    });

    it('IAM Identity Center, with the cache of `aws sso login`', async () => {
      const account = 'sso_session = work\nsso_account_id = 111122223333\nsso_role_name = signing\n';
      const session = 'sso_start_url = https://work.awsapps.com/start\nsso_region = eu-west-1\n';
      place.write('.aws/config', `[default]\n${account}[sso-session work]\n${session}`);
      const token = { accessToken: place.kms.ssoToken, expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
      const name = createHash('sha1').update('work').digest('hex');
      place.write(`.aws/sso/cache/${name}.json`, JSON.stringify(token));
      await opens(place.helper({ AWS_ENDPOINT_URL_SSO: place.server.url.origin }));
    });

    it('a web identity (IRSA on EKS)', async () => {
      const file = place.write('token', place.kms.podToken, 0o644);
      const role = { AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/signing', AWS_WEB_IDENTITY_TOKEN_FILE: file };
      await opens(place.helper({ ...role, AWS_ENDPOINT_URL_STS: place.server.url.origin }));
    });

    it('the container endpoint (ECS, EKS Pod Identity)', async () => {
      const AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE = place.write('token', place.kms.podToken, 0o644);
      const AWS_CONTAINER_CREDENTIALS_FULL_URI = new URL('/v1/credentials', place.server.url).href;
      await opens(place.helper({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, AWS_CONTAINER_CREDENTIALS_FULL_URI }));
    });

    it('the instance (IMDSv2)', async () => {
      const AWS_EC2_METADATA_SERVICE_ENDPOINT = place.server.url.origin;
      await opens(place.helper({ AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT }));
      expect(place.server.calls[0]).to.include({ method: 'PUT', path: '/latest/api/token' });
    });
  });

  it('connects through HTTPS_PROXY, also to STS, and directly to hosts in NO_PROXY', async () => {
    const proxy = await ConnectProxy.start(Number(place.secure.url.port));
    try {
      const file = place.write('token', place.kms.podToken);
      const role = { AWS_ROLE_ARN: 'arn:aws:iam::111122223333:role/signing', AWS_WEB_IDENTITY_TOKEN_FILE: file };
      const AWS_ENDPOINT_URL_STS = `https://localhost:${place.secure.url.port}`;
      const environment = { ...role, AWS_ENDPOINT_URL_STS, HTTPS_PROXY: proxy.url };
      await opens(place.helper(environment, {}, true));
      expect(new Set(proxy.targets)).to.deep.equal(
        new Set([new URL(AWS_ENDPOINT_URL_STS).host, place.secure.url.host]),
      );
      proxy.targets.length = 0;
      await opens(place.helper({ ...environment, NO_PROXY: 'localhost,127.0.0.1' }, {}, true));
      expect(proxy.targets).to.deep.equal([]);
    } finally {
      proxy.stop();
    }
  });

  it('sends the id as the encryption context, and accepts an alias with SIGNING_AWS_REGION', async () => {
    await opens(place.helper(place.keys, { region: 'eu-west-1' }), 'alias/signing');
    const { KeyId, EncryptionContext } = JSON.parse(String(place.server.calls.at(-1)?.body));
    expect(KeyId).to.equal('alias/signing');
    expect(EncryptionContext).to.deep.equal({ 'signing-service/master-key/v1': PLACE.id });
    expect(place.server.calls.at(-1)?.headers.authorization).to.include('/eu-west-1/kms/');
  });

  it('explains a region that is missing or contradicts the ARN', async () => {
    expect(await explain(place.helper(place.keys), 'alias/signing')).to.include('set SIGNING_AWS_REGION');
    const message = await explain(place.helper(place.keys, { region: 'us-east-1' }));
    expect(message).to.include('is in eu-west-1').and.include('us-east-1');
  });

  it('explains what KMS refuses, and repeats what passes', async () => {
    for (const [type, text] of [
      ['AccessDeniedException', 'allow kms:Decrypt'],
      ['InvalidCiphertextException', 'restore the master key file'],
      ['DisabledException', 'enable the key'],
      ['UnrecognizedClientException', 'check the credentials'],
    ] as const) {
      place.server.failures.push(failure(type));
      expect(await explain(place.helper(place.keys)), type)
        .to.include(`(${type})`)
        .and.include(text)
        .and.include(AWS_KEY);
    }
    place.server.failures.push(failure('ThrottlingException'));
    await opens(place.helper(place.keys));
  });

  it('explains missing credentials, an unreachable endpoint and an untrusted certificate', async () => {
    expect(await explain(place.helper({}))).to.include('SIGNING_AWS_CREDENTIALS_FILE');
    const endpoint = 'http://127.0.0.1:1';
    expect(await explain(place.helper(place.keys, { endpoint })))
      .to.include('ECONNREFUSED')
      .and.include('SIGNING_AWS_');
    const aws = { region: null, endpoint: place.secure.url.href, credentialsFile: null };
    const untrusting = helpersWith({ aws }, { PATH: process.env['PATH'], ...place.keys });
    expect(await explain(untrusting)).to.include('SIGNING_MASTER_KEY_CA_FILE');
  });
});
