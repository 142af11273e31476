import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { computeAddress } from 'ethers/transaction';
import { bs58 } from '../harness/base58.ts';
import type { ServiceHere } from '../harness/service-process.ts';
import { useWorkplace } from '../harness/use-workplace.ts';
import { EIP_191_VECTORS } from '../vectors/eip-191.ts';
import { RFC_8032_VECTORS } from '../vectors/rfc-8032.ts';

describe('Published vectors through the HTTP API', () => {
  const place = useWorkplace([
    'platform add --platform rfc8032 --format any --rule raw --encoding hex',
    'platform add --platform eip191 --format any --rule raw',
  ]);
  let service: ServiceHere;

  before(async function () {
    this.timeout(120_000);
    const imports = [
      ...RFC_8032_VECTORS.map(({ seed }, i) => ['rfc8032', `test-${i}`, 'ed25519', seed] as const),
      ...EIP_191_VECTORS.map(({ privateKey }, i) => ['eip191', `test-${i}`, 'eip191', privateKey] as const),
    ];
    // One at a time: commands in this process share its outputs.
    for (const [platform, account, algorithm, key] of imports) {
      const file = place.path(`${platform}-${account}.hex`);
      writeFileSync(file, `${key}\n`, { mode: 0o600 });
      await place.prepare(
        ...['account', 'add', '--platform', platform, '--account', account],
        ...['--algorithm', algorithm, '--key-file', file, '--key-format', 'hex'],
      );
    }
    service = await place.startHere();
  });

  RFC_8032_VECTORS.forEach(({ name, publicKey, message, signature }, i) => {
    it(`RFC 8032 §7.1 ${name}`, async () => {
      const { status, body } = await service.post('/sign', {
        platformId: 'rfc8032',
        accountId: `test-${i}`,
        data: { hex: message },
      });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.data.signature).to.equal(signature);
      expect(body.data.publicKey).to.equal(bs58.encode(Buffer.from(publicKey, 'hex')));
      expect(body.data.encoding).to.equal('hex');
    });
  });

  EIP_191_VECTORS.forEach(({ name, source, address, data, signature }, i) => {
    it(`EIP-191 ${name} (${source})`, async () => {
      const { status, body } = await service.post('/sign', { platformId: 'eip191', accountId: `test-${i}`, data });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.data.signature).to.equal(signature);
      expect(computeAddress(body.data.publicKey)).to.equal(address);
    });
  });
});
