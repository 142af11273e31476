import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { SecretBytes } from '../../domain/model/account.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import type { WrappingSource } from '../../domain/model/master-key-rotation.ts';
import type { AwsSettings } from '../../key-helpers/aws-kms.ts';
import type { GcpSettings } from '../../key-helpers/gcp-kms.ts';
import type { Pkcs11Settings } from '../../key-helpers/pkcs11.ts';
import type { VaultSettings } from '../../key-helpers/vault.ts';
import type { WrappedKey, WrappingKeys } from '../../ports/wrapping-keys.ts';
import { adviseOnReading, fileError } from '../files/file-advice.ts';
import { foldersAbove, quoteForShell } from '../files/file-permissions.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import type { MemoryFile } from './memory-file.ts';
import { type KeyHelper, quote, runKeyHelper, toProgram } from './run-key-helper.ts';

/** Settings of the helpers for master keys; they receive those of their source as JSON. */
export interface WrappingKeySettings {
  /** For one start of a helper, milliseconds. */
  readonly timeoutMs: number;
  /** PEM file of authorities to trust besides Node's; null: none. */
  readonly caFile: string | null;
  /** Null: not configured. */
  readonly vault: VaultSettings | null;
  readonly gcp: GcpSettings;
  readonly aws: AwsSettings;
  /** Null: not configured. */
  readonly pkcs11: Pkcs11Settings | null;
  /** Path of the operator's own helper; null: not configured. */
  readonly helper: string | null;
}

/** A source's helper. */
interface SourceHelper {
  /** @throws OperatorError if it could be changed by other users */
  command(settings: WrappingKeySettings): KeyHelper['command'];
  /** Its settings; null: not configured. */
  select(settings: WrappingKeySettings): object | null;
  /** The settings that it needs, for messages. */
  readonly needs: string;
  /** Variables that it inherits besides {@link COMMON_VARIABLES}. */
  readonly variables: RegExp;
  /** Variables of its own. */
  readonly fixed?: { readonly [name: string]: string };
  /** What to check if it takes too long. */
  readonly advice: string;
}

const COMMON_VARIABLES =
  /^(?:PATH|HOME|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|(?:HTTPS?|NO)_PROXY|(?:https?|no)_proxy)$/;

/** Everything about a source that is not in its program. */
const HELPERS: { readonly [Source in WrappingSource]: SourceHelper } = {
  'vault-transit': {
    command: () => toProgram('vault'),
    select: ({ vault }) => vault,
    needs:
      'SIGNING_VAULT_ADDRESS, and SIGNING_VAULT_TOKEN_FILE, SIGNING_VAULT_KUBERNETES_ROLE or SIGNING_VAULT_APPROLE_ROLE_ID',
    variables: /^$/,
    // For fetch; since Node 22.21 and 24.
    fixed: { NODE_USE_ENV_PROXY: '1' },
    advice: 'check SIGNING_VAULT_ADDRESS and the network',
  },
  'gcp-kms': {
    // Its library protobufjs generates code.
    command: () => toProgram('gcp-kms', ['--disallow-code-generation-from-strings']),
    select: ({ gcp }) => gcp,
    needs: '',
    // Workload identity federation takes credentials of AWS.
    variables: /^(?:GOOGLE|GCE|CLOUDSDK|AWS)_/,
    advice: 'check SIGNING_GCP_KMS_ENDPOINT, the credentials and the network',
  },
  'aws-kms': {
    command: () => toProgram('aws-kms'),
    select: ({ aws }) => aws,
    needs: '',
    variables: /^AWS_/,
    advice: 'check SIGNING_AWS_REGION, SIGNING_AWS_KMS_ENDPOINT, the credentials and the network',
  },
  pkcs11: {
    command: () => toProgram('pkcs11'),
    select: ({ pkcs11 }) => pkcs11,
    needs: 'SIGNING_PKCS11_MODULE, SIGNING_PKCS11_TOKEN and SIGNING_PKCS11_PIN_FILE',
    // Of modules: SoftHSM, OpenSC, p11-kit, YubiHSM, AWS CloudHSM, Luna, nShield, Utimaco,
    // ProtectServer.
    variables:
      /^(?:LD_LIBRARY_PATH|ChrystokiConfigurationPath|(?:SOFTHSM2|OPENSC|P11_KIT|PKCS11|YUBIHSM|CLOUDHSM|NFAST|CKNFAST|CS_PKCS11|ET_PTKC)_\w+)$/,
    advice: 'check the token and its connection',
  },
  helper: {
    command: ({ helper }) => toOwnCommand(helper ?? ''),
    select: ({ helper }) => (helper === null ? null : {}),
    needs: 'SIGNING_MASTER_KEY_HELPER',
    variables: /^MASTER_KEY_HELPER_/,
    advice: 'check it and what it connects to',
  },
};

/** Ciphertexts have a limit in the master key file. */
const WRAPPED = z.object({ ciphertext: z.string().regex(/^[\w-]{1,1024}$/) });
/** Lengths other than a master key's are rejected later. */
const UNWRAPPED = z.object({
  keys: z.array(z.union([z.object({ length: z.int().min(1).max(4096) }), z.object({ problem: z.string() })])),
});

/** Wrapping keys that key helpers use: one start of a source's helper for all keys of it. */
export class HelperWrappingKeys implements WrappingKeys {
  readonly #settings: WrappingKeySettings;
  readonly #environment: NodeJS.ProcessEnv;

  /** @param environment of which each helper gets a few variables */
  constructor(settings: WrappingKeySettings, environment: NodeJS.ProcessEnv = process.env) {
    this.#settings = settings;
    this.#environment = environment;
  }

  async wrap(
    { source, wrappingKey: name, id }: Omit<WrappedKey, 'ciphertext'>,
    lend: (use: (masterKey: SecretBytes) => void) => void,
  ): Promise<string> {
    const request = { operation: 'wrap', key: { name, id } };
    const { response, secrets } = await this.#run(source, WRAPPED, request, (file) => lend((key) => file.write(key)));
    secrets.close();
    return response.ciphertext;
  }

  async unwrap(
    keys: readonly WrappedKey[],
    take: (masterKey: SecretBytes, key: WrappedKey) => OperatorError | null,
  ): Promise<readonly (OperatorError | null)[]> {
    const issues = new Map<WrappedKey, OperatorError | null>();
    for (const source of new Set(keys.map((key) => key.source))) {
      const own = keys.filter((key) => key.source === source);
      const sent = own.map(({ wrappingKey: name, id, ciphertext }) => ({ name, id, ciphertext }));
      let secrets: MemoryFile | undefined;
      try {
        const run = await this.#run(source, UNWRAPPED, { operation: 'unwrap', keys: sent });
        secrets = run.secrets;
        for (const [index, key] of own.entries()) {
          const outcome = run.response.keys[index] ?? { problem: 'it left out this key' };
          if ('problem' in outcome) {
            const problem = quote(outcome.problem) || 'it gave no reason';
            const helper = nameOf(source, this.#settings);
            issues.set(key, new OperatorError(`Key helper ${helper}, master key ${key.id}: ${problem}.`));
          } else {
            const issue = secrets.use(run.response.keys, index, (masterKey) => take(masterKey, key));
            issues.set(key, issue);
          }
        }
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error;
        for (const key of own) issues.set(key, error);
      } finally {
        secrets?.close();
      }
    }
    return keys.map((key) => issues.get(key) ?? null);
  }

  /**
   * Runs the helper of a source; the caller closes `secrets`.
   * @throws OperatorError
   */
  async #run<Response>(
    source: WrappingSource,
    schema: z.ZodType<Response>,
    request: object,
    lend?: (file: MemoryFile) => void,
  ) {
    const { command, select, needs, variables, fixed, advice } = HELPERS[source];
    const { timeoutMs, caFile } = this.#settings;
    const settings = select(this.#settings);
    if (settings === null) {
      throw new OperatorError(`The source ${source} is not configured; set ${needs}.`);
    }
    const inherited = Object.entries(this.#environment).filter(
      ([variable]) => COMMON_VARIABLES.test(variable) || variables.test(variable),
    );
    const helper: KeyHelper = {
      name: nameOf(source, this.#settings),
      command: command(this.#settings),
      environment: { ...Object.fromEntries(inherited), ...fixed, ...trust(caFile) },
      timeoutMs,
      timeoutAdvice: `${advice}, or raise SIGNING_MASTER_KEY_TIMEOUT_MS`,
    };
    return runKeyHelper(helper, { ...request, timeoutMs, settings }, schema, lend);
  }
}

function nameOf(source: WrappingSource, { helper }: WrappingKeySettings): string {
  return source === 'helper' ? `${helper} (SIGNING_MASTER_KEY_HELPER)` : source;
}

/** @throws OperatorError: Node would only warn of a missing file */
function trust(caFile: string | null): { readonly [name: string]: string } {
  if (caFile === null) return {};
  try {
    accessSync(caFile, constants.R_OK);
  } catch (error) {
    throw fileError(`SIGNING_MASTER_KEY_CA_FILE: ${caFile}`, adviseOnReading(error), error);
  }
  return { NODE_EXTRA_CA_CERTS: resolve(caFile) };
}

const STICKY = 0o1000;
const GROUP_OR_OTHERS_WRITE = 0o022;

/**
 * The operator's own helper, which gets every master key: no other user can change it or replace a
 * folder above it.
 * @throws OperatorError
 */
function toOwnCommand(path: string): KeyHelper['command'] {
  const file = resolve(path);
  const user = process.geteuid?.();
  try {
    accessSync(file, constants.X_OK);
    const target = realpathSync(file);
    if (target !== file) {
      throw new OperatorError(`SIGNING_MASTER_KEY_HELPER: ${file} is behind a symbolic link; set it to ${target}.`);
    }
    for (const entry of [...foldersAbove(file), file]) {
      const { uid, mode } = statSync(entry);
      // In a sticky folder such as /tmp, others cannot replace this user's files.
      const isSticky = entry !== file && (mode & STICKY) !== 0;
      if ((uid === 0 || uid === user) && (isSticky || (mode & GROUP_OR_OTHERS_WRITE) === 0)) continue;
      throw new OperatorError(
        `SIGNING_MASTER_KEY_HELPER: other users can change ${entry}; run \`chown root ${quoteForShell(entry)} && chmod go-w ${quoteForShell(entry)}\` as root.`,
      );
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `SIGNING_MASTER_KEY_HELPER: ${file} is not a program that this user can run (${systemErrorCode(error)}); check the path and its mode.`,
      { cause: error },
    );
  }
  return [file];
}
