import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import { isEd25519Signature, isEs256Signature } from '../../../contracts/independent-verification.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { acceptedValue } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench } from './signing-workbench.ts';

const KEY = samplePrivateKey(7);
const DATA = { nonce: 'n-1' };
const REQUEST = { platformId: 'alpha', accountId: 'main', data: DATA };

function serve(algorithm: Platform['algorithms'][number]) {
  const bench = createWorkbench({ verifySignatures: true });
  const payload = { rule: 'jwt', claims: { jti: '{data.nonce}' } } as const;
  const platform = samplePlatform({ algorithms: [algorithm], payload, verify: { mac: true } });
  bench.serve([platform], [bench.enrol({ algorithm }, KEY)]);
  return bench;
}

describe('Tokens of rule jwt', () => {
  for (const [algorithm, isValid] of [
    ['es256', isEs256Signature],
    ['ed25519', isEd25519Signature],
    ['hmac-sha256', isMac],
  ] as const) {
    it(`are released whole, signed with ${algorithm}, and verify`, async () => {
      const bench = serve(algorithm);
      const {
        signature: token,
        encoding,
        publicKey,
        payload,
      } = acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
      expect(encoding).to.equal('jws-compact');
      const [header, claims, signature, ...more] = token.split('.');
      expect(more).to.deep.equal([]);
      const input = `${header}.${claims}`;
      expect(payload.text).to.equal(input);
      expect(isValid(publicKey, Buffer.from(input), Buffer.from(signature ?? '', 'base64url'))).to.equal(true);
      const verdict = async (text: string) =>
        acceptedValue(await bench.signing.verify({ ...REQUEST, signature: text }, CONTEXT)).valid;
      expect(await verdict(token)).to.equal(true);
      for (const other of [signature ?? '', `${input}.`, `${token}=`, `x${token}`, `${token}.`, input]) {
        expect(await verdict(other), other).to.equal(false);
      }
      const ofOtherData = { ...REQUEST, data: { nonce: 'n-2' }, signature: token };
      expect(acceptedValue(await bench.signing.verify(ofOtherData, CONTEXT)).valid).to.equal(false);
    });
  }
});

function isMac(_publicKey: string, message: Uint8Array, mac: Uint8Array): boolean {
  return createHmac('sha256', KEY).update(message).digest().equals(mac);
}
