import { expect } from 'chai';
import { tokenContent } from '../../src/adapters/auth/messages/signed-content.ts';
import type { ServiceIdentity } from '../../src/ports/access-authorities.ts';
import { isSignature } from '../authentication/parties.ts';

/** Contract of every ServiceIdentity. @param make one whose token this authority signed */
export function describeServiceIdentityContract(name: string, authority: Buffer, make: () => ServiceIdentity): void {
  describe(`ServiceIdentity contract: ${name}`, () => {
    let identity: ServiceIdentity;
    let publicKey: Buffer;
    beforeEach(() => {
      identity = make();
      publicKey = Buffer.from(identity.token.publicKey);
    });

    it('has a token signed by the authority', () => {
      expect(isSignature(authority, tokenContent(identity.token), identity.token.signature)).to.equal(true);
    });

    it('signs with the key of its token', () => {
      for (const message of [Buffer.alloc(0), Buffer.from('message'), Buffer.alloc(5000, 7)]) {
        const signature = identity.sign(message);
        expect(signature).to.have.length(64);
        expect(isSignature(publicKey, message, signature)).to.equal(true);
      }
    });

    it('recognises only its own key', () => {
      expect(identity.isOwn(Uint8Array.from(publicKey))).to.equal(true);
      const other = Buffer.from(publicKey);
      other.writeUInt8(other.readUInt8(31) ^ 1, 31);
      for (const key of [
        other,
        authority,
        Buffer.alloc(0),
        publicKey.subarray(1),
        Buffer.concat([publicKey, publicKey]),
      ]) {
        expect(identity.isOwn(key)).to.equal(false);
      }
    });
  });
}
