import { expect } from 'chai';
import {
  AmbiguousNetworkError,
  NetworkList,
  normalizeAddress,
  PRIVATE_NETWORKS,
} from '../../../../../src/adapters/http/callers/network-list.ts';

describe('NetworkList', () => {
  const privateNetworks = new NetworkList(PRIVATE_NETWORKS);

  // Both ends of each range, and the addresses beside them.
  const inside = [
    ...['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1'],
    ...['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
    ...[
      '169.254.0.0',
      '169.254.255.255',
      'fe80::',
      'fe80::1%eth0',
      'fe80::1%br-lan.7',
      'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    ],
    ...['fc00::', 'fd12:3456::1', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ...['::ffff:10.1.2.3', '::FFFF:127.0.0.1', '::ffff:a01:203', 'FE80::1'],
  ];
  const outside = [
    ...['126.255.255.255', '128.0.0.0', '9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0'],
    ...['192.167.255.255', '192.169.0.0', '169.253.255.255', '169.255.0.0', '100.64.0.1', '0.0.0.0', '8.8.8.8'],
    ...['::', '::2', 'fbff::1', 'fe00::1', 'fec0::1', 'ff02::1', '2001:db8::1', '::ffff:8.8.8.8', '64:ff9b::a00:1'],
    ...[
      '',
      'localhost',
      '127.1',
      '0x7f000001',
      '010.0.0.1',
      '10.0.0.1:80',
      '[::1]',
      '10.0.0.1, 10.0.0.2',
      '10.0.0.1\n',
    ],
  ];
  it('includes exactly the addresses within', () => {
    for (const address of inside) expect(privateNetworks.includes(address), address).to.equal(true);
    for (const address of outside) expect(privateNetworks.includes(address), address).to.equal(false);
  });

  it('includes every address of a family with a zero-length prefix', () => {
    expect(new NetworkList(['0.0.0.0/0']).includes('8.8.8.8')).to.equal(true);
    expect(new NetworkList(['0.0.0.0/0']).includes('2001:db8::1')).to.equal(false);
    expect(new NetworkList(['::/0']).includes('2001:db8::1')).to.equal(true);
    for (const address of ['8.8.8.8', '::ffff:8.8.8.8', '::ffff:808:808']) {
      expect(new NetworkList(['::/0', '::/64']).includes(address), address).to.equal(false);
    }
  });

  it('rejects anything but a network, and IPv4 in IPv6 form', () => {
    for (const text of [
      ...['', '10.0.0.0/33', '::/129', '10.0.0/8', 'a.b.c.d', '10.0.0.0/', '10.0.0.0/8/8', 'fe80::1%eth0'],
      ...['::ffff:10.0.0.0/8', '::ffff:a00:0/104', '::ffff:10.0.0.1'],
    ]) {
      expect(() => new NetworkList(['10.0.0.0/8', text]), text).to.throw(RangeError, /is not a network\.$/);
    }
  });
});

describe('A network with host bits set', () => {
  it('is rejected, naming what may have been meant', () => {
    for (const [given, meant] of [
      ['10.0.0.5/8', '10.0.0.0/8'],
      ['255.255.255.255/0', '0.0.0.0/0'],
      ['2001:db8:0:3::/63', '2001:db8:0:2::/63'],
      ['::ff:0.0.1.2/120', '::ff:0:100/120'],
    ] as const) {
      expect(() => new NetworkList(['10.0.0.0/8', given])).to.throw(AmbiguousNetworkError, meant);
      expect(new NetworkList([meant]).networks).to.deep.equal([meant]);
    }
    for (const text of ['10.0.0.5', 'fd00::1/128', '::ffff:ffff:0:0/96'])
      expect(new NetworkList([text]).networks).to.deep.equal([text]);
  });
});

describe('normalizeAddress', () => {
  it('converts any notation of IPv4-mapped IPv6 to IPv4, and keeps the rest', () => {
    for (const address of ['::ffff:c000:207', '0:0:0:0:0:ffff:192.0.2.7', '::FFFF:192.0.2.7', '192.0.2.7'])
      expect(normalizeAddress(address), address).to.equal('192.0.2.7');
    for (const address of ['::1', '::ffff:1']) expect(normalizeAddress(address)).to.equal(address);
  });
});
