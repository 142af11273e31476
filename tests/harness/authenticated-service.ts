import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuthenticationMode } from '../../src/adapters/http/callers/request-authentication.ts';
import type { Settings } from '../../src/app/settings/settings.ts';
import type { SignatureVerifier } from '../../src/ports/authentication.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { ReplayGuard } from '../../src/ports/replay-guard.ts';
import {
  findResponseIssue,
  issueToken,
  newNonce,
  signRequest,
  type TestClaims,
  TestKey,
  type TestRequest,
} from '../authentication/parties.ts';
import { FixedClock } from '../doubles/fixed-clock.ts';
import { settledReplayGuard } from '../doubles/settled-replay-guard.ts';
import { bs58 } from './base58.ts';
import { type RunningService, type ServiceParts, STARTED_AT, startService } from './running-service.ts';

/** Keys of mutual authentication. */
export const AUTHORITY = new TestKey(0xa1);
export const SERVICE = new TestKey(0x5e);
export const CLIENT = new TestKey(0xc1);

/** Of both tokens. */
export const EXPIRATION_TIME = '2027-01-01T00:00:00Z';

const STARTED_MS = Date.parse(STARTED_AT);

/** The token of {@link CLIENT}. */
export const CLIENT_TOKEN = issueToken(AUTHORITY, {
  username: 'desk-1',
  publicKey: CLIENT.publicKey,
  expirationTime: EXPIRATION_TIME,
});

/** The token of {@link SERVICE}. */
export const SERVICE_TOKEN = issueToken(AUTHORITY, {
  username: 'signing-service',
  publicKey: SERVICE.publicKey,
  expirationTime: EXPIRATION_TIME,
});

/** Options of a test. */
export interface AuthenticatedParts extends ServiceParts {
  readonly mode?: AuthenticationMode;
  readonly authorities?: readonly Uint8Array[];
  readonly verifier?: SignatureVerifier;
  /** Default: in memory, accepting requests after the start. */
  readonly guard?: (clock: Clock) => ReplayGuard;
}

/** Starts the harness with authentication, one second after the start. */
export async function startAuthenticatedService(parts: AuthenticatedParts = {}): Promise<RunningService> {
  const { mode = 'required', authorities = [AUTHORITY.publicKey], verifier, guard = settledReplayGuard } = parts;
  const clock = new FixedClock(STARTED_AT);
  const service = await startService({
    ...parts,
    auth: { mode, ...writeFiles(authorities) },
    adapters: { clock, guard: guard(clock), ...(verifier !== undefined && { verifier }), ...parts.adapters },
  });
  clock.advance(1000);
  return service;
}

const FOLDERS = mkdtempSync(join(tmpdir(), 'signing-service-auth-'));
process.once('exit', () => rmSync(FOLDERS, { recursive: true }));

/** The files of mutual authentication, which the service reads when it starts. */
function writeFiles(authorities: readonly Uint8Array[]): Omit<Settings['auth'], 'mode'> {
  const folder = mkdtempSync(join(FOLDERS, 'files-'));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), `${text}\n`, { mode: 0o600 });
    return join(folder, name);
  };
  return {
    authoritiesFile: write('authorities.txt', authorities.map((key) => bs58.encode(key)).join('\n')),
    keyFile: write('auth.key', SERVICE.seed.toString('hex')),
    tokenFile: write('token.txt', SERVICE_TOKEN.toString('base64')),
  };
}

/** Valid claims of {@link CLIENT}. */
export function clientClaims(now: number, given: Partial<TestClaims> = {}): TestClaims {
  return {
    token: CLIENT_TOKEN,
    servicePublicKey: SERVICE.publicKey,
    time: now / 1000,
    nonce: newNonce(),
    ...given,
  };
}

/** A response envelope. */
interface ApiEnvelope {
  readonly data: { readonly signature?: string; readonly total?: number; readonly accounts?: readonly unknown[] };
  readonly error: {
    readonly code: string;
    readonly details: { readonly reason?: string; readonly serverTime?: number; readonly scope?: string };
  };
}

/** A response with the client's verification result. */
export interface Exchange {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The envelope; null without JSON. */
  readonly json: ApiEnvelope;
  /** Why {@link CLIENT} rejects it; null if valid. */
  readonly issue: string | null;
}

/** A request and its signature. */
export interface Sending extends Partial<TestRequest> {
  readonly claims?: TestClaims;
  readonly key?: TestKey;
  /** Replaces the valid header; null for none. */
  readonly header?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request as {@link CLIENT} and verifies the response. */
export async function exchange(
  { port, clock }: Pick<RunningService, 'port' | 'clock'>,
  { method = 'GET', target = '/api/v1/status', body = '', claims, key = CLIENT, header, headers = {} }: Sending = {},
): Promise<Exchange> {
  const own = claims ?? clientClaims(clock.now());
  const message = signRequest(key, own, { method, target, body });
  const value = header === undefined ? message.toString('base64') : header;
  const response = await fetch(`http://127.0.0.1:${port}${target}`, {
    method,
    headers: {
      ...(body.length > 0 && { 'Content-Type': 'application/json' }),
      ...(value !== null && { 'Signing-Request-Auth': value }),
      ...headers,
    },
    ...(body.length > 0 && { body: new Uint8Array(Buffer.from(body as Buffer)) }),
  });
  const text = await response.text();
  const trust = { authority: AUTHORITY.publicKey, servicePublicKey: SERVICE.publicKey, now: STARTED_MS };
  const received = {
    status: response.status,
    body: text,
    header: response.headers.get('Signing-Response-Auth') ?? undefined,
  };
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: response.headers.get('Content-Type')?.startsWith('application/json') && text !== '' ? JSON.parse(text) : null,
    issue: findResponseIssue(message, own.nonce, received, trust),
  };
}
