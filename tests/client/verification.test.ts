import { expect } from 'chai';
import { keccak256, SigningKey } from 'ethers/crypto';
import {
  canonicalJson,
  SigningClient,
  type SigningClientOptions,
  type SignRequest,
  VerificationError,
} from '../../src/client/client.ts';
import { type RunningService, startService } from '../harness/running-service.ts';
import { DATA_A, DATA_B, DATA_C } from '../harness/sample-accounts.ts';
import { caughtAs } from './caught.ts';
import { data, ScriptedServer } from './scripted-server.ts';

const ALPHA = { platformId: 'alpha', accountId: 'main', data: DATA_A };
const BETA = { platformId: 'beta', accountId: 'main', data: DATA_B };
const GAMMA = { platformId: 'gamma', accountId: 'main', data: DATA_C };
const BATCH = [
  { requestId: 'a', ...ALPHA },
  { requestId: 'b', ...BETA },
];

describe('Signature verification by the client', () => {
  let service: RunningService;
  const liar = new ScriptedServer();
  const clients: SigningClient[] = [];
  /** Real responses with payloads and keys. */
  let alpha: Record<string, string>;
  let beta: Record<string, string>;
  let gamma: Record<string, string>;
  let batch: { readonly results: readonly Record<string, string>[]; readonly summary: object };

  before(async () => {
    service = await startService();
    await liar.listen();
    const honest = clientWith({});
    [alpha, beta, gamma] = (await Promise.all(
      [ALPHA, BETA, GAMMA].map((request) => honest.sign(request, { includePayload: true })),
    )) as unknown as [Record<string, string>, Record<string, string>, Record<string, string>];
    batch = (await honest.signBatch(BATCH, { includePayload: true })) as unknown as typeof batch;
  });
  after(async () => {
    for (const client of clients) client.close();
    await service.close();
    await liar.close();
  });

  function clientWith(options: Partial<SigningClientOptions>, url = `http://127.0.0.1:${service.port}`): SigningClient {
    const client = new SigningClient({ url, ...options });
    clients.push(client);
    return client;
  }
  const deceived = (options: Partial<SigningClientOptions>) => clientWith(options, liar.url);
  const pins = () => ({ 'alpha/main': alpha['publicKey'] ?? '', 'beta/main': beta['publicKey'] ?? '' });

  describe('of the real service', () => {
    it('accepts ed25519 and eip191 signatures', async () => {
      const client = clientWith({ verifySignatures: 'always' });
      expect(await client.sign(ALPHA)).to.include({ verified: true, payload: canonicalJson(DATA_A) });
      expect(await client.sign(BETA)).to.include({ verified: true, payload: canonicalJson(DATA_B.message) });
      expect((await client.sign(GAMMA)).verified).to.equal(true);
    });

    it('accepts binary payloads', async () => {
      const client = clientWith({ verifySignatures: 'always', expectedPayloads: { verbatim: 'raw' } });
      for (const accountId of ['rfc8032-0', 'eip191-0']) {
        for (const raw of [{ hex: '0xff00' }, { base64: '/wA=' }, { text: 'é' }]) {
          const signed = await client.sign({ platformId: 'verbatim', accountId, data: raw });
          expect(signed.verified, `${accountId} ${JSON.stringify(raw)}`).to.equal(true);
        }
      }
    });

    it('accepts batch items with pinned keys, and leaves failed ones unchanged', async () => {
      const client = clientWith({ pinnedKeys: pins() });
      const failing = { ...ALPHA, requestId: 'x', data: {} };
      const { results } = await client.signBatch([...BATCH, { requestId: 'c', ...GAMMA }, failing]);
      expect(results.slice(0, 3).map((result) => 'verified' in result && result.verified)).to.deep.equal([
        ...[true, true, false],
      ]);
      expect(results[3]).to.include({ status: 'failed' }).and.not.have.property('verified');
    });
  });

  /** Responds with this to `ALPHA`. */
  async function errorOf(
    response: object,
    options: Partial<SigningClientOptions>,
    request: SignRequest = ALPHA,
  ): Promise<VerificationError> {
    liar.play(data(response));
    const error = await caughtAs(VerificationError, deceived(options).sign(request));
    expect(error).to.include({ kind: 'verification', ...accountOf(request), mayHaveBeenDone: true });
    expect(error.message.startsWith(`${request.platformId}/${request.accountId}: `)).to.equal(true);
    return error;
  }
  const accountOf = ({ platformId, accountId }: SignRequest) => ({ platformId, accountId });

  describe('of an impostor', () => {
    const ALWAYS = { verifySignatures: 'always' } as const;

    it('rejects another or a malformed signature, key, payload, encoding and algorithm, by two algorithms', async () => {
      const signatures = ['', '0', '!', 'x'.repeat(5000), '0x', '\u0000'].map((signature) => ({ signature }));
      const keys = ['', 'x', '0x04', `0x04${'00'.repeat(64)}`, '1'.repeat(32)].map((publicKey) => ({ publicKey }));
      for (const [response, request] of [
        [alpha, ALPHA],
        [beta, BETA as unknown as typeof ALPHA],
      ] as const) {
        const text = response['signature'] ?? '';
        const flipped = `${text.slice(0, 20)}${text[20] === '2' ? '3' : '2'}${text.slice(21)}`;
        const others = [
          ...[{ payload: `${response['payload']} ` }, { signature: flipped }, { algorithm: 'eip712' }],
          ...[{ encoding: 'base64' }, { encoding: 'rot13' }],
        ];
        for (const change of [...signatures, ...keys, ...others]) {
          const { reason } = await errorOf({ ...response, ...change }, ALWAYS, request);
          expect(reason, JSON.stringify(change)).to.equal('WRONG_SIGNATURE');
        }
        for (const change of [{ payload: 'ff0', payloadEncoding: 'hex' }, { payloadEncoding: 'utf-9' }]) {
          expect((await errorOf({ ...response, ...change }, ALWAYS, request)).reason).to.equal('WRONG_PAYLOAD');
        }
      }
    });

    it('rejects correctly signed typed data of another length or prefix', async () => {
      const key = new SigningKey(`0x${'11'.repeat(32)}`);
      const signedTypedData = (payload: string) => ({
        ...{ algorithm: 'eip712', encoding: '0x-hex', publicKey: key.publicKey, signedAt: '2026-11-20T08:49:01.000Z' },
        ...{ payload, payloadEncoding: 'hex', signature: key.sign(keccak256(`0x${payload}`)).serialized },
      });
      const hashes = 'ab'.repeat(64);
      liar.play(data(signedTypedData(`1901${hashes}`)));
      expect((await deceived(ALWAYS).sign(ALPHA)).verified).to.equal(true);
      for (const payload of [`1901${hashes}00`, `1901${hashes.slice(2)}`, `1900${hashes}`, `f901${hashes}`]) {
        expect((await errorOf(signedTypedData(payload), ALWAYS)).reason, payload).to.equal('WRONG_SIGNATURE');
      }
    });

    it("rejects another key's signature returned with the pinned key", async () => {
      const error = await errorOf({ ...gamma, publicKey: alpha['publicKey'] }, { pinnedKeys: pins() });
      expect(error.reason).to.equal('WRONG_SIGNATURE');
    });

    it('rejects an unverifiable algorithm for a key pinned for another algorithm', async () => {
      const mac = { ...alpha, algorithm: 'hmac-sha256', encoding: 'hex', signature: 'ab'.repeat(32) };
      expect((await errorOf(mac, { pinnedKeys: pins() })).reason).to.equal('WRONG_ALGORITHM');
      expect((await errorOf({ ...alpha, algorithm: 'rsa' }, { pinnedKeys: pins() })).reason).to.equal(
        'WRONG_ALGORITHM',
      );
    });

    it('rejects a batch with an invalid signature, or of another account', async () => {
      const [first = {}, second = {}] = batch.results;
      const swapped = [
        { ...first, signature: second['signature'], algorithm: second['algorithm'], payload: second['payload'] },
        second,
      ];
      for (const results of [[{ ...first, payload: 'x' }, second], swapped]) {
        liar.play(data({ ...batch, results }));
        const error = await caughtAs(VerificationError, deceived({ pinnedKeys: pins() }).signBatch(BATCH));
        expect(error).to.include({ platformId: 'alpha', accountId: 'main' });
      }
    });
  });

  describe('of the expected payload', () => {
    const rules = { alpha: 'jcs', beta: ({ message }: typeof DATA_B) => canonicalJson(message) } as never;

    it("compares the payload with the rule's", async () => {
      const client = clientWith({ verifySignatures: 'always', expectedPayloads: rules });
      expect((await client.sign(ALPHA)).verified).to.equal(true);
      expect((await client.sign(BETA)).verified).to.equal(true);
      const bytes = clientWith({
        verifySignatures: 'always',
        expectedPayloads: { verbatim: () => new Uint8Array([0xff]) },
      });
      const one = { platformId: 'verbatim', accountId: 'rfc8032-0' };
      expect((await bytes.sign({ ...one, data: { hex: 'ff' } })).verified).to.equal(true);
      const error = await caughtAs(VerificationError, bytes.sign({ ...one, data: { hex: 'fe' } }));
      expect(error.reason).to.equal('WRONG_PAYLOAD');
    });

    it('rejects a valid signature over other data, in batches too', async () => {
      // A valid signature of other data.
      const options = { verifySignatures: 'always', expectedPayloads: rules, pinnedKeys: pins() } as const;
      const requested = { ...ALPHA, data: { ...DATA_A, nonce: DATA_A.nonce + 1 } };
      expect((await errorOf(alpha, options, requested)).reason).to.equal('WRONG_PAYLOAD');
      liar.play(data(batch));
      const call = deceived(options).signBatch([{ requestId: 'a', ...requested }, BATCH[1] as (typeof BATCH)[1]]);
      expect((await caughtAs(VerificationError, call)).reason).to.equal('WRONG_PAYLOAD');
    });

    it('is that of the named rule of a request', async () => {
      const rule = 'login';
      const options = { verifySignatures: 'always', expectedPayloads: { 'alpha/login': 'jcs' } } as const;
      liar.play(data(alpha));
      expect((await deceived(options).sign({ ...ALPHA, rule })).verified).to.equal(true);
      const other = { ...ALPHA, data: { ...DATA_A, nonce: 1 } };
      expect((await errorOf(alpha, options, { ...other, rule })).reason).to.equal('WRONG_PAYLOAD');
      expect((await deceived(options).sign(other)).verified).to.equal(true);
      const ofPlatform = { ...options, expectedPayloads: { alpha: 'jcs' } } as const;
      expect((await deceived(ofPlatform).sign({ ...other, rule })).verified).to.equal(true);
    });

    it('has no rule for platforms named like members of Object.prototype', async () => {
      const one = { platformId: 'constructor', accountId: 'main', data: DATA_A };
      liar.play(data(alpha));
      expect((await deceived({ verifySignatures: 'always' }).sign(one)).verified).to.equal(true);
    });

    it('respects the order of members with rule json', async () => {
      const options = { verifySignatures: 'always', expectedPayloads: { alpha: 'json' } } as const;
      expect((await errorOf(alpha, options)).reason).to.equal('WRONG_PAYLOAD');
    });

    it('uses the data as of the call', async () => {
      const changing = { ...ALPHA, data: { ...DATA_A } };
      const client = clientWith({ verifySignatures: 'always', expectedPayloads: { alpha: 'jcs' } });
      const call = client.sign(changing);
      changing.data.nonce += 1;
      expect((await call).payload).to.equal(canonicalJson(DATA_A));
    });
  });

  describe('of unverifiable signatures', () => {
    const mac = {
      ...{ signature: 'ab'.repeat(32), algorithm: 'hmac-sha256', encoding: 'hex', payload: 'x' },
      ...{ publicKey: 'hmac:0123456789abcdef', signedAt: '2026-11-20T08:49:01.000Z' },
    };

    it('HMAC or the algorithm of a newer service: fails, or returns verified: false', async () => {
      for (const response of [mac, { ...alpha, algorithm: 'ed448' }]) {
        expect((await errorOf(response, { verifySignatures: 'always' })).reason).to.equal('NOT_VERIFIABLE');
        liar.play(data(response));
        expect((await deceived({ verifySignatures: 'where-possible' }).sign(ALPHA)).verified).to.equal(false);
      }
    });

    it('HMAC: compares the pinned id of the secret', async () => {
      liar.play(data(mac));
      const pinned = { 'alpha/main': 'hmac:0123456789abcdef' };
      expect((await deceived({ pinnedKeys: pinned }).sign(ALPHA)).verified).to.equal(false);
      const other = { 'alpha/main': 'hmac:fedcba9876543210' };
      const keys = { pinnedKey: other['alpha/main'], receivedKey: mac.publicKey };
      expect(await errorOf(mac, { pinnedKeys: other })).to.include({ reason: 'KEY_CHANGED', ...keys });
    });

    it('starknet: fails, or returns verified: false, and compares the pinned key', async () => {
      const publicKey = `0x0${'1'.repeat(63)}`;
      const stark = { ...mac, algorithm: 'starknet', encoding: '0x-hex', publicKey };
      const issue = await errorOf(stark, { verifySignatures: 'always' });
      expect(issue.reason).to.equal('NOT_VERIFIABLE');
      expect(issue.message).to.include('the client cannot verify the signature: its algorithm is starknet');
      liar.play(data(stark));
      expect((await deceived({ pinnedKeys: { 'alpha/main': publicKey } }).sign(ALPHA)).verified).to.equal(false);
      const other = { 'alpha/main': `0x0${'2'.repeat(63)}` };
      expect((await errorOf(stark, { pinnedKeys: other })).reason).to.equal('KEY_CHANGED');
      expect((await errorOf({ ...stark, algorithm: 'hmac-sha256' }, { pinnedKeys: other })).reason).to.equal(
        'KEY_CHANGED',
      );
    });
  });
});
