import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { CK, type Cryptoki } from '../../../../../src/adapters/credentials/wrapping-keys/cryptoki.ts';
import { Pkcs11Key } from '../../../../../src/adapters/credentials/wrapping-keys/pkcs11-key.ts';
import { MasterKeyUnavailableError } from '../../../../../src/domain/model/errors.ts';

const HANDLE = Buffer.alloc(8);
const CIPHERTEXT = Buffer.alloc(60);

/** A token that fails in one function, and records the calls. */
class FailingToken implements Cryptoki {
  readonly calls: string[] = [];
  flags = 0;
  readonly #method: string;
  readonly #code: string;

  constructor(method: string, code: string) {
    this.#method = method;
    this.#code = code;
  }

  #call<Result>(name: string, result: Result): Result {
    this.calls.push(name);
    if (name === this.#method) throw new Error(this.#code);
    return result;
  }

  load = () => this.#call('load', undefined);
  close = () => this.#call('close', undefined);
  C_Initialize = () => this.#call('C_Initialize', undefined);
  C_Finalize = () => this.#call('C_Finalize', undefined);
  C_GetSlotList = () => this.#call('C_GetSlotList', [HANDLE]);
  C_GetTokenInfo = () => this.#call('C_GetTokenInfo', { label: 'signing   ', flags: this.flags });
  C_OpenSession = () => this.#call('C_OpenSession', HANDLE);
  C_CloseSession = () => this.#call('C_CloseSession', undefined);
  C_Login = () => this.#call('C_Login', undefined);
  C_Logout = () => this.#call('C_Logout', undefined);
  C_FindObjectsInit = () => this.#call('C_FindObjectsInit', undefined);
  C_FindObjects = () => this.#call('C_FindObjects', [HANDLE]);
  C_FindObjectsFinal = () => this.#call('C_FindObjectsFinal', undefined);
  C_GetAttributeValue = () => this.#call('C_GetAttributeValue', []);
  C_EncryptInit = () => this.#call('C_EncryptInit', undefined);
  C_Encrypt = () => this.#call('C_Encrypt', HANDLE);
  C_DecryptInit = () => this.#call('C_DecryptInit', undefined);
  C_Decrypt = () => this.#call('C_Decrypt', HANDLE);
}

describe('Pkcs11Key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pkcs11-'));
  const pinFile = join(folder, 'pin');
  beforeEach(() => writeFileSync(pinFile, '246813\n', { mode: 0o600 }));
  after(() => rmSync(folder, { recursive: true }));

  const failure = async (token: FailingToken) => {
    const settings = { module: '/usr/lib/vendor.so', token: 'signing', pinFile };
    const error = await new Pkcs11Key('master', settings, () => token)
      .unwrap('0123456789abcdef', CIPHERTEXT, () => undefined)
      .catch((reason: unknown) => reason);
    if (!(error instanceof MasterKeyUnavailableError)) throw error;
    return error.message;
  };

  for (const [method, code, advice] of [
    ['C_Login', 'CKR_PIN_INCORRECT', 'the PIN is wrong and was tried once'],
    ['C_DecryptInit', 'CKR_MECHANISM_INVALID', 'does not support AES-GCM'],
    ['C_Decrypt', 'CKR_ENCRYPTED_DATA_INVALID', 'restore the master key file'],
  ] as const) {
    it(`explains ${code} of ${method}, once, and ends the session`, async () => {
      const token = new FailingToken(method, code);
      expect(await failure(token))
        .to.include('PKCS #11 token signing')
        .and.include(advice)
        .and.include(code);
      expect(token.calls.filter((name) => name === 'C_Login')).to.have.length.at.most(1);
      expect(token.calls.slice(-4)).to.deep.equal(['C_Logout', 'C_CloseSession', 'C_Finalize', 'close']);
    });
  }

  it('does not use the last try of a PIN, or a locked PIN', async () => {
    for (const [flag, advice] of [
      [CK.CKF_USER_PIN_FINAL_TRY, 'only one try'],
      [CK.CKF_USER_PIN_LOCKED, 'its PIN is locked'],
    ] as const) {
      const token = new FailingToken('none', '');
      token.flags = flag;
      expect(await failure(token)).to.include(advice);
      expect(token.calls).not.to.include('C_Login');
    }
  });

  it('names the setting of a module that cannot be loaded', async () => {
    const token = new FailingToken('load', 'invalid ELF header');
    expect(await failure(token))
      .to.include('SIGNING_PKCS11_MODULE: /usr/lib/vendor.so')
      .and.include('invalid ELF header');
  });

  it('names the setting of a PIN file that is missing or has several lines', async () => {
    writeFileSync(pinFile, '1234\n5678\n');
    expect(await failure(new FailingToken('none', ''))).to.include(`SIGNING_PKCS11_PIN_FILE: ${pinFile}`);
    rmSync(pinFile);
    expect(await failure(new FailingToken('none', ''))).to.include('no such file');
  });
});
