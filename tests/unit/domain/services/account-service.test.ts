import { expect } from 'chai';
import { AccountService } from '../../../../src/domain/services/account-service.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench } from './signing-workbench.ts';

function setUp() {
  const bench = createWorkbench();
  const accounts = [
    bench.enrol({ accountId: 'main', createdAt: '2026-01-02T03:04:05.678Z' }, samplePrivateKey(1)),
    bench.enrol({ platformId: 'beta', accountId: 'main', algorithm: 'eip191' }, samplePrivateKey(2)),
    bench.enrol({ accountId: 'spare', status: 'disabled', environment: 'staging' }, samplePrivateKey(3)),
  ];
  bench.serve([samplePlatform(), samplePlatform({ platformId: 'beta' })], accounts);
  return { bench, accounts, service: new AccountService(bench.registry, bench.usage) };
}

const UNUSED = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** Everything that may be known of an account. */
const PROFILE_FIELDS = [
  'accountId',
  'platformId',
  'alias',
  'status',
  'environment',
  'algorithm',
  'publicKey',
  'createdAt',
] as const;

describe('AccountService', () => {
  it('lists all accounts in configured order, disabled ones too, unused at first', () => {
    const { service } = setUp();
    expect(service.list().map(({ profile, usage }) => [profile.platformId, profile.accountId, usage])).to.deep.equal([
      ['alpha', 'main', UNUSED],
      ['beta', 'main', UNUSED],
      ['alpha', 'spare', UNUSED],
    ]);
  });

  it('lists those of one platform; an unknown one has none', () => {
    const { service } = setUp();
    expect(service.list('alpha').map(({ profile }) => profile.accountId)).to.deep.equal(['main', 'spare']);
    expect(service.list('beta').map(({ profile }) => profile.accountId)).to.deep.equal(['main']);
    expect(service.list('nowhere')).to.deep.equal([]);
    expect(service.list('')).to.deep.equal([]);
  });

  it('finds one account', () => {
    const { service, accounts } = setUp();
    const { profile, usage } = acceptedValue(service.find('alpha', 'main'));
    expect(profile).to.deep.equal({
      accountId: 'main',
      platformId: 'alpha',
      alias: 'Alpha main',
      status: 'active',
      environment: 'production',
      algorithm: 'ed25519',
      publicKey: accounts[0]?.publicKey,
      createdAt: '2026-01-02T03:04:05.678Z',
    });
    expect(usage).to.deep.equal(UNUSED);
  });

  it('shows nothing of a key but its public key, not even its handle', () => {
    const { service } = setUp();
    const shown = [...service.list(), ...service.list('alpha'), acceptedValue(service.find('beta', 'main'))];
    for (const { profile } of shown) expect(profile).to.have.all.keys(...PROFILE_FIELDS);
  });

  it('opens no key', () => {
    const { bench, service } = setUp();
    service.list();
    service.find('alpha', 'main');
    expect(bench.opened).to.deep.equal([]);
  });

  it('refuses an account that does not exist, on a platform or under one that does not, with both ids', () => {
    const { service } = setUp();
    for (const [platformId, accountId] of [
      ['alpha', 'nobody'],
      ['beta', 'spare'],
      ['nowhere', 'main'],
    ] as const) {
      const { code, details } = refusalOf(service.find(platformId, accountId));
      expect(code).to.equal('ACCOUNT_NOT_FOUND');
      expect(details).to.deep.equal({ platformId, accountId });
    }
  });

  it('shows what each account was used for, also after its configuration was loaded anew', async () => {
    const { bench, service, accounts } = setUp();
    await bench.signing.sign({ platformId: 'alpha', accountId: 'main', data: {} }, CONTEXT);
    await bench.signing.sign({ platformId: 'alpha', accountId: 'spare', data: {} }, CONTEXT);
    bench.serve([samplePlatform()], accounts.slice(0, 1));
    expect(acceptedValue(service.find('alpha', 'main')).usage).to.deep.equal({
      totalSigns: 1,
      lastSignAt: '2026-11-20T08:49:00.000Z',
      errorCount: 0,
    });
    bench.serve([samplePlatform()], accounts.slice(2));
    expect(service.list().map(({ usage }) => usage)).to.deep.equal([{ ...UNUSED, errorCount: 1 }]);
  });
});
