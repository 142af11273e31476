import type { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { certificateName } from '../../../../../../src/adapters/driving/http/tls/certificate-name.ts';

/** A certificate with these alternative names, as Node writes them, and this subject. */
function certificate(subjectAltName: string | undefined, CN: string | readonly string[] = 'common'): X509Certificate {
  return { subjectAltName, toLegacyObject: () => ({ subject: { CN } }) } as unknown as X509Certificate;
}

describe('The name in a certificate', () => {
  it('is none where Node had to quote a name, which could hold others', () => {
    for (const names of ['email:"a, URI:ops, x"', 'DNS:"a\\u0000b", URI:ops', 'URI:ops, email:"a,b"']) {
      expect(certificateName(certificate(names)), names).to.equal(null);
    }
  });

  it('is the common name where no alternative name is of a kind that names callers', () => {
    expect(certificateName(certificate('IP Address:10.0.0.1'))).to.equal('common');
    expect(certificateName(certificate(undefined))).to.equal('common');
    expect(certificateName(certificate(undefined, ['one', 'two']))).to.equal(null);
  });
});
