import { expect } from 'chai';
import { isPrivate, parseNetwork } from '../../../../../src/adapters/http/callers/network.ts';

describe('isPrivate', () => {
  const isPrivateText = (text: string) => {
    const network = parseNetwork(text);
    return network === null ? expect.fail(`${text} is no network.`) : isPrivate(network);
  };

  it('accepts each private range, its ends and networks within it', () => {
    for (const text of [
      ...['127.0.0.0/8', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1', '::0.0.0.1'],
      ...['10.0.0.0/8', '10.255.255.255', '172.16.0.0/12', '172.31.255.0/24', '192.168.0.0/16', '192.168.128.0/17'],
      ...['169.254.0.0/16', 'fe80::/10', 'febf:ffff::/32', 'fc00::/7', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ]) {
      expect(isPrivateText(text), text).to.equal(true);
    }
  });

  it('rejects networks that overlap, exceed or lie beside a private range', () => {
    for (const text of [
      ...['127.0.0.0/7', '126.0.0.0/8', '128.0.0.0/8', '::/0', '::', '::2', '::/127', '::1:0:0:0'],
      ...[
        '10.0.0.0/7',
        '11.0.0.0/8',
        '172.16.0.0/11',
        '172.32.0.0/16',
        '192.168.0.0/15',
        '192.169.0.0/16',
        '0.0.0.0/0',
      ],
      ...['169.254.0.0/15', 'fe80::/9', 'fec0::/10', 'fc00::/6', 'fbff::/16', 'fe00::/16', '100.64.0.0/10', '1.1.1.1'],
    ]) {
      expect(isPrivateText(text), text).to.equal(false);
    }
  });
});
