import { expect } from 'chai';
import { ALGORITHMS, type Algorithm, SIGNATURE_ENCODINGS } from '../../../../src/domain/model/algorithm.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import type { Signer } from '../../../../src/ports/signer.ts';
import { isValidSignature } from '../../../contracts/independent-verification.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { payloadBytes, signableBy } from './signable-data.ts';
import { CONTEXT, createWorkbench, REQUEST, SIGNERS } from './signing-workbench.ts';

/** Signs a valid request of an algorithm. */
function workbench(algorithm: Algorithm, signer: Signer, verifySignatures = true, platform: Partial<Platform> = {}) {
  const bench = createWorkbench({ signers: { ...SIGNERS, [algorithm]: signer }, verifySignatures });
  const { payload, data } = signableBy(algorithm);
  bench.serve([samplePlatform({ payload, ...platform })], [bench.enrol({ algorithm }, samplePrivateKey(1, algorithm))]);
  return { bench, sign: () => bench.signing.sign({ ...REQUEST, data }, CONTEXT) };
}

describe('Signatures that are verified before their release', () => {
  it('are released in each encoding that a platform selects', async () => {
    for (const encoding of SIGNATURE_ENCODINGS) {
      const result = acceptedValue(await workbench('ed25519', SIGNERS.ed25519, true, { encoding }).sign());
      expect(result.encoding).to.equal(encoding);
      expect(isValidSignature(result, payloadBytes(result))).to.equal(true);
    }
  });

  for (const algorithm of ALGORITHMS) {
    const honest = SIGNERS[algorithm];

    it(`are released for ${algorithm}, with one opening of the key`, async () => {
      const { bench, sign } = workbench(algorithm, honest);
      const result = acceptedValue(await sign());
      expect(isValidSignature(result, payloadBytes(result), samplePrivateKey(1, algorithm))).to.equal(true);
      expect(bench.opened).to.have.length(1);
    });

    if (honest.kind === 'mac') continue;

    it(`are withheld for ${algorithm} after a fault, which caller and auditor get to know`, async () => {
      let faulty = '';
      const signer = alteredSigner<Signer>(honest, {
        sign: (key, message, encoding) => {
          const last = message.length - 1;
          faulty = honest.sign(
            key,
            message.map((byte, index) => (index === last ? byte ^ 1 : byte)),
            encoding,
          );
          return faulty;
        },
      });
      const { bench, sign } = workbench(algorithm, signer);
      const outcome = await sign();
      const { code, details } = refusalOf(outcome);
      expect({ code, details }).to.deep.equal({
        code: 'SIGNATURE_FAILED',
        details: { platformId: 'alpha', accountId: 'main', reason: 'SIGNATURE_FAULTY' },
      });
      expect(faulty).to.have.length.above(40);
      expect(JSON.stringify([outcome, bench.sink.entries])).not.to.include(faulty);
      expect(bench.sink.entries).to.have.length(1);
      expect(bench.sink.entries[0]).to.include({
        outcome: 'failed',
        errorCode: 'SIGNATURE_FAILED',
        signatureDigest: null,
      });
    });
  }

  it('are verified only where that is configured, and codes (HMAC) never: a faulty one reveals no secret', async () => {
    const failing = alteredSigner<Signer>(SIGNERS.ed25519, { verify: () => false });
    acceptedValue(await workbench('ed25519', failing, false).sign());
    const failingMac = alteredSigner<Signer>(SIGNERS['hmac-sha256'], { verifyWithSecret: () => false });
    acceptedValue(await workbench('hmac-sha256', failingMac).sign());
  });
});
