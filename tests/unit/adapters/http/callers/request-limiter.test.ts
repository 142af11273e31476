import { expect } from 'chai';
import fc from 'fast-check';
import { addressKey, callerKey } from '../../../../../src/adapters/http/callers/request-limiter.ts';

describe('callerKey', () => {
  it('uses the address if unauthenticated, and never collides with a principal', () => {
    expect(callerKey({ principal: null, remoteAddress: '10.1.2.3' })).to.equal('address:10.1.2.3');
    const posing = callerKey({ principal: 'address:10.1.2.3', remoteAddress: null });
    expect(posing).to.equal('principal:address:10.1.2.3');
  });
});

describe('addressKey', () => {
  it('is an IPv4 address, or the /64 of an IPv6 address in one notation', () => {
    for (const [address, key] of [
      ['10.1.2.3', '10.1.2.3'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:DB8:0001:0002::7', '2001:db8:1:2::/64'],
      ['2001:db8::7', '2001:db8:0:0::/64'],
      ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
      ['fd00:0:0:9::1', 'fd00:0:0:9::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['::', '0:0:0:0::/64'],
      ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
      // A connection that is gone.
      ['', ''],
    ] as const) {
      expect(addressKey({ remoteAddress: address })).to.equal(`address:${key}`);
    }
  });

  it('is equal for all addresses of an IPv6 /64, and different for any other /64', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16));
    const half = fc.array(group, { minLength: 4, maxLength: 4 }).map((groups) => groups.join(':'));
    fc.assert(
      fc.property(half, half, half, half, (network, other, host, neighbour) => {
        const keyOf = (remoteAddress: string) => addressKey({ remoteAddress });
        expect(keyOf(`${network}:${host}`)).to.equal(keyOf(`${network}:${neighbour}`));
        if (network !== other) expect(keyOf(`${network}:${host}`)).not.to.equal(keyOf(`${other}:${host}`));
      }),
    );
  });
});
