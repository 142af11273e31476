import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import bs58 from 'bs58';
import { expect } from 'chai';
import { computeAddress, keccak256, recoverAddress } from 'ethers';
import request from 'supertest';
import { NodeHasher } from '../../../src/adapters/node/node-hasher.ts';
import { EthersTypedDataEncoder } from '../../../src/adapters/signing/ethers-typed-data-encoder.ts';
import { ScureStarknetTypedDataEncoder } from '../../../src/adapters/signing/starknet-typed-data-encoder.ts';
import { createSigners } from '../../../src/app/compose.ts';
import type { Algorithm } from '../../../src/domain/model/algorithm.ts';
import type { JsonObject, JsonValue } from '../../../src/domain/model/json.ts';
import type { Platform } from '../../../src/domain/model/platform.ts';
import { Registry } from '../../../src/domain/model/registry.ts';
import { findPreset } from '../../../src/domain/presets/venue-presets.ts';
import { AuditEntryService } from '../../../src/domain/services/audit-entry-service.ts';
import { RegistryHolder } from '../../../src/domain/services/registry-holder.ts';
import { VerifySignatureService } from '../../../src/domain/services/verify-signature-service.ts';
import { FixedClock } from '../../doubles/fixed-clock.ts';
import type { FixedAccount } from '../../doubles/fixed-credential-source.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { MockKeyStore } from '../../doubles/mock-key-store.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { keyBytes } from '../../vectors/venue-vectors.ts';
import { expectData, expectIssues } from '../harness/envelope-checks.ts';
import { type RunningService, STARTED_AT, startService } from '../harness/running-service.ts';
import type { SignatureResult } from '../harness/signature-checks.ts';

const FOLDER = resolve(import.meta.dirname, '../../../../shared/vectors');

/** A published vector of a venue. */
interface VenueVector {
  readonly id: string;
  readonly algorithm: string;
  readonly encoding?: string;
  readonly secret?: string;
  readonly seedHex?: string;
  readonly privateKeyPem?: string;
  readonly privateKey?: string;
  readonly payload: string;
  readonly signature?: string;
  readonly verified: boolean | null;
  readonly input?: JsonObject;
  readonly timestamp?: string;
}

interface TypedDataVector {
  readonly name: string;
  readonly domain: JsonObject;
  readonly types: JsonObject;
  readonly primaryType: string;
  readonly data: JsonObject;
  readonly encoded: string;
  readonly digest: string;
}

interface JcsVector {
  readonly id: string;
  readonly input?: string;
  readonly ieee754?: string;
  readonly output: string;
}

interface WycheproofGroup {
  readonly tagSize: number;
  readonly publicKey: { readonly pk: string };
  readonly tests: readonly {
    readonly tcId: number;
    readonly key: string;
    readonly msg: string;
    readonly tag: string;
    readonly sig: string;
    readonly result: 'valid' | 'invalid';
  }[];
}

interface MessageVector {
  readonly id: string;
  readonly privateKey?: string;
  readonly address?: string;
  readonly message: string | { readonly hex: string };
  readonly messageHash: string;
  readonly signature?: string;
}

interface Rfc8032Vector {
  readonly id: string;
  readonly seedHex: string;
  readonly messageHex: string;
  readonly signatureHex: string;
  readonly signatureBase58: string;
  readonly signatureBase64: string;
}

/**
 * All signing vectors of ../shared/vectors. Clones without that folder have most in tests/vectors.
 */
if (existsSync(FOLDER)) {
  describe('Published vectors, through the HTTP API', () => {
    const platforms: Platform[] = [];
    const accounts: FixedAccount[] = [];
    let service: RunningService;

    before(async function () {
      this.timeout(60_000);
      service = await startService();
      service.credentials.contain({ platforms, accounts });
      expectData(await request(service.server).post('/api/v1/config/reload'));
    });
    after(() => service.close());

    /** Adds a platform; the service starts once all tests are defined. */
    function platform(platformId: string, rest: Omit<Platform, 'platformId'>): void {
      platforms.push({ platformId, ...rest });
    }

    function account(platformId: string, accountId: string, algorithm: Algorithm, privateKey: Uint8Array): void {
      const known = accounts.some((other) => other.platformId === platformId && other.accountId === accountId);
      if (known) return;
      accounts.push({
        ...{ platformId, accountId, algorithm, alias: accountId, status: 'active', environment: 'production' },
        ...{ publicKey: null, createdAt: null, privateKey: Uint8Array.from(privateKey) },
      });
    }

    const post = (path: string, body: object) => request(service.server).post(`/api/v1${path}`).send(body);
    const sign = async (platformId: string, accountId: string, data: JsonObject) =>
      expectData<SignatureResult>(await post('/sign?include=payload', { platformId, accountId, data }));

    function preset(name: string): Platform {
      const found = findPreset(name);
      if (found === undefined) throw new Error(`There is no preset ${name}.`);
      if (platforms.every(({ platformId }) => platformId !== name)) platform(name, found.platform);
      return { platformId: name, ...found.platform };
    }

    for (const file of ['binance.json', 'okx-family.json', 'solana-venues.json']) {
      describe(file, () => {
        for (const vector of vectorsOf<VenueVector>(file).filter(({ verified }) => verified === true)) {
          const name = presetOf(vector.id);
          const { algorithms, secretDecoding } = preset(name);
          account(name, vector.id.replaceAll(' ', '-'), algorithms[0] ?? 'ed25519', keyOf(vector, secretDecoding));
          it(vector.id, async () => {
            const result = await sign(name, vector.id.replaceAll(' ', '-'), dataOf(vector));
            expect(result.payload).to.equal(vector.payload);
            if (vector.signature !== undefined) expect(result.signature).to.equal(vector.signature);
          });
        }
      });
    }

    describe('rfc8032.json', () => {
      const encodings = ['hex', 'base58', 'base64'] as const;
      for (const encoding of encodings) {
        platform(`ed25519-${encoding}`, { format: 'any', algorithms: ['ed25519'], payload: { rule: 'raw' }, encoding });
      }
      for (const vector of vectorsOf<Rfc8032Vector>('rfc8032.json')) {
        const id = vector.id.replace(/[^A-Za-z0-9]/g, '-');
        for (const encoding of encodings) {
          account(`ed25519-${encoding}`, id, 'ed25519', Buffer.from(vector.seedHex, 'hex'));
        }
        it(vector.id, async () => {
          const data = { hex: vector.messageHex };
          expect((await sign('ed25519-hex', id, data)).signature).to.equal(vector.signatureHex);
          expect((await sign('ed25519-base58', id, data)).signature).to.equal(vector.signatureBase58);
          expect((await sign('ed25519-base64', id, data)).signature).to.equal(vector.signatureBase64);
        });
      }
    });

    describe('eip191.json', () => {
      platform('eip191', { format: 'any', algorithms: ['eip191'], payload: { rule: 'raw' } });
      const vectors = vectorsOf<MessageVector>('eip191.json');
      const anyKey = vectors.find(({ privateKey }) => privateKey !== undefined)?.privateKey ?? '';
      for (const [index, { id, privateKey, message, messageHash, signature, address }] of vectors.entries()) {
        account('eip191', `vector-${index}`, 'eip191', Buffer.from((privateKey ?? anyKey).slice(2), 'hex'));
        it(id, async () => {
          const data = typeof message === 'string' ? { text: message } : { hex: message.hex };
          const result = await sign('eip191', `vector-${index}`, data);
          const signer = computeAddress(result.publicKey);
          expect(recoverAddress(messageHash, result.signature)).to.equal(signer);
          if (signature !== undefined) expect(result.signature).to.equal(signature);
          if (address !== undefined) expect(signer).to.equal(address);
        });
      }
    });

    describe('jcs-rfc8785.json', () => {
      platform('jcs', { format: 'any', algorithms: ['ed25519'], payload: { rule: 'jcs', field: 'value' } });
      account('jcs', 'main', 'ed25519', Buffer.alloc(32, 7));
      for (const { id, input, ieee754, output } of vectorsOf<JcsVector>('jcs-rfc8785.json')) {
        const value = input === undefined ? [doubleOf(ieee754 ?? '')] : JSON.parse(input);
        const body = `{"platformId":"jcs","accountId":"main","data":{"value":${input ?? JSON.stringify(value)}}}`;
        const postText = () =>
          request(service.server).post('/api/v1/sign?include=payload').type('application/json').send(body);
        if (hasLargeInteger(value)) {
          it(`${id}: is rejected because an integer beyond 2^53-1 cannot be signed as sent`, async () => {
            expect(expectIssues(await postText())[0]).to.match(/^data\.value/);
          });
        } else {
          it(id, async () => {
            const { payload } = expectData<SignatureResult>(await postText());
            expect(payload).to.equal(input === undefined ? `[${output}]` : output);
          });
        }
      }
    });

    describe('ethers-v6-typed-data.json', () => {
      platform('typed', { format: 'any', algorithms: ['eip712'], payload: { rule: 'typed-data' } });
      account('typed', 'main', 'eip712', Buffer.alloc(32, 7));
      for (const vector of read<readonly TypedDataVector[]>('ethers-v6-typed-data.json')) {
        const { name, domain, types, primaryType, data: message, encoded, digest } = vector;
        it(name, async () => {
          const result = await sign('typed', 'main', { domain, types, primaryType, message });
          expect(keccak256(`0x${result.payload}`)).to.equal(digest);
          expect(`0x${result.payload?.slice(-64)}`).to.equal(keccak256(encoded));
          expect(recoverAddress(digest, result.signature)).to.equal(computeAddress(result.publicKey));
        });
      }
    });

    describe('wycheproof-hmac_sha256_test.json', () => {
      const payload = { rule: 'raw' } as const;
      platform('hmac', { format: 'any', algorithms: ['hmac-sha256'], payload, verify: { mac: true } });
      for (const { tagSize, tests } of read<{ testGroups: WycheproofGroup[] }>('wycheproof-hmac_sha256_test.json')
        .testGroups) {
        for (const { tcId, key, msg, tag, result } of tests) {
          account('hmac', `tc-${tcId}`, 'hmac-sha256', Buffer.from(key, 'hex'));
          it(`${tcId}, a ${result} tag of ${tagSize} bits`, async () => {
            const body = { platformId: 'hmac', accountId: `tc-${tcId}`, data: { hex: msg } };
            const { signature } = await sign('hmac', `tc-${tcId}`, { hex: msg });
            expect(signature).to.have.lengthOf(64);
            expect(signature.slice(0, tagSize / 4) === tag).to.equal(result === 'valid');
            const isWhole = tagSize === 256;
            expect(expectData(await post('/verify', { ...body, signature: tag }))).to.deep.equal({
              valid: isWhole && result === 'valid',
            });
          });
        }
      }
    });
  });

  describe('wycheproof-ed25519_test.json, through POST /api/v1/verify', () => {
    const { testGroups } = read<{ testGroups: WycheproofGroup[] }>('wycheproof-ed25519_test.json');
    let service: RunningService;

    before(async () => {
      service = await startService({ replace: () => ({ verification: verificationOf(testGroups) }) });
    });
    after(() => service.close());

    for (const [index, { tests }] of testGroups.entries()) {
      for (const { tcId, msg, sig, result } of tests) {
        it(`${tcId} is ${result}`, async () => {
          const body = { platformId: 'wycheproof', accountId: `key-${index}`, data: { hex: msg } };
          const response = await request(service.server)
            .post('/api/v1/verify')
            .send({ ...body, signature: sig === '' ? '-' : sig });
          expect(expectData(response)).to.deep.equal({ valid: result === 'valid' });
        });
      }
    }
  });
}

/** Verifies with the public keys of the vectors; private keys are unpublished. */
function verificationOf(groups: readonly WycheproofGroup[]): VerifySignatureService {
  const clock = new FixedClock();
  const registry = new RegistryHolder();
  const profile = { alias: 'x', status: 'active', environment: 'production', createdAt: STARTED_AT } as const;
  const accounts = groups.map(({ publicKey }, index) => ({
    ...profile,
    platformId: 'wycheproof',
    accountId: `key-${index}`,
    algorithm: 'ed25519' as const,
    publicKey: bs58.encode(Buffer.from(publicKey.pk, 'hex')),
    key: { id: `none-${index}` },
    keyId: `id-${index}`,
  }));
  const platform: Platform = {
    platformId: 'wycheproof',
    format: 'any',
    algorithms: ['ed25519'],
    payload: { rule: 'raw' },
    encoding: 'hex',
  };
  registry.replace(new Registry([platform], accounts), STARTED_AT);
  const hasher = new NodeHasher();
  return new VerifySignatureService({
    ...{ registry, hasher, clock },
    keyStore: new MockKeyStore(),
    signers: createSigners(),
    typedData: new EthersTypedDataEncoder(),
    starknet: new ScureStarknetTypedDataEncoder(),
    audit: new AuditEntryService(new MemoryAuditSink(), hasher, clock, 'test-instance', new RecordingServiceLog()),
  });
}

function read<Content>(file: string): Content {
  return JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
}

function vectorsOf<Vector>(file: string): readonly Vector[] {
  return read<{ vectors: Vector[] }>(file).vectors;
}

function presetOf(id: string): string {
  if (id.startsWith('binance-ws')) return 'binance-ws';
  if (id.startsWith('binance-fix')) return 'binance-fix';
  return id.slice(0, id.indexOf('-'));
}

function keyOf({ secret, seedHex, privateKeyPem }: VenueVector, decoding: Platform['secretDecoding']): Buffer {
  if (secret !== undefined) return keyBytes({ text: secret }, decoding);
  if (privateKeyPem !== undefined) return keyBytes({ pem: privateKeyPem });
  return keyBytes({ hex: seedHex ?? '07'.repeat(32) });
}

/** The request data of a vector: its input, or what produces its text. */
function dataOf({ id, input, payload }: VenueVector): JsonObject {
  if (id.startsWith('pacifica')) {
    const { header, ...rest } = input as { header?: JsonObject };
    return { ...header, ...rest };
  }
  if (id.startsWith('backpack')) return input ?? {};
  if (id.startsWith('binance-fix')) {
    const [msgType = '', senderCompId = '', targetCompId = '', msgSeqNum = '', sendingTime = ''] =
      payload.split('\u0001');
    return { msgType, senderCompId, targetCompId, msgSeqNum, sendingTime };
  }
  if (id.startsWith('binance')) {
    const pairs = payload.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
    return { params: Object.fromEntries(pairs) };
  }
  const [, timestamp = '', method = '', path = '', body = ''] =
    /^(\d{13}|[\d:.TZ-]{24})([A-Z]+)(\/[^{]*)(\{.*)?$/.exec(payload) ?? [];
  return { timestamp, method, path, ...(body === '' ? {} : { body: JSON.parse(body) as JsonObject }) };
}

/** A double from 8 big-endian bytes in hex. */
function doubleOf(ieee754: string): number {
  return Buffer.from(ieee754, 'hex').readDoubleBE();
}

function hasLargeInteger(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLargeInteger);
}
