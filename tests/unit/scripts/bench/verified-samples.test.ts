import { generateKeyPairSync, sign } from 'node:crypto';
import bs58 from 'bs58';
import { expect } from 'chai';
import { Wallet } from 'ethers';
import { verifySamples } from '../../../../scripts/bench/verified-samples.ts';
import { accountName } from '../../../../scripts/load/account-names.ts';
import { dataOf, type Reply, type Wish } from '../../../../scripts/load/load-process.ts';
import { canonical } from '../../../api/signature-checks.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const ed25519Text = bs58.encode(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'));
const wallet = Wallet.createRandom();
const ACCOUNTS = [ed25519Text, wallet.signingKey.publicKey].map((text, number) => ({
  ...accountName(number),
  ...{ publicKey: text, key: { sealed: '' } },
}));
const ED25519: Wish = { account: 0, call: 1 };
const EIP191: Wish = { account: 1, call: 2 };

function ed25519Signature(wish: Wish): string {
  return bs58.encode(sign(null, Buffer.from(canonical(dataOf(wish))), privateKey));
}

function reply(wishes: readonly Wish[], data: object, isBatch = false): Reply {
  return { wishes, isBatch, sentAt: 0, receivedAt: 0, status: 200, body: JSON.stringify({ success: true, data }) };
}

describe("The bench's look at some of the answers", () => {
  it('takes signatures that are the accounts’ own, over what was sent', async () => {
    const signature = await wallet.signMessage(canonical(dataOf(EIP191)));
    const results = [{ requestId: '1', signature: ed25519Signature(ED25519) }];
    const samples = [reply([EIP191], { signature }), reply([ED25519], { results }, true)];
    expect(verifySamples(samples, ACCOUNTS)).to.equal(2);
  });

  it('finds a signature over other data, one of another account, and none', () => {
    const wrong = [
      reply([{ ...ED25519, call: 9 }], { signature: ed25519Signature(ED25519) }),
      reply([EIP191], { signature: ed25519Signature(ED25519) }),
      reply([ED25519], { results: [{ requestId: '1', error: { code: 'SIGNATURE_FAILED' } }] }, true),
      { ...reply([ED25519], {}), body: 'no JSON' },
    ];
    for (const sample of wrong)
      expect(() => verifySamples([sample], ACCOUNTS), sample.body).to.throw(/^Account \d, call \d/);
  });

  it('is not content with nothing to look at', () => {
    expect(() => verifySamples([], ACCOUNTS)).to.throw('no reply');
  });
});
