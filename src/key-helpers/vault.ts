import { setTimeout as delay } from 'node:timers/promises';
import { systemErrorCode } from '../adapters/files/system-error-code.ts';
import { HelperProblem, ServiceUnavailable } from './helper-program.ts';
import { assertConnected, associatedData, readSecretLine, serveMasterKeys } from './serve-master-keys.ts';

/* Wraps master keys with the Transit secrets engine of HashiCorp Vault or OpenBao. */

/** Settings of this helper. */
export interface VaultSettings {
  readonly address: string;
  /** Null: none. */
  readonly namespace: string | null;
  readonly login:
    | { readonly tokenFile: string }
    /** Kubernetes: the file has the token of the pod's service account. */
    | { readonly mount: string; readonly role: string; readonly jwtFile: string }
    /** AppRole. */
    | { readonly mount: string; readonly roleId: string; readonly secretIdFile: string };
}

type VaultRequest = Readonly<Record<string, string>>;

/** Vault's documents; absent members make the response unexpected. */
interface VaultDocument {
  /** Proxies also send a text. */
  readonly errors?: readonly string[] | string;
  readonly auth?: { readonly client_token?: string };
  readonly data?: { readonly ciphertext?: string; readonly plaintext?: string };
}

const ADDRESS_ADVICE = 'check SIGNING_VAULT_ADDRESS and the network';
const PAUSES_MS = [200, 400];

await serveMasterKeys(async ({ address, namespace, login }: VaultSettings) => {
  const url = new URL(address);
  const base = `${url.origin}${url.pathname.replace(/\/$/, '')}/v1/`;
  const subject = `Vault at ${url.origin}`;
  const fail = (problem: string) => new HelperProblem(`${subject}: ${problem}`);
  const common = {
    'Content-Type': 'application/json',
    'X-Vault-Request': 'true',
    ...(namespace === null ? {} : { 'X-Vault-Namespace': namespace }),
  };

  /** Repeats a request while Vault is overloaded or failing. Its reasons are in parentheses. */
  async function post(path: string, body: VaultRequest, token?: string) {
    const headers = token === undefined ? common : { ...common, 'X-Vault-Token': token };
    const init = { method: 'POST', headers, body: JSON.stringify(body), redirect: 'manual' } as const;
    const send = async () => follow(await fetch(`${base}${path}`, init).catch(unreachable), init);
    let response = await send();
    for (const pause of PAUSES_MS) {
      if (response.status !== 429 && response.status < 500) break;
      await delay(pause);
      response = await send();
    }
    const { status } = response;
    if (status === 503) throw new ServiceUnavailable(`${subject}: it is sealed or in maintenance; unseal it`);
    if (status === 429 || status > 500) throw new ServiceUnavailable(`${subject}: status ${status}; see its log`);
    const document = ((await response.json().catch(() => null)) ?? {}) as VaultDocument;
    let errors = [document.errors ?? []].flat().join('; ');
    // A server or proxy may echo a request with its secrets.
    const { plaintext, jwt, secret_id: secretId } = body;
    for (const secret of [token, plaintext, jwt, secretId]) if (secret) errors = errors.replaceAll(secret, '***');
    return { status, document, reasons: errors === '' ? '' : ` (${errors})` };
  }

  /** A standby without request forwarding redirects to the active node; TLS is never left. */
  async function follow(response: Response, init: RequestInit): Promise<Response> {
    if (response.status !== 307) return response;
    const location = response.headers.get('location') ?? '';
    const target = new URL(required(URL.canParse(location, base) ? location : null), base);
    const isSafe = target.protocol === 'https:' || (url.protocol === 'http:' && target.hostname === url.hostname);
    if (isSafe) return fetch(target, init).catch(unreachable);
    throw fail(
      `it is a standby and redirects to ${target.origin}, without TLS; set api_addr of its nodes, or SIGNING_VAULT_ADDRESS to the active one`,
    );
  }

  function unreachable(error: unknown): never {
    assertConnected(subject, error, ADDRESS_ADVICE);
    const code = systemErrorCode(error instanceof Error && error.cause);
    throw fail(`it cannot be reached (${code}); ${ADDRESS_ADVICE}`);
  }

  function required(value: unknown): string {
    if (typeof value === 'string') return value;
    throw fail(`unexpected response; ${ADDRESS_ADVICE}`);
  }

  /** @param advice what to do if the login is refused */
  async function logIn(mount: string, body: VaultRequest, advice: string): Promise<string> {
    const { status, document, reasons } = await post(`auth/${mount}/login`, body);
    if (status === 200) return required(document.auth?.client_token);
    throw fail(`the login at auth/${mount} was refused with status ${status}${reasons}; ${advice}`);
  }

  async function authenticate(): Promise<string> {
    if ('tokenFile' in login) return readSecretLine('SIGNING_VAULT_TOKEN_FILE', login.tokenFile);
    const { mount } = login;
    if ('role' in login) {
      const jwt = readSecretLine('SIGNING_VAULT_KUBERNETES_TOKEN_FILE', login.jwtFile, 'kubelet');
      const advice = `check the role ${login.role} (SIGNING_VAULT_KUBERNETES_ROLE), its service account and SIGNING_VAULT_KUBERNETES_MOUNT`;
      return logIn(mount, { role: login.role, jwt }, advice);
    }
    const secretId = readSecretLine('SIGNING_VAULT_APPROLE_SECRET_ID_FILE', login.secretIdFile);
    const advice =
      'check SIGNING_VAULT_APPROLE_ROLE_ID and SIGNING_VAULT_APPROLE_MOUNT, or write another secret ID to the file of SIGNING_VAULT_APPROLE_SECRET_ID_FILE';
    return logIn(mount, { role_id: login.roleId, secret_id: secretId }, advice);
  }

  const token = await authenticate();

  async function transit(operation: 'encrypt' | 'decrypt', name: string, fields: VaultRequest) {
    const slash = name.lastIndexOf('/');
    const mount = name.slice(0, slash);
    const path = `${mount}/${operation}/${name.slice(slash + 1)}`;
    const { status, document, reasons } = await post(path, fields, token);
    if (status === 200) return document.data ?? {};
    const texts: { readonly [status: number]: string } = {
      400:
        operation === 'encrypt'
          ? `it cannot encrypt with the key ${name}${reasons}; use one of type aes256-gcm96, aes128-gcm96 or chacha20-poly1305, without derivation`
          : `it cannot decrypt with the key ${name}${reasons}; check that it is the key that wrapped the master key, or restore the master key file`,
      403: `permission denied for ${operation} with ${name}; renew the token, or allow update on ${path} in its policy`,
      404: `there is no Transit engine at ${mount}; check the wrapping key's name and SIGNING_VAULT_NAMESPACE`,
    };
    throw fail(texts[status] ?? `unexpected status ${status}${reasons}; see its log`);
  }

  return {
    async wrap(name, id, masterKey) {
      const fields = {
        plaintext: masterKey.toString('base64'),
        associated_data: associatedData(id).toString('base64'),
      };
      return Buffer.from(required((await transit('encrypt', name, fields)).ciphertext));
    },
    async unwrap(name, id, ciphertext) {
      const fields = { ciphertext: ciphertext.toString(), associated_data: associatedData(id).toString('base64') };
      return Buffer.from(required((await transit('decrypt', name, fields)).plaintext), 'base64');
    },
  };
});
