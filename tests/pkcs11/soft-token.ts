import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HELPER_FOLDER, installHelperLibraries } from '../harness/helper-libraries.ts';

const MODULES = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/pkcs11/libsofthsm2.so'];
export const TOKEN = 'signing-test';
export const PIN = '246813';

/** SoftHSM with one token, and pkcs11js beside the key helpers. */
export class SoftToken {
  readonly #folder = mkdtempSync(join(tmpdir(), 'signing-softhsm-'));
  readonly configFile = join(this.#folder, 'softhsm2.conf');
  readonly pinFile = join(this.#folder, 'pin');
  readonly module: string;

  constructor() {
    this.module = MODULES.find((path) => existsSync(path)) ?? MODULES.join(' or ');
    mkdirSync(join(this.#folder, 'tokens'));
    writeFileSync(this.configFile, `directories.tokendir = ${join(this.#folder, 'tokens')}\nlog.level = ERROR\n`);
    // The module in this process reads it, too.
    process.env['SOFTHSM2_CONF'] = this.configFile;
    this.writePin(PIN);
    this.#util('--init-token', '--free', '--label', TOKEN, '--pin', PIN, '--so-pin', '13572468');
    installHelperLibraries();
  }

  writePin(pin: string): void {
    writeFileSync(this.pinFile, `${pin}\n`, { mode: 0o600 });
  }

  /** Generates an AES-256 key on the token. */
  addKey(label: string, extractable = false): void {
    // Without types: the library is installed for this suite.
    const pkcs11js = createRequire(join(HELPER_FOLDER, 'package.json'))('pkcs11js');
    const cryptoki = new pkcs11js.PKCS11();
    cryptoki.load(this.module);
    cryptoki.C_Initialize();
    try {
      const slots: readonly Buffer[] = cryptoki.C_GetSlotList(true);
      const slot = slots.find((one) => cryptoki.C_GetTokenInfo(one).label.trim() === TOKEN);
      const session = cryptoki.C_OpenSession(slot, pkcs11js.CKF_SERIAL_SESSION | pkcs11js.CKF_RW_SESSION);
      cryptoki.C_Login(session, pkcs11js.CKU_USER, PIN);
      cryptoki.C_GenerateKey(session, { mechanism: pkcs11js.CKM_AES_KEY_GEN, parameter: null }, [
        { type: pkcs11js.CKA_CLASS, value: pkcs11js.CKO_SECRET_KEY },
        { type: pkcs11js.CKA_TOKEN, value: true },
        { type: pkcs11js.CKA_PRIVATE, value: true },
        { type: pkcs11js.CKA_LABEL, value: label },
        { type: pkcs11js.CKA_ID, value: Buffer.from([0xa0, label.length]) },
        { type: pkcs11js.CKA_SENSITIVE, value: !extractable },
        { type: pkcs11js.CKA_EXTRACTABLE, value: extractable },
        { type: pkcs11js.CKA_ENCRYPT, value: true },
        { type: pkcs11js.CKA_DECRYPT, value: true },
        { type: pkcs11js.CKA_VALUE_LEN, value: 32 },
      ]);
    } finally {
      cryptoki.C_Finalize();
      cryptoki.close();
    }
  }

  deleteToken(): void {
    this.#util('--delete-token', '--token', TOKEN);
  }

  /** Settings of the service, for this token. */
  get environment(): { readonly [name: string]: string } {
    return {
      SOFTHSM2_CONF: this.configFile,
      SIGNING_PKCS11_MODULE: this.module,
      SIGNING_PKCS11_TOKEN: TOKEN,
      SIGNING_PKCS11_PIN_FILE: this.pinFile,
    };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #util(...args: readonly string[]): void {
    execFileSync('softhsm2-util', args, { env: { ...process.env, SOFTHSM2_CONF: this.configFile }, stdio: 'pipe' });
  }
}
