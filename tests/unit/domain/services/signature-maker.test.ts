import { expect } from 'chai';
import { ALGORITHMS, type Algorithm } from '../../../../src/domain/model/algorithm.ts';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { SIGNATURE_ENCODINGS, type SignatureEncoding } from '../../../../src/domain/model/signature-encoding.ts';
import type { Signer } from '../../../../src/ports/signer.ts';
import { AlteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench, SIGNERS } from './signing-workbench.ts';

const request = (data: JsonObject = { a: 1 }) => ({ platformId: 'alpha', accountId: 'main', data });

/** What a fault of memory or processor could make of a signature. */
const FAULTS: { readonly [fault: string]: (signer: Signer) => Signer['sign'] } = {
  'a bit of the message was wrong': (signer) => (key, message, encoding) =>
    signer.sign(
      key,
      message.map((byte, index) => (index === 0 ? byte ^ 1 : byte)),
      encoding,
    ),
  'a bit of the key was wrong': (signer) => (_key, message, encoding) => {
    const other = Buffer.alloc(signer.signingKeyLength);
    signer.expand(samplePrivateKey(2), other);
    return signer.sign(other, message, encoding);
  },
  'a digit of the signature was wrong': (signer) => (key, message, encoding) => {
    const signature = signer.sign(key, message, encoding);
    const at = 10;
    return signature.slice(0, at) + (signature[at] === '1' ? '2' : '1') + signature.slice(at + 1);
  },
  'the signature was cut': (signer) => (key, message, encoding) => signer.sign(key, message, encoding).slice(0, -2),
};

describe('SignatureMaker', () => {
  function workbench(algorithm: Algorithm, signer: Signer, verifySignatures: boolean, encoding?: SignatureEncoding) {
    const bench = createWorkbench({ signers: { ...SIGNERS, [algorithm]: signer }, verifySignatures });
    const platform = samplePlatform(encoding === undefined ? {} : { encoding });
    bench.serve([platform], [bench.enrol({ algorithm }, samplePrivateKey(1))]);
    return bench;
  }

  for (const algorithm of ALGORITHMS) {
    const honest = SIGNERS[algorithm];

    for (const encoding of SIGNATURE_ENCODINGS) {
      it(`verifies and gives out an ${algorithm} signature in ${encoding}`, async () => {
        const bench = workbench(algorithm, honest, true, encoding);
        const { signature, publicKey, payload } = acceptedValue(await bench.signing.sign(request(), CONTEXT));
        expect(honest.verify(publicKey, Buffer.from(payload), signature, encoding)).to.equal(true);
      });
    }

    for (const [fault, faulty] of Object.entries(FAULTS)) {
      it(`withholds an ${algorithm} signature when ${fault}, and says so to caller and auditor`, async () => {
        let made = '';
        const signer = new AlteredSigner(honest, (...call) => {
          made = faulty(honest)(...call);
          return made;
        });
        const bench = workbench(algorithm, signer, true);
        const outcome = await bench.signing.sign(request(), CONTEXT);
        const { code, details } = refusalOf(outcome);
        expect({ code, details }).to.deep.equal({
          code: 'SIGNATURE_FAILED',
          details: { platformId: 'alpha', accountId: 'main', reason: 'SIGNATURE_FAULTY' },
        });
        expect(made).to.have.length.above(40);
        expect(JSON.stringify([outcome, bench.sink.entries])).not.to.include(made);
        expect(bench.sink.entries.map(({ outcome: o, errorCode, signatureDigest }) => [o, errorCode, signatureDigest]))
          .to //
          .deep.equal([['failed', 'SIGNATURE_FAILED', null]]);
        expect(bench.usage.usage('alpha', 'main').errorCount).to.equal(1);
      });
    }

    it(`does not verify ${algorithm} signatures unless it is told to`, async () => {
      let verified = 0;
      const counting = new AlteredSigner(honest, (...call) => honest.sign(...call));
      counting.verify = (...call) => {
        verified += 1;
        return honest.verify(...call);
      };
      acceptedValue(await workbench(algorithm, counting, false).signing.sign(request(), CONTEXT));
      expect(verified).to.equal(0);
      acceptedValue(await workbench(algorithm, counting, true).signing.sign(request(), CONTEXT));
      expect(verified).to.equal(1);
    });
  }
});
