import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { GcpKmsKey, type GcpSettings } from '../../../../../src/adapters/credentials/wrapping-keys/gcp-kms.ts';
import { MasterKeyUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { describeWrappingKeyContract } from '../../../../contracts/wrapping-key-contract.ts';
import { GCP_KEY, GcpStandIn } from '../../../../doubles/key-services/gcp-stand-in.ts';
import type { ServiceStandIn } from '../../../../doubles/key-services/service-stand-in.ts';

const ID = '0123456789abcdef';

function keyAt({ url }: ServiceStandIn, settings: Partial<GcpSettings> = {}, name = GCP_KEY): GcpKmsKey {
  const defaults = { endpoint: url, metadataServer: url, tokenFile: null, timeoutMs: 5000, caFile: null };
  return new GcpKmsKey(name, { ...defaults, ...settings });
}

describeWrappingKeyContract('GcpKmsKey', async () => {
  const kms = new GcpStandIn();
  const server = await kms.start();
  return {
    ...{ wrappingKey: keyAt(server), place: `Google Cloud KMS at ${server.url.origin}` },
    deny: async () => {
      kms.isDenied = true;
    },
    dispose: () => server.stop(),
  };
});

describe('GcpKmsKey', () => {
  const key = Buffer.alloc(32, 0x5a);
  let kms: GcpStandIn;
  let server: ServiceStandIn;
  let ciphertext: Uint8Array;
  beforeEach(async () => {
    kms = new GcpStandIn();
    server = await kms.start();
    ciphertext = await keyAt(server).wrap(ID, (use) => use(key));
  });
  afterEach(() => server.stop());

  const failure = async (wrappingKey: GcpKmsKey = keyAt(server)) => {
    const error = await wrappingKey.unwrap(ID, ciphertext, () => undefined).catch((reason: unknown) => reason);
    if (!(error instanceof MasterKeyUnavailableError)) throw error;
    return error.message;
  };

  it('sends the token of a file instead of that of the metadata server', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gcp-'));
    try {
      const tokenFile = join(folder, 'token');
      writeFileSync(tokenFile, `${kms.token}\n`, { mode: 0o600 });
      const before = server.calls.length;
      const wrappingKey = keyAt(server, { tokenFile });
      expect((await wrappingKey.unwrap(ID, ciphertext, (bytes) => Buffer.from(bytes))).equals(key)).to.equal(true);
      expect(server.calls.length - before).to.equal(1);
      writeFileSync(tokenFile, 'ya29.expired');
      expect(await failure(wrappingKey))
        .to.include('expired')
        .and.include('SIGNING_GCP_TOKEN_FILE');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('explains a disabled key, a missing key and a denied one', async () => {
    kms.isDisabled = true;
    expect(await failure())
      .to.include('enable the key')
      .and.include('FAILED_PRECONDITION');
    kms.isDisabled = false;
    expect(await failure(keyAt(server, {}, `${GCP_KEY}2`))).to.include(`there is no key ${GCP_KEY}2`);
    kms.isDenied = true;
    expect(await failure()).to.include('useToDecrypt');
  });

  it('explains a machine without a service account', async () => {
    server.failures.push({ status: 404, body: '' });
    expect(await failure()).to.include('attach a service account');
  });
});
