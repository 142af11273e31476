import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findAwsCredentialsPlace } from '../../../../../src/adapters/credentials/wrapping-keys/aws-credentials-place.ts';
import { AwsKmsKey, type AwsSettings } from '../../../../../src/adapters/credentials/wrapping-keys/aws-kms.ts';
import { MasterKeyUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { describeWrappingKeyContract } from '../../../../contracts/wrapping-key-contract.ts';
import { AWS_KEY, AwsStandIn, failure } from '../../../../doubles/key-services/aws-stand-in.ts';
import type { ServiceStandIn } from '../../../../doubles/key-services/service-stand-in.ts';

const ID = '0123456789abcdef';

function keyAt({ url }: ServiceStandIn, settings: Partial<AwsSettings> = {}, name = AWS_KEY): AwsKmsKey {
  const credentials = { kind: 'instance', metadataServer: url } as const;
  return new AwsKmsKey(name, {
    ...{ region: null, endpoint: url, credentials, timeoutMs: 5000, caFile: null },
    ...settings,
  });
}

describeWrappingKeyContract('AwsKmsKey', async () => {
  const kms = new AwsStandIn();
  const server = await kms.start();
  return {
    ...{ wrappingKey: keyAt(server), place: `AWS KMS at ${server.url.origin}` },
    deny: async () => {
      kms.isDenied = true;
    },
    dispose: () => server.stop(),
  };
});

describe('AwsKmsKey', () => {
  const key = Buffer.alloc(32, 0x5a);
  let folder: string;
  let kms: AwsStandIn;
  let server: ServiceStandIn;
  let ciphertext: Uint8Array;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'aws-'));
    kms = new AwsStandIn();
    server = await kms.start();
    ciphertext = await keyAt(server).wrap(ID, (use) => use(key));
  });
  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const opens = async (wrappingKey: AwsKmsKey) =>
    (await wrappingKey.unwrap(ID, ciphertext, (bytes) => Buffer.from(bytes))).equals(key);
  const explain = async (action: () => Promise<unknown>) => {
    const error = await Promise.resolve()
      .then(action)
      .catch((reason: unknown) => reason);
    if (!(error instanceof MasterKeyUnavailableError)) throw error;
    return error.message;
  };
  const failureOf = (settings: Partial<AwsSettings> = {}, name = AWS_KEY) =>
    explain(async () => opens(keyAt(server, settings, name)));
  /** KMS responds so, after the three requests of IMDSv2. */
  const failureFor = (type: string) => {
    const credentials = fileCredentials();
    server.failures.push(failure(type));
    return failureOf({ credentials });
  };
  const fileCredentials = (text = contentOf(kms)) => {
    const file = join(folder, 'credentials');
    writeFileSync(file, text, { mode: 0o600 });
    return { kind: 'file', file } as const;
  };

  it('sends the key, and the id as the encryption context', async () => {
    expect(await opens(keyAt(server, { region: 'eu-west-1' }, 'alias/signing'))).to.equal(true);
    const fields = JSON.parse(String(server.calls.at(-1)?.body));
    expect(fields.KeyId).to.equal('alias/signing');
    expect(fields.EncryptionContext).to.deep.equal({ 'signing-service/master-key/v1': ID });
  });

  it('authenticates with the profile [default] of a shared credentials file', async () => {
    const before = server.calls.length;
    expect(await opens(keyAt(server, { credentials: fileCredentials() }))).to.equal(true);
    expect(server.calls.length - before).to.equal(1);
    kms.sessionToken = null;
    expect(await opens(keyAt(server, { credentials: fileCredentials() }))).to.equal(true);
  });

  it('explains a credentials file without usable keys, and quotes none', async () => {
    const secret = kms.secretAccessKey;
    for (const text of [`[default]\naws_access_key_id=AKIA\naws_secret_access_key=${secret} x\n`]) {
      const message = await failureOf({ credentials: fileCredentials(text) });
      expect(message).to.include('SIGNING_AWS_CREDENTIALS_FILE').and.include('[default]');
      expect(message).to.not.include(secret);
    }
    expect(await failureOf({ credentials: { kind: 'file', file: join(folder, 'none') } })).to.include('no such file');
  });

  it('authenticates with the container endpoint and the token of its file, which may have mode 0644', async () => {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, kms.podToken);
    chmodSync(tokenFile, 0o644);
    const url = new URL('/v1/credentials', server.url);
    expect(await opens(keyAt(server, { credentials: { kind: 'container', url, tokenFile } }))).to.equal(true);
    writeFileSync(tokenFile, 'another');
    const message = await failureOf({ credentials: { kind: 'container', url, tokenFile } });
    expect(message).to.include('no credentials (401)').and.include('role');
  });

  it('explains an instance without a role', async () => {
    kms.hasRole = false;
    expect(await failureOf()).to.include('attach an instance profile');
  });

  it('explains what KMS refuses', async () => {
    const refusals = [
      ['AccessDeniedException', 'kms:Decrypt'],
      ['InvalidCiphertextException', 'restore the master key file'],
      ['IncorrectKeyException', `is not ${AWS_KEY}`],
      ['com.amazonaws.kms#UnrecognizedClientException', 'credentials were rejected'],
      ['InvalidSignatureException', 'the clock'],
      ['NewException', 'unexpected status 400'],
    ] as const;
    for (const [type, text] of refusals) {
      const message = await failureFor(type);
      expect(message, type)
        .to.include(text)
        .and.include(`(${type.replace(/^.*#/, '')})`);
      expect(message, type).to.include(`AWS KMS at ${server.url.origin}`);
    }
    const other = AWS_KEY.replace('1234abcd', '00000000');
    expect(await failureOf({}, other)).to.include(`there is no key ${other} in eu-west-1`);
  });

  it('is rejected if it signs for another region or with another key', async () => {
    expect(await failureOf({ region: 'us-east-1' }, 'alias/signing')).to.include('SIGNING_AWS_REGION');
    const credentials = fileCredentials(contentOf(kms).replace('wJalr', 'xJalr'));
    expect(await failureOf({ credentials })).to.include('InvalidSignatureException');
  });

  it('needs a region, which does not contradict the ARN', async () => {
    expect(await failureOf({}, 'alias/signing')).to.include('needs the setting SIGNING_AWS_REGION');
    const message = await failureOf({ region: 'us-east-1' });
    expect(message).to.include('is in eu-west-1').and.include('us-east-1');
  });

  it('repeats a throttled request', async () => {
    const credentials = fileCredentials();
    server.failures.push(failure('ThrottlingException'));
    expect(await opens(keyAt(server, { credentials }))).to.equal(true);
  });
});

describe('The place of credentials for AWS', () => {
  const nothing = { relativeUri: null, fullUri: null, tokenFile: null };

  it('is the file, else the container endpoint, else the instance', () => {
    const container = { relativeUri: '/v2/x', fullUri: 'http://169.254.170.23/v1', tokenFile: '/run/token' };
    const place = (credentialsFile: string | null, given: typeof container | typeof nothing) =>
      findAwsCredentialsPlace({ credentialsFile, container: given });
    expect(place('/run/aws', container)).to.deep.equal({ kind: 'file', file: '/run/aws' });
    const url = new URL('http://169.254.170.2/v2/x');
    expect(place(null, container)).to.deep.equal({ kind: 'container', url, tokenFile: '/run/token' });
    expect(place(null, nothing).kind).to.equal('instance');
  });

  it('is not an unencrypted endpoint elsewhere', () => {
    const find = (given: object) =>
      findAwsCredentialsPlace({ credentialsFile: null, container: { ...nothing, ...given } });
    for (const fullUri of ['http://example.com/', 'http://169.254.170.24/', 'ftp://localhost/', 'x']) {
      expect(() => find({ fullUri }), fullUri).to.throw(MasterKeyUnavailableError, 'FULL_URI must be');
    }
    for (const fullUri of ['https://example.com/', 'http://localhost:1/', 'http://[fd00:ec2::23]/v1/credentials']) {
      expect(find({ fullUri }).kind, fullUri).to.equal('container');
    }
    expect(() => find({ relativeUri: '@example.com/' })).to.throw('RELATIVE_URI must be');
  });
});

/** As `aws configure` and console downloads write it, with another profile around. */
function contentOf({ accessKeyId, secretAccessKey, sessionToken }: AwsStandIn): string {
  const lines = [
    ...['# comment', '[other]', 'aws_access_key_id = AKIAOTHER', 'aws_secret_access_key = other', ''],
    ...['[default]', 'region = eu-west-1', `aws_access_key_id = ${accessKeyId}`],
    ...[`aws_secret_access_key=${secretAccessKey}`],
    ...(sessionToken === null ? [] : [`aws_session_token = ${sessionToken} `]),
    ...['[third]', 'aws_access_key_id = AKIATHIRD', 'aws_secret_access_key = third'],
  ];
  return lines.join('\r\n');
}
