import { findPermissionIssue } from '../adapters/files/file-permissions.ts';
import { systemErrorCode } from '../adapters/files/system-error-code.ts';
import {
  HelperProblem,
  readSecret,
  readWholeFile,
  ServiceUnavailable,
  serveRequest,
  writeSecret,
} from './helper-program.ts';

/** Wrapping keys of a service or token, ready for use. Both functions throw HelperProblem. */
interface WrappingService {
  /**
   * @param name of the wrapping key
   * @param id of the master key, 16 hex digits, authenticated with it
   * @param masterKey 32 bytes
   * @returns the ciphertext in the form of the service
   */
  wrap(name: string, id: string, masterKey: Buffer): Promise<Uint8Array>;
  /** @returns the plaintext, whose length and id the service checks */
  unwrap(name: string, id: string, ciphertext: Buffer): Promise<Uint8Array>;
}

interface KeyName {
  readonly name: string;
  readonly id: string;
}

type MasterKeyRequest<Settings> = { readonly settings: Settings; readonly timeoutMs: number } & (
  | { readonly operation: 'wrap'; readonly key: KeyName }
  | { readonly operation: 'unwrap'; readonly keys: readonly (KeyName & { readonly ciphertext: string })[] }
);

/**
 * The main function of a helper for master keys; docs/operators/key-helpers.md has the protocol.
 * @param connect authenticates, once for all keys; throws HelperProblem
 */
export function serveMasterKeys<Settings>(connect: (settings: Settings) => Promise<WrappingService>): Promise<void> {
  return serveRequest(async (request: MasterKeyRequest<Settings>) => {
    // A killed service does not end this process, and libraries wait for a response without limit.
    setTimeout(() => process.exit(1), request.timeoutMs).unref();
    const service = await connect(request.settings);
    if (request.operation === 'wrap') {
      const { name, id } = request.key;
      return { ciphertext: Buffer.from(await service.wrap(name, id, readSecret())).toString('base64url') };
    }
    const keys: ({ length: number } | { problem: string })[] = [];
    for (const { name, id, ciphertext } of request.keys) {
      try {
        keys.push({ length: writeSecret(await service.unwrap(name, id, Buffer.from(ciphertext, 'base64url'))) });
      } catch (error) {
        if (!(error instanceof HelperProblem) || error instanceof ServiceUnavailable) throw error;
        keys.push({ problem: error.message });
      }
    }
    return { keys };
  });
}

/** What authenticates a master key's id, with services that take bytes. */
export function associatedData(id: string): Buffer {
  return Buffer.from(`signing-service/master-key/v1/${id}`);
}

const MAX_FILE_BYTES = 64 * 1024;

/**
 * The one line of a file, without a byte order mark: a token or PIN.
 * @param setting for messages
 * @param writer the kubelet may write the tokens of a pod with mode 0644; only the pod has them.
 * https://kubernetes.io/docs/concepts/storage/projected-volumes/#securitycontext-interactions
 * @throws HelperProblem, also for another file that other users can read
 */
export function readSecretLine(setting: string, file: string, writer?: 'kubelet'): string {
  const text = readPrivateFile(setting, file, writer).replace(/^\uFEFF|\r?\n$/g, '');
  if (text !== '' && !/\p{Cc}/u.test(text)) return text;
  throw new HelperProblem(`${setting}: ${file} is not one line of text; write only the secret to it`);
}

/**
 * Content of a file that other users cannot read. Parameters and errors as {@link readSecretLine}.
 */
export function readPrivateFile(setting: string, file: string, writer?: 'kubelet'): string {
  try {
    return readWholeFile(file, MAX_FILE_BYTES, (stats) =>
      writer === 'kubelet' ? null : findPermissionIssue(file, stats, 'secret', 'the secret'),
    ).toString();
  } catch (error) {
    throw new HelperProblem(`${setting}: ${file}: ${describeError(error)}`);
  }
}

/**
 * Imports a library of package.json beside this program.
 * @param needs what its installation needs, for messages
 * @throws HelperProblem with the command that installs it
 */
export async function importLibrary<Library>(name: string, needs = ''): Promise<Library> {
  try {
    return await import(name);
  } catch (error) {
    throw new HelperProblem(
      `the library ${name} cannot be loaded (${systemErrorCode(error)}); run \`npm ci --omit=dev --prefix ${import.meta.dirname}\`${needs}, ` +
        'or build the image with KEY_HELPERS=true',
    );
  }
}

const TLS_CODES = /CERT|SSL|TLS|SIGNATURE|ISSUER|EPROTO/;

/**
 * Throws if the failure is one of the connection.
 * @param subject the service, for messages
 * @param advice what to check if it cannot be reached
 * @throws ServiceUnavailable if it cannot be reached, HelperProblem if TLS fails
 */
export function assertConnected(subject: string, error: unknown, advice: string): void {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = systemErrorCode(cause);
    if (TLS_CODES.test(code)) {
      throw new HelperProblem(
        `${subject}: its certificate or TLS connection is not valid (${code}); set SIGNING_MASTER_KEY_CA_FILE to the certificate of its authority`,
      );
    }
    if (/^(?:E[A-Z]{3,}|EAI_\w+|UND_ERR_\w+)$/.test(code)) {
      throw new ServiceUnavailable(`${subject}: it cannot be reached (${code}); ${advice}`);
    }
  }
}

/** What a library says of a failure. Errors of the language can quote what they failed on. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  if (error instanceof TypeError || error instanceof SyntaxError) return 'unexpected response';
  return error.message.replace(/\.$/, '');
}
