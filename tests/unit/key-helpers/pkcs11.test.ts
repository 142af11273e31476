import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { runKeyHelper } from '../../../src/adapters/key-helper/run-key-helper.ts';
import { OperatorError } from '../../../src/domain/model/errors.ts';

/** Compiled sources. */
const SOURCES = resolve(import.meta.dirname, '../../../src');

/**
 * A pkcs11js whose token fails in one function, has these flags and one PIN; calls are written
 * down.
 */
const LIBRARY = `
const { appendFileSync } = require('node:fs');
const handle = Buffer.alloc(8);
const results = {
  C_GetSlotList: [handle], C_OpenSession: handle, C_FindObjects: [handle], C_Decrypt: Buffer.alloc(32, 0x5a),
  C_GetTokenInfo: { label: 'signing   ', flags: Number(process.env.PKCS11_FLAGS) },
};
exports.PKCS11 = class {
  constructor() {
    return new Proxy(this, { get: (_, name) => name === 'then' ? undefined : (...args) => {
      appendFileSync(process.env.PKCS11_CALLS, name + ' ');
      if (name === 'C_Login' && args[2] !== '246813') throw new Error('CKR_PIN_INCORRECT');
      if (name === process.env.PKCS11_FAILS) throw new Error(process.env.PKCS11_CODE);
      return results[name];
    } });
  }
};
`;
const [FINAL_TRY, LOCKED] = [0x2_0000, 0x4_0000];

describe('The key helper for PKCS #11', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'pkcs11-'));
    cpSync(SOURCES, folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    mkdirSync(join(folder, 'node_modules/pkcs11js'), { recursive: true });
    writeFileSync(join(folder, 'node_modules/pkcs11js/index.js'), LIBRARY);
    writeFileSync(join(folder, 'pin'), '\ufeff246813\r\n', { mode: 0o600 });
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => writeFileSync(join(folder, 'calls'), ''));

  const calls = () => readFileSync(join(folder, 'calls'), 'utf8').trim().split(' ');
  const run = async (variables: { readonly [name: string]: string } = {}) => {
    const command = [process.execPath, join(folder, 'key-helpers/pkcs11.js')] as const;
    const environment = { PKCS11_CALLS: join(folder, 'calls'), PKCS11_FLAGS: '0', ...variables };
    const settings = { module: '/usr/lib/vendor.so', token: 'signing', pinFile: join(folder, 'pin') };
    const key = { name: 'master', id: '0123456789abcdef', ciphertext: Buffer.alloc(60).toString('base64url') };
    const request = { operation: 'unwrap', keys: [key, key], timeoutMs: 10_000, settings };
    const helper = { name: 'pkcs11', command, environment, timeoutMs: 10_000, timeoutAdvice: '' } as const;
    const { response, secrets } = await runKeyHelper(helper, request, z.unknown());
    secrets.close();
    return response;
  };
  const failure = async (variables: { readonly [name: string]: string }) => {
    const error = await run(variables).catch((reason: unknown) => reason);
    if (!(error instanceof OperatorError)) throw error;
    return error.message;
  };

  it('logs in once for all keys, without byte order mark and line break of the PIN file, and ends the session', async () => {
    expect(await run()).to.deep.equal({ keys: [{ length: 32 }, { length: 32 }] });
    expect(calls().filter((name) => name === 'C_Login')).to.have.lengthOf(1);
    expect(calls().slice(-2)).to.deep.equal(['C_Logout', 'C_Finalize']);
  });

  it('tries a wrong PIN once, and no reload repeats it', async () => {
    const refused = { PKCS11_FAILS: 'C_Login', PKCS11_CODE: 'CKR_PIN_INCORRECT' };
    const error: unknown = await run(refused).catch((reason: unknown) => reason);
    if (!(error instanceof OperatorError)) throw error;
    expect(error.message).to.include('PKCS #11 token signing').and.include('the PIN is wrong and was tried once');
    expect(error.code).to.equal(undefined);
    expect(calls().filter((name) => name === 'C_Login')).to.have.lengthOf(1);
  });

  it('does not use the last try of a PIN, or a locked PIN', async () => {
    for (const [flag, advice] of [
      [FINAL_TRY, 'only one try'],
      [LOCKED, 'its PIN is locked'],
    ] as const) {
      expect(await failure({ PKCS11_FLAGS: String(flag) })).to.include(advice);
    }
    expect(calls()).not.to.include('C_Login');
  });

  it('explains what the token refuses for a key, key by key', async () => {
    for (const [method, code, advice] of [
      ['C_DecryptInit', 'CKR_MECHANISM_INVALID', 'does not support AES-GCM'],
      ['C_Decrypt', 'CKR_ENCRYPTED_DATA_INVALID', 'restore the master key file'],
    ] as const) {
      const { keys } = (await run({ PKCS11_FAILS: method, PKCS11_CODE: code })) as { keys: { problem: string }[] };
      for (const { problem } of keys) expect(problem).to.include(advice).and.include(code);
    }
  });

  it('names the setting of a module that cannot be loaded', async () => {
    expect(await failure({ PKCS11_FAILS: 'load', PKCS11_CODE: 'invalid ELF header' }))
      .to.include('SIGNING_PKCS11_MODULE: /usr/lib/vendor.so')
      .and.include('invalid ELF header');
  });

  it('names the command that installs its library', async () => {
    const library = join(folder, 'node_modules');
    const away = join(folder, 'away');
    renameSync(library, away);
    try {
      expect(await failure({}))
        .to.include('pkcs11js')
        .and.include(`npm ci --omit=dev --prefix ${join(folder, 'key-helpers')}`);
    } finally {
      renameSync(away, library);
    }
  });
});
