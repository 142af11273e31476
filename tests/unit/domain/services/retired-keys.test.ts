import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { Registry } from '../../../../src/domain/model/registry.ts';
import { samplePlatform } from '../../../doubles/credential-builder.ts';
import type { FixedAccount, FixedConfiguration } from '../../../doubles/fixed-credential-source.ts';
import { acceptedValue } from './outcome-expectations.ts';
import { createReloadWorkbench, type ReloadWorkbench, withKey } from './reload-workbench.ts';
import { CONTEXT, REQUEST } from './signing-workbench.ts';

const PLATFORM = samplePlatform({ verify: { mac: true } });
const BUDGET = { name: 'count', accounts: ['alpha/*'], sum: '1', max: 100, windowSeconds: 3600 };
const OVERLAP = 60;

const keyIdOf = (publicKey: string) => createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
const overlapping = (number: number, fields: Partial<FixedAccount> = {}) =>
  withKey(number, { overlapSeconds: OVERLAP, ...fields });

describe('A replaced key', () => {
  let bench: ReloadWorkbench;
  let first: string;
  let oldKey: string;

  /** Puts this account in force, with a budget so that each signature continues in a later tick. */
  const load = (account: FixedAccount, others: Partial<FixedConfiguration> = {}) =>
    bench.load([account], { platforms: [PLATFORM], budgets: [BUDGET], ...others });
  const publicKeyNow = () => bench.registry.current.account('alpha', 'main')?.publicKey;
  const sign = async () => acceptedValue(await bench.signing.sign(REQUEST, CONTEXT));
  const isValid = async (signature: string) =>
    acceptedValue(await bench.signing.verify({ ...REQUEST, signature }, CONTEXT)).valid;

  /** Signs while `change` happens between the charge and the signature. */
  const signDuring = (change: () => Promise<unknown>) => {
    bench.budgets.onCharge = async () => {
      bench.budgets.onCharge = () => undefined;
      await change();
    };
    return sign();
  };

  beforeEach(async () => {
    bench = createReloadWorkbench();
    await load(withKey(1));
    first = publicKeyNow() ?? expect.fail();
    [oldKey = expect.fail()] = bench.keysInForce;
  });

  it('is wiped at once without an overlap: a charged request is checked again and gets the new key', async () => {
    const { publicKey } = await signDuring(() => load(withKey(2)));
    expect(publicKey).to.equal(publicKeyNow()).and.not.equal(first);
    expect(bench.keys.discarded).to.deep.equal([oldKey]);
  });

  it('finishes a charged request in its overlap, and signs no later one', async () => {
    const { publicKey, signature } = await signDuring(() => load(overlapping(2)));
    expect(publicKey).to.equal(first);
    expect(bench.keys.discarded).to.deep.equal([]);
    expect(await isValid(signature)).to.equal(true);
    const later = await sign();
    expect(later.publicKey).to.equal(publicKeyNow()).and.not.equal(first);
    const recorded = bench.sink.entries.map(({ event, keyId }) => [event, keyId]);
    expect(recorded.slice(-3)).to.deep.equal([
      ['sign', keyIdOf(first)],
      ['verify', keyIdOf(first)],
      ['sign', keyIdOf(later.publicKey)],
    ]);
  });

  it('is wiped when its overlap is over, and its signatures no longer verify', async () => {
    const { signature } = await sign();
    await load(overlapping(2));
    bench.clock.advance(OVERLAP * 1000 - 1);
    bench.retiredKeys.wipeExpired();
    expect(await isValid(signature)).to.equal(true);
    expect(bench.keys.discarded).to.deep.equal([]);
    bench.clock.advance(1);
    expect(await isValid(signature)).to.equal(false);
    expect(bench.keys.discarded).to.deep.equal([oldKey]);
  });

  it('stays through later reloads that do not concern it', async () => {
    await load(overlapping(2));
    await load(overlapping(2, { alias: 'Another label' }));
    expect(bench.keys.held.has(oldKey)).to.equal(true);
    expect(bench.retiredKeys.size).to.equal(1);
  });

  const ends: { readonly [end: string]: () => Promise<unknown> } = {
    'the account is disabled': () => load(overlapping(2, { status: 'disabled' })),
    'its platform is disabled': () => load(overlapping(2), { platforms: [{ ...PLATFORM, status: 'disabled' }] }),
    'the account is removed': () => load(withKey(3, { accountId: 'other' })),
    'the account gets another key without an overlap': () => load(withKey(3)),
    'the account gets another key with an overlap': () => load(overlapping(3)),
  };
  for (const [end, change] of Object.entries(ends)) {
    it(`is wiped at once when ${end}`, async () => {
      await load(overlapping(2));
      await change();
      expect(bench.keys.discarded).to.include(oldKey);
    });
  }

  const otherwise: { readonly [change: string]: Partial<FixedConfiguration> } = {
    'the policies': { policies: [{ name: 'p', accounts: ['alpha/*'], effect: 'allow', when: 'true' }] },
    'the permissions': { permissions: [{ principals: ['*', 'anonymous'], operations: ['*'], accounts: ['*/*'] }] },
    'the budgets': { budgets: [{ ...BUDGET, max: 99 }] },
    'the platform': { platforms: [{ ...PLATFORM, audit: { clear: ['a'] } }] },
  };
  for (const [change, others] of Object.entries(otherwise)) {
    it(`does not finish a charged request if the same reload changes ${change}`, async () => {
      const { publicKey } = await signDuring(() => load(overlapping(2), others));
      expect(publicKey).to.equal(publicKeyNow()).and.not.equal(first);
    });
  }

  it('of an HMAC account also verifies with its previous fixed values', async () => {
    const rule = { rule: 'prehash', template: '{account.apiKey}{data.a}' } as const;
    const platforms = [{ ...PLATFORM, payload: rule }];
    const mac = (number: number, apiKey: string, fields: Partial<FixedAccount> = {}) =>
      withKey(number, { algorithm: 'hmac-sha256', values: { apiKey }, ...fields });
    await load(mac(4, 'old'), { platforms });
    const { signature } = await sign();
    await load(mac(5, 'new', { overlapSeconds: OVERLAP }), { platforms });
    expect(await isValid(signature)).to.equal(true);
    expect(await isValid(signature.replace(/./, (digit) => (digit === '0' ? '1' : '0')))).to.equal(false);
    const { keyId } = bench.registry.current.account('alpha', 'main') ?? expect.fail();
    expect(bench.sink.entries.at(-1)?.keyId, 'of the record of an invalid signature').to.equal(keyId);
  });

  it('is not kept for an account of another algorithm', () => {
    const account = bench.registry.current.account('alpha', 'main') ?? expect.fail();
    const after = new Registry([PLATFORM], [{ ...account, algorithm: 'eip191', overlapSeconds: OVERLAP }]);
    expect(bench.retiredKeys.retire([account], after)).to.deep.equal([account]);
  });
});
