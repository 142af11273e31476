import { expect } from 'chai';
import {
  ALGORITHMS,
  type Algorithm,
  MAC_ALGORITHMS,
  SIGNATURE_ENCODINGS,
  type SignatureEncoding,
} from '../../../../src/domain/model/algorithm.ts';
import type { PublicKeySigner, Signer } from '../../../../src/ports/signer.ts';
import { alteredSigner } from '../../../doubles/altered-signer.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { isValidSignature } from './is-valid-signature.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { payloadBytes, SIGNABLE } from './signable-data.ts';
import { CONTEXT, createWorkbench, SIGNERS } from './signing-workbench.ts';

const requestFor = (algorithm: Algorithm) => ({
  platformId: 'alpha',
  accountId: 'main',
  data: SIGNABLE[algorithm].data,
});

/** Hardware faults of signatures. */
const FAILURES: { readonly [issue: string]: (signer: Signer) => Signer['sign'] } = {
  'a bit of the message was wrong': (signer) => (key, message, encoding) =>
    signer.sign(
      key,
      message.map((byte, index) => (index === message.length - 1 ? byte ^ 1 : byte)),
      encoding,
    ),
  'a bit of the key was wrong': (signer) => (_key, message, encoding) => {
    const privateKey = samplePrivateKey(2, signer.algorithm);
    const other = Buffer.alloc(signer.signingKeyLength(privateKey.length));
    signer.expand(privateKey, other);
    return signer.sign(other, message, encoding);
  },
  'a digit of the signature was wrong': (signer) => (key, message, encoding) => {
    const signature = signer.sign(key, message, encoding);
    const at = 10;
    return signature.slice(0, at) + (signature[at] === '1' ? '2' : '1') + signature.slice(at + 1);
  },
  'the signature was cut': (signer) => (key, message, encoding) => signer.sign(key, message, encoding).slice(0, -2),
};

describe('A faulty signature', () => {
  function workbench(algorithm: Algorithm, signer: Signer, verifySignatures: boolean, encoding?: SignatureEncoding) {
    const bench = createWorkbench({ signers: { ...SIGNERS, [algorithm]: signer }, verifySignatures });
    const { payload } = SIGNABLE[algorithm];
    const platform = samplePlatform({ payload, ...(encoding === undefined ? {} : { encoding }) });
    bench.serve([platform], [bench.enrol({ algorithm }, samplePrivateKey(1, algorithm))]);
    return bench;
  }

  for (const algorithm of ALGORITHMS) {
    const honest = SIGNERS[algorithm];
    const request = requestFor(algorithm);

    for (const encoding of SIGNATURE_ENCODINGS) {
      it(`releases an ${algorithm} signature in ${encoding}, verified if possible`, async () => {
        const bench = workbench(algorithm, honest, true, encoding);
        const result = acceptedValue(await bench.signing.sign(request, CONTEXT));
        expect(result.encoding).to.equal(encoding);
        expect(isValidSignature(result, payloadBytes(result), samplePrivateKey(1, algorithm))).to.equal(true);
      });
    }

    it(`opens the key for an ${algorithm} signature once, whether or not signatures are verified`, async () => {
      for (const verifies of [false, true]) {
        const bench = workbench(algorithm, honest, verifies);
        acceptedValue(await bench.signing.sign(request, CONTEXT));
        expect(bench.opened).to.deep.equal([{ platformId: 'alpha', accountId: 'main', algorithm }]);
      }
    });

    if (honest.kind === 'mac') continue;

    for (const [issue, faulty] of Object.entries(FAILURES)) {
      it(`withholds an ${algorithm} signature when ${issue}, and reports it to caller and auditor`, async () => {
        let made = '';
        const signer = alteredSigner<Signer>(honest, {
          sign: (...call) => {
            made = faulty(honest)(...call);
            return made;
          },
        });
        const bench = workbench(algorithm, signer, true);
        const outcome = await bench.signing.sign(request, CONTEXT);
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

    it(`does not verify ${algorithm} signatures unless configured`, async () => {
      let verified = 0;
      const counting = alteredSigner<PublicKeySigner>(honest, {
        verify: (...call) => {
          verified += 1;
          return honest.verify(...call);
        },
      });
      acceptedValue(await workbench(algorithm, counting, false).signing.sign(request, CONTEXT));
      expect(verified).to.equal(0);
      acceptedValue(await workbench(algorithm, counting, true).signing.sign(request, CONTEXT));
      expect(verified).to.equal(1);
    });
  }

  for (const algorithm of MAC_ALGORITHMS) {
    it(`does not compute an ${algorithm} code twice to verify it: a faulty one reveals no secret`, async () => {
      const honest = SIGNERS[algorithm];
      let made = 0;
      const counting = alteredSigner<Signer>(honest, {
        sign: (...call) => {
          made += 1;
          return honest.sign(...call);
        },
        verifyWithSecret: () => {
          made += 1;
          return false;
        },
      });
      acceptedValue(await workbench(algorithm, counting, true).signing.sign(requestFor(algorithm), CONTEXT));
      expect(made).to.equal(1);
    });
  }
});
