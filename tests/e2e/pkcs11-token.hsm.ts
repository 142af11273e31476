import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { WrappingKeySettings } from '../../src/adapters/key-helper/helper-wrapping-keys.ts';
import { OperatorError } from '../../src/domain/model/errors.ts';
import { describeWrappingKeysContract, unwrapAll } from '../contracts/wrapping-keys-contract.ts';
import { Workplace } from '../harness/service-process.ts';
import { helpersWith } from '../harness/wrapping-key-settings.ts';
import { PIN, SoftToken, TOKEN } from '../pkcs11/soft-token.ts';
import { describeWithProgram } from './describe-with-program.ts';

const KEY = 'signing-master';
const ID = '0123456789abcdef';

describeWithProgram('PKCS #11 token (SoftHSM)', 'softhsm2-util', 'apt-get install softhsm2', () => {
  let token: SoftToken;
  before(function () {
    // Compiles pkcs11js.
    this.timeout(300_000);
    token = new SoftToken();
    token.addKey(KEY);
    token.addKey('doubled');
    token.addKey('doubled');
    token.addKey('extractable', true);
  });
  after(() => token.remove());
  beforeEach(() => token.writePin(PIN));

  const helper = (settings: Partial<WrappingKeySettings['pkcs11']> = {}) => {
    const { module, pinFile } = token;
    return helpersWith({ pkcs11: { module, token: TOKEN, pinFile, ...settings } });
  };
  const placeOf = (wrappingKey: string) => ({ source: 'pkcs11', wrappingKey, id: ID }) as const;

  describeWrappingKeysContract('PKCS #11 token', async () => ({
    wrappingKeys: helper(),
    place: placeOf(KEY),
    named: `PKCS #11 token ${TOKEN}`,
    deny: async () => token.writePin('864209'),
    dispose: async () => token.writePin(PIN),
  }));

  const failure = async (name: string, settings: Partial<WrappingKeySettings['pkcs11']> = {}) => {
    const error = await helper(settings)
      .wrap(placeOf(name), (use) => use(randomBytes(32)))
      .catch((reason: unknown) => reason);
    if (!(error instanceof OperatorError)) throw error;
    return error.message;
  };

  it('finds a key by its CKA_ID', async () => {
    const key = randomBytes(32);
    const byId = placeOf(`id:a0${Buffer.from([KEY.length]).toString('hex')}`);
    const ciphertext = await helper().wrap(byId, (use) => use(key));
    const [opened] = await unwrapAll(helper(), { ...placeOf(KEY), ciphertext });
    expect(opened).to.deep.equal(key);
  });

  it('refuses keys that are missing, ambiguous or extractable', async () => {
    expect(await failure('absent')).to.include('no secret key absent');
    expect(await failure('doubled')).to.include('several secret keys are named doubled');
    expect(await failure('extractable')).to.include('CKA_EXTRACTABLE false');
  });

  it('names the setting of a PIN file that is missing or has several lines', async () => {
    writeFileSync(token.pinFile, '1234\n5678\n');
    expect(await failure(KEY)).to.include(`SIGNING_PKCS11_PIN_FILE: ${token.pinFile}`);
    expect(await failure(KEY, { pinFile: '/nowhere/pin' })).to.include('SIGNING_PKCS11_PIN_FILE: /nowhere/pin');
  });

  it('names the setting of a file that is no module', async () => {
    const module = `${token.pinFile}.so`;
    expect(await failure(KEY, { module }))
      .to.include('SIGNING_PKCS11_MODULE')
      .and.include(module);
    writeFileSync(module, 'no library');
    expect(await failure(KEY, { module })).to.include('SIGNING_PKCS11_MODULE');
  });

  // Last, since it deletes the token; Mocha runs suites after the tests beside them.
  describe('service', () => {
    it('starts the service and signs, and states why it does not start', async () => {
      const place = new Workplace({ ...token.environment });
      try {
        await place.done('init', '--master-key-source', 'pkcs11', '--wrapping-key', KEY);
        await place.done('platform', 'add', '--platform', 'my-exchange', '--format', 'any');
        const account = ['--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519'];
        await place.done('account', 'add', ...account);

        const service = await place.start();
        const request = { platformId: 'my-exchange', accountId: 'main', data: { a: 1 } };
        expect((await service.post('/sign', request)).status).to.equal(200);
        await service.stop();

        await place.done('master-key', 'rotate', '--master-key-source', 'pkcs11', '--wrapping-key', KEY);
        expect(await place.done('master-key', 'status')).to.include('pkcs11');
        expect((await place.command('doctor')).stdout).to.include('pkcs11 opened master key');

        const refusal = async () => {
          const { exitCode, stdout, stderr } = await place.spawn('main.js', []).ended();
          expect(exitCode, stdout + stderr).to.equal(2);
          return stdout + stderr;
        };
        token.writePin('864209');
        const wrongPin = await refusal();
        expect(wrongPin).to.include('the PIN is wrong').and.include('SIGNING_PKCS11_PIN_FILE');
        expect(wrongPin).not.to.include('864209');
        token.writePin(PIN);

        token.deleteToken();
        expect(await refusal())
          .to.include('the token was not found')
          .and.include('SIGNING_PKCS11_TOKEN');
      } finally {
        await place.remove();
      }
    }).timeout(120_000);
  });
});
