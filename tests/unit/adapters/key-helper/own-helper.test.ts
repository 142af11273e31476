import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { loggable } from '../../../../src/adapters/observability/winston-service-log.ts';
import { UNAVAILABLE } from '../../../../src/domain/model/errors.ts';
import { describeWrappingKeysContract, unwrapAll } from '../../../contracts/wrapping-keys-contract.ts';
import { helpersWith } from '../../../harness/wrapping-key-settings.ts';
import { PROJECT_ROOT } from '../../../project-root.ts';
import { runFixture } from '../secret-files/child-process.ts';

const PLACE = { source: 'helper', wrappingKey: 'signing-key', id: '0123456789abcdef' } as const;

/** Path of the example in docs/examples, where only this user can change it. */
function copyExample(folder: string): string {
  const helper = join(folder, 'master-key-helper.mjs');
  copyFileSync(join(PROJECT_ROOT, 'docs/examples/master-key-helper.mjs'), helper);
  chmodSync(helper, 0o755);
  return helper;
}

describeWrappingKeysContract("the operator's helper of docs/examples", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-helper-'));
  const helper = copyExample(folder);
  writeFileSync(join(folder, PLACE.wrappingKey), Buffer.alloc(32, 1));
  return {
    wrappingKeys: helpersWith({ helper }, { ...process.env, MASTER_KEY_HELPER_FOLDER: folder }),
    place: PLACE,
    named: PLACE.wrappingKey,
    deny: async () => rmSync(join(folder, PLACE.wrappingKey)),
    dispose: async () => rmSync(folder, { recursive: true }),
  };
});

describe("An operator's own key helper", () => {
  let folder: string;
  let helper: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'own-helper-'));
    helper = join(folder, 'helper');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (script: string, mode = 0o755) => {
    writeFileSync(helper, `#!/bin/sh\n${script}\n`);
    chmodSync(helper, mode);
  };
  const named = () => `Key helper ${helper} (SIGNING_MASTER_KEY_HELPER)`;
  const open = async (path = helper, environment: NodeJS.ProcessEnv = { PATH: process.env['PATH'] }) => {
    const ownHelper = helpersWith({ helper: path, timeoutMs: 1000 }, environment);
    const [outcome] = await unwrapAll(ownHelper, { ...PLACE, ciphertext: 'AAAA' });
    if (!(outcome instanceof Error)) throw new Error('It should not open.');
    return outcome;
  };
  const failure = async (...run: Parameters<typeof open>) => (await open(...run)).message;

  it('is quoted in one line without control and format characters when it fails', async () => {
    write("cat > /dev/null; printf 'no\\tHSM\\033[31m \\342\\200\\256/kéys/鍵' >&2; exit 3");
    expect(await failure()).to.equal(`${named()}: no HSM [31m /kéys/鍵.`);
    write('exit 3');
    expect(await failure()).to.equal(`${named()}: it ended with 3.`);
    write(`printf '%s' '{"keys":[{"problem":"no\\tHSM"}]}'`);
    expect(await failure()).to.equal(`${named()}, master key ${PLACE.id}: no HSM.`);
    write(`printf '%s' '{"keys":[{"problem":""}]}'`);
    expect(await failure()).to.equal(`${named()}, master key ${PLACE.id}: it gave no reason.`);
  });

  it('says, if it is the example, which variable or file is missing', async () => {
    helper = copyExample(folder);
    const { PATH } = process.env;
    expect(await failure()).to.equal(
      `${named()}: MASTER_KEY_HELPER_FOLDER is not set; set it to the folder of the wrapping keys.`,
    );
    expect(await failure(helper, { PATH, MASTER_KEY_HELPER_FOLDER: '/nowhere' })).to.equal(
      `${named()}: the wrapping key /nowhere/signing-key cannot be read (ENOENT); check MASTER_KEY_HELPER_FOLDER.`,
    );
  });

  it('is reported as not started while the service may open no more files', () => {
    const { stdout, stderr } = runFixture('key-helper/fixtures/no-descriptors', [], 'ulimit -n 500');
    expect(stderr).to.equal('');
    expect(stdout).to.equal('Key helper test: it cannot be started (EMFILE).');
  });

  it('is ended after the timeout, with a message that names the setting, even if a child of it goes on', async () => {
    write('sleep 30 & sleep 30');
    expect(await failure())
      .to.include('within 1000 ms')
      .and.include('SIGNING_MASTER_KEY_TIMEOUT_MS');
  });

  it('is rejected if its response does not follow the protocol, which the log does not quote', async () => {
    const key = 'k3y!'.repeat(16);
    for (const [response, reason] of [
      [key, 'not JSON'],
      [`{"keys":[{"${key}":"${key}"}]}`, 'does not follow the protocol'],
      ['{"keys":[{"length":1000000}]}', 'does not follow the protocol'],
      ['{"keys":[]}', 'left out this key'],
      ['{"keys":[{"length":32}]}', 'wrote fewer bytes'],
    ] as const) {
      write(`cat > /dev/null; printf '%s' '${response}'`);
      const logged = JSON.stringify(loggable({ error: await open() }));
      expect(logged, response).to.include(reason).and.not.include('k3y!');
    }
  });

  it('is started again for a reload only after failures that may pass', async () => {
    for (const [script, code] of [
      ['echo "The HSM restarts." >&2; exit 75', UNAVAILABLE],
      ['kill -KILL $$', UNAVAILABLE],
      ['sleep 30', UNAVAILABLE],
      ['echo "The PIN is wrong." >&2; exit 1', undefined],
      [`printf '%s' '{"keys":[{"problem":"no HSM"}]}'`, undefined],
    ] as const) {
      write(script);
      expect(await open(), script).to.have.property('code', code);
    }
  });

  it('is refused if it leaves more than keys', async () => {
    write('truncate -s 20M /proc/self/fd/3; printf \'%s\' \'{"keys":[{"length":32}]}\'');
    expect(await failure()).to.include('more than 16777216 bytes');
  });

  it('gets its own variables, and none of the service', async () => {
    write("env | grep -vE '^(PWD|SHLVL|_)=' | sort | tr '\\n' ' ' >&2; exit 1");
    const environment = {
      ...{ PATH: process.env['PATH'], HOME: '/home/signing', HTTPS_PROXY: 'http://proxy:3128', no_proxy: '.local' },
      ...{ MASTER_KEY_HELPER_SLOT: '1', SIGNING_REDIS_URL: 'redis://:secret@h', AWS_SECRET_ACCESS_KEY: 's' },
      ...{ NODE_OPTIONS: '--inspect', LD_PRELOAD: '/tmp/x.so' },
    };
    expect(await failure(helper, environment)).to.equal(
      `${named()}: HOME=/home/signing HTTPS_PROXY=http://proxy:3128 MASTER_KEY_HELPER_SLOT=1 PATH=${process.env['PATH']} no_proxy=.local.`,
    );
  });

  it('is not started if other users can change or replace it, or if it is behind a link', async () => {
    write('exit 0', 0o775);
    expect(await failure()).to.include(`SIGNING_MASTER_KEY_HELPER: other users can change ${helper}`);
    const open = join(folder, 'open');
    mkdirSync(open);
    chmodSync(open, 0o777);
    helper = join(open, 'helper');
    write('exit 0');
    const link = join(folder, 'link');
    symlinkSync(helper, link);
    expect(await failure()).to.include(`other users can change ${open}`);
    expect(await failure(link)).to.include(`${link} is behind a symbolic link; set it to ${helper}.`);
  });

  it('is named if it is missing or not executable', async () => {
    expect(await failure())
      .to.include(`SIGNING_MASTER_KEY_HELPER: ${helper}`)
      .and.include('ENOENT');
    if (process.geteuid?.() !== 0) {
      write('exit 0', 0o644);
      expect(await failure()).to.include('EACCES');
    }
  });
});
