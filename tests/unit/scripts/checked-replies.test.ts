import { generateKeyPairSync, sign } from 'node:crypto';
import bs58 from 'bs58';
import { expect } from 'chai';
import { computeAddress, Wallet } from 'ethers';
import type { Reply, Wish } from '../../../scripts/load/load-process.ts';
import { dataOf } from '../../../scripts/load/load-process.ts';
import { CheckedReplies } from '../../../scripts/proof/checked-replies.ts';
import { type AccountState, InstallationHistory } from '../../../scripts/proof/installation-history.ts';
import { canonical } from '../../api/signature-checks.ts';

/** Accounts with even numbers sign with ed25519, with odd ones with eip191. */
const ED25519: Wish = { account: 0, call: 1 };
const EIP191: Wish = { account: 1, call: 2 };

interface Key {
  readonly publicKey: string;
  readonly sign: (wish: Wish) => Promise<string>;
}

function ed25519Key(): Key {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const x = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const text = (wish: Wish) => Buffer.from(canonical(dataOf(wish)));
  return { publicKey: bs58.encode(x), sign: async (wish) => bs58.encode(sign(null, text(wish), privateKey)) };
}

function eip191Key(): Key {
  const wallet = Wallet.createRandom();
  const { publicKey } = wallet.signingKey;
  expect(computeAddress(publicKey)).to.equal(wallet.address);
  return { publicKey, sign: (wish) => wallet.signMessage(canonical(dataOf(wish))) };
}

function reply(wishes: readonly Wish[], body: object, isBatch = false): Reply {
  return { wishes, isBatch, sentAt: Date.now(), receivedAt: Date.now(), status: 200, body: JSON.stringify(body) };
}

async function single(wish: Wish, signer: Key, named = signer): Promise<Reply> {
  return reply([wish], { success: true, data: { signature: await signer.sign(wish), publicKey: named.publicKey } });
}

function refusal(wish: Wish, code: string): Reply {
  return reply([wish], { success: false, error: { code } });
}

async function batch(...items: readonly (readonly [Wish, Key])[]): Promise<Reply> {
  const results = items.map(async ([wish, key]) => ({
    requestId: String(wish.call),
    signature: await key.sign(wish),
  }));
  return reply(
    items.map(([wish]) => wish),
    { success: true, data: { results: await Promise.all(results) } },
    true,
  );
}

describe('What the scripts under load check replies against', () => {
  const [key, other, ethereum] = [ed25519Key(), ed25519Key(), eip191Key()];
  let history: InstallationHistory;

  beforeEach(() => {
    history = new InstallationHistory();
  });

  function begin(...states: readonly (AccountState | undefined)[]): void {
    const known = states.flatMap((state, account) => (state === undefined ? [] : [[account, state] as const]));
    history.begin(new Map(known));
  }

  /** Number of replies that were found to be wrong. */
  function faults(...replies: readonly Reply[]): number {
    const checked = new CheckedReplies(history);
    checked.add({ latencies: [], failures: [], retries: 0, dropped: 0, replies, isLast: true });
    return checked.faultCount;
  }

  it('takes signatures of the key that the account has, of either algorithm', async () => {
    begin(key, ethereum);
    expect(faults(await single(ED25519, key), await single(EIP191, ethereum))).to.equal(0);
  });

  it('finds a signature of another key, over other data, and one that is none', async () => {
    begin(key, ethereum);
    const moved = { ...(await single(ED25519, key)), wishes: [{ ...ED25519, call: 9 }] };
    expect(faults(await single(ED25519, other))).to.equal(1);
    expect(faults(moved)).to.equal(1);
    expect(faults(reply([EIP191], { success: true, data: { signature: '0x00' } }))).to.equal(1);
  });

  it('finds an answer that names another public key than the one that signed', async () => {
    begin(key);
    expect(faults(await single(ED25519, key, other))).to.equal(1);
  });

  it('finds a refusal of an account that was there, and takes those that were right', () => {
    begin(key, 'disabled');
    expect(faults(refusal(ED25519, 'ACCOUNT_NOT_FOUND'))).to.equal(1);
    expect(faults(refusal(EIP191, 'ACCOUNT_INACTIVE'), refusal({ account: 7, call: 3 }, 'ACCOUNT_NOT_FOUND'))).to.equal(
      0,
    );
  });

  it('finds a call without an answer', () => {
    begin(key);
    expect(faults({ ...refusal(ED25519, ''), status: 0, body: 'ECONNRESET' })).to.equal(1);
  });

  it('takes the key of either generation while one replaces the other, and only the new one once it is in force', async () => {
    begin(key);
    begin(other);
    expect(faults(await single(ED25519, key), await single(ED25519, other))).to.equal(0);
    history.isInForce();
    const sentAt = Date.now() + 1;
    const late = { sentAt, receivedAt: sentAt };
    expect(faults({ ...(await single(ED25519, other)), ...late })).to.equal(0);
    expect(faults({ ...(await single(ED25519, key)), ...late })).to.equal(1);
  });

  it('takes a batch that goes from one generation to the next, and finds one that goes back', async () => {
    const [second, secondKey] = [{ account: 2, call: 4 }, ed25519Key()];
    begin(key, undefined, key);
    begin(other, undefined, secondKey);
    expect(faults(await batch([ED25519, key], [second, key]))).to.equal(0);
    expect(faults(await batch([ED25519, other], [second, secondKey]))).to.equal(0);
    expect(faults(await batch([ED25519, key], [second, secondKey]))).to.equal(0);
    expect(faults(await batch([second, secondKey], [ED25519, key]))).to.equal(1);
  });
});
