import { expect } from 'chai';
import fc from 'fast-check';
import {
  decodeAccessToken,
  decodeRequestAuthInfo,
  encodeAccessToken,
  encodeRequestAuthInfo,
} from '../../../../../src/adapters/auth/messages/access-messages.ts';
import { isPrincipal } from '../../../../../src/domain/model/authentication.ts';
import { bytesField, doubleField } from '../../../../authentication/wire.ts';

const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength });
const username = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@/=+, -]{0,40}$/).filter(isPrincipal);
const expirationTime = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2999-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const token = fc.record({ username, publicKey: bytes(32), expirationTime, signature: bytes(64) });
const request = fc.record({
  clientAccessToken: token,
  servicePublicKey: bytes(32),
  time: fc.double({ noDefaultInfinity: true, noNaN: true, min: 1, max: 1e12 }),
  nonce: bytes(16, 64),
  signature: bytes(64),
});

/** Protobuf by hand. */
const tokenBytes = ({ username: name, publicKey, expirationTime: end, signature }: ReturnType<typeof sampleToken>) =>
  Buffer.concat([bytesField(1, name), bytesField(2, publicKey), bytesField(3, end), bytesField(4, signature)]);
const sampleToken = () => fc.sample(token, 1)[0] as NonNullable<ReturnType<typeof decodeAccessToken>>;

describe('Authentication messages', () => {
  it('are encoded as Protobuf and survive a round trip', () => {
    fc.assert(
      fc.property(request, (info) => {
        const inner = tokenBytes(info.clientAccessToken);
        expect(Buffer.from(encodeAccessToken(info.clientAccessToken)).equals(inner)).to.equal(true);
        const claims = [bytesField(1, inner), bytesField(2, info.servicePublicKey), doubleField(3, info.time)];
        const whole = Buffer.concat([...claims, bytesField(4, info.nonce), bytesField(5, info.signature)]);
        const encoded = Buffer.from(encodeRequestAuthInfo(info));
        expect(encoded.equals(whole)).to.equal(true);
        const decoded = decodeRequestAuthInfo(encoded);
        expect(decoded).not.to.equal(null);
        expect(Buffer.from(encodeRequestAuthInfo(decoded ?? info)).equals(encoded)).to.equal(true);
      }),
    );
  });

  it('have one canonical encoding: the decoder never throws and accepts no other', () => {
    const near = request.chain((info) => {
      const whole = Buffer.from(encodeRequestAuthInfo(info));
      return fc.tuple(fc.nat(whole.length - 1), fc.nat(255), fc.nat(3)).map(([at, byte, kind]) => {
        if (kind === 0) return Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]);
        if (kind === 1) return Buffer.concat([whole.subarray(0, at), Buffer.from([byte]), whole.subarray(at)]);
        const copy = Buffer.from(whole);
        copy.writeUInt8(byte, at);
        return kind === 2 ? copy : whole.subarray(0, at);
      });
    });
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 400 }), near), (any) => {
        const info = decodeRequestAuthInfo(any);
        if (info !== null) expect(Buffer.from(encodeRequestAuthInfo(info)).equals(any)).to.equal(true);
        const alone = decodeAccessToken(any);
        if (alone !== null) expect(Buffer.from(encodeAccessToken(alone)).equals(any)).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });

  it('are rejected with nested groups of any depth', () => {
    for (const depth of [1, 100, 2000]) {
      expect(decodeAccessToken(Buffer.alloc(depth, 0x4b))).to.equal(null);
    }
  });
});
