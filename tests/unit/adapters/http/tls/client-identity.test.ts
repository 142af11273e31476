import type { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { type ClientIdentity, identifyHolder } from '../../../../../src/adapters/http/tls/client-identity.ts';

const UNNAMED = { error: 'CLIENT_CERTIFICATE_UNNAMED' };

/** The holder of a certificate with these names, in Node's form. */
function identify(subjectAltName: string | undefined, CN: string | readonly string[] = 'common'): ClientIdentity {
  const certificate = { subjectAltName, toLegacyObject: () => ({ subject: { CN } }) };
  return identifyHolder(certificate as unknown as X509Certificate, { fingerprints: null });
}

describe('The name in a certificate', () => {
  it('is missing if Node had to quote a name, which could contain others', () => {
    for (const names of ['email:"a, URI:ops, x"', 'DNS:"a\\u0000b", URI:ops', 'URI:ops, email:"a,b"']) {
      expect(identify(names), names).to.deep.equal(UNNAMED);
    }
  });

  it('is the common name if no alternative name identifies a caller', () => {
    expect(identify('IP Address:10.0.0.1')).to.deep.equal({ principal: 'common' });
    expect(identify(undefined)).to.deep.equal({ principal: 'common' });
    expect(identify(undefined, ['one', 'two'])).to.deep.equal(UNNAMED);
  });
});
