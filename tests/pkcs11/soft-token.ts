import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CK, type Cryptoki } from '../../src/adapters/credentials/wrapping-keys/cryptoki.ts';
import { PROJECT_ROOT } from '../project-root.ts';

const PACKAGE = 'pkcs11js@2.1.7';
const MODULES = ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/pkcs11/libsofthsm2.so'];
const CKM_AES_KEY_GEN = 0x1080;
const CKF_RW_SESSION = 2;

export const TOKEN = 'signing-test';
export const PIN = '246813';

/** What keys are made with, beside {@link Cryptoki}. */
interface TokenMaker extends Cryptoki {
  C_GenerateKey(session: Buffer, mechanism: object, template: readonly object[]): Buffer;
}

/** SoftHSM with one token, and an installation of this project with pkcs11js beside it. */
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
    this.#install();
  }

  /** Creates a class instance of the installed pkcs11js. */
  readonly create = (): TokenMaker => {
    const { PKCS11 } = createRequire(join(this.#folder, 'package.json'))('pkcs11js');
    return new PKCS11();
  };

  writePin(pin: string): void {
    writeFileSync(this.pinFile, `${pin}\n`, { mode: 0o600 });
  }

  /** Generates an AES-256 key on the token. */
  addKey(label: string, extractable = false): void {
    const cryptoki = this.create();
    cryptoki.load(this.module);
    cryptoki.C_Initialize();
    try {
      const slots = cryptoki.C_GetSlotList(true);
      const slot = slots.find((one) => cryptoki.C_GetTokenInfo(one).label.trim() === TOKEN);
      if (slot === undefined) throw new Error('The token is missing.');
      const session = cryptoki.C_OpenSession(slot, CK.CKF_SERIAL_SESSION | CKF_RW_SESSION);
      cryptoki.C_Login(session, CK.CKU_USER, PIN);
      cryptoki.C_GenerateKey(session, { mechanism: CKM_AES_KEY_GEN, parameter: null }, [
        { type: CK.CKA_CLASS, value: CK.CKO_SECRET_KEY },
        { type: 1 /* CKA_TOKEN */, value: true },
        { type: 2 /* CKA_PRIVATE */, value: true },
        { type: CK.CKA_LABEL, value: label },
        { type: CK.CKA_ID, value: Buffer.from([0xa0, label.length]) },
        { type: CK.CKA_SENSITIVE, value: !extractable },
        { type: CK.CKA_EXTRACTABLE, value: extractable },
        { type: 0x104 /* CKA_ENCRYPT */, value: true },
        { type: 0x105 /* CKA_DECRYPT */, value: true },
        { type: 0x161 /* CKA_VALUE_LEN */, value: 32 },
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

  /** Runs programs of the installation instead of those in `dist`. */
  get launcher(): readonly string[] {
    const script = `node=$1; program=$(basename "$2"); shift 2; exec "$node" "${this.#folder}/dist/$program" "$@"`;
    return ['/bin/sh', '-c', script, 'sh'];
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #util(...args: readonly string[]): void {
    execFileSync('softhsm2-util', args, { env: { ...process.env, SOFTHSM2_CONF: this.configFile }, stdio: 'pipe' });
  }

  /** Node resolves the links, so that each package finds its dependencies in the repository. */
  #install(): void {
    writeFileSync(join(this.#folder, 'package.json'), '{"private":true}');
    const options = ['--no-audit', '--no-fund', '--save-exact'];
    execFileSync('npm', ['install', '--ignore-scripts=false', ...options, PACKAGE], {
      cwd: this.#folder,
      stdio: 'pipe',
    });
    cpSync(join(PROJECT_ROOT, 'dist'), join(this.#folder, 'dist'), { recursive: true });
    cpSync(join(PROJECT_ROOT, 'package.json'), join(this.#folder, 'package.json'));
    for (const name of readdirSync(join(PROJECT_ROOT, 'node_modules'))) {
      if (name.startsWith('.') || name === 'pkcs11js') continue;
      symlinkSync(join(PROJECT_ROOT, 'node_modules', name), join(this.#folder, 'node_modules', name));
    }
  }
}
