import { join } from 'node:path';
import { freePort } from '../../../tests/programs/free-port.ts';
import type { Signed } from './proof.ts';
import { type Run, runStartScript, type Service, untilReady } from './start.ts';

/*
 * Cosmian KMS with its default database (SQLite), threads and log level, without its optional audit
 * file: KMIP 2.1 as JSON over plain HTTP, as its own client sends it.
 */

/** A field of KMIP. */
interface Field {
  readonly tag: string;
  readonly type: string;
  readonly value: unknown;
}

/** KMIP usage masks: sign, verify. */
const [SIGN, VERIFY] = [1, 2];
const KEY_BYTES = 32;

const structure = (tag: string, ...value: readonly Field[]): Field => ({ tag, type: 'Structure', value });
const text = (tag: string, value: string): Field => ({ tag, type: 'TextString', value });
const integer = (tag: string, value: number): Field => ({ tag, type: 'Integer', value });
const choice = (tag: string, value: string): Field => ({ tag, type: 'Enumeration', value });

/** Value of the first field with a tag, at any depth. */
function find(field: Field, tag: string): unknown {
  if (field.tag === tag) return field.value;
  if (!Array.isArray(field.value)) return undefined;
  return (field.value as readonly Field[]).map((inner) => find(inner, tag)).find((value) => value !== undefined);
}

function findText(field: Field, tag: string): string {
  const value = find(field, tag);
  if (typeof value !== 'string') throw new Error(`no ${tag} in ${JSON.stringify(field)}`);
  return value;
}

async function call(url: string, request: Field): Promise<Field> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(request) });
  const content = await response.text();
  if (!response.ok) throw new Error(`${request.tag}: ${response.status} ${content}`);
  return JSON.parse(content);
}

/** Creates an active key pair, as its client does by `ec keys create --curve ed25519`. */
function createKeyPair(): Field {
  const attributes = (part: string, object: string, usage: number): Field =>
    structure(
      part,
      choice('CryptographicAlgorithm', 'Ed25519'),
      structure('CryptographicDomainParameters', choice('RecommendedCurve', 'CURVEED25519')),
      integer('CryptographicUsageMask', usage),
      choice('ObjectType', object),
      { tag: 'ActivationDate', type: 'DateTime', value: new Date().toISOString().replace(/\.\d+/, '') },
    );
  return structure(
    'CreateKeyPair',
    attributes('CommonAttributes', 'PrivateKey', SIGN | VERIFY),
    attributes('PrivateKeyAttributes', 'PrivateKey', SIGN),
    attributes('PublicKeyAttributes', 'PublicKey', VERIFY),
  );
}

async function start(folder: string, run: Run): Promise<Service> {
  const port = await freePort();
  const database = ['--database-type', 'sqlite', '--sqlite-path', join(folder, 'sqlite-data')];
  const folders = ['--root-data-path', join(folder, 'root'), '--tmp-path', folder];
  run('--hostname', '127.0.0.1', '--port', `${port}`, ...database, ...folders);
  const url = `http://127.0.0.1:${port}/kmip/2_1`;
  const pair = await untilReady(() => call(url, createKeyPair()));
  const publicId = findText(pair, 'PublicKeyUniqueIdentifier');
  const format = choice('KeyFormatType', 'PKCS8');
  const got = await call(url, structure('Get', text('UniqueIdentifier', publicId), format));
  const sign = structure(
    'Sign',
    text('UniqueIdentifier', findText(pair, 'PrivateKeyUniqueIdentifier')),
    structure('CryptographicParameters', choice('CryptographicAlgorithm', 'Ed25519')),
    { tag: 'Data', type: 'ByteString', value: '{{hex}}' },
  );
  return {
    name: 'Cosmian KMS',
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sign),
    batchBody: null,
    // The end of SubjectPublicKeyInfo, as DER.
    publicKey: Buffer.from(findText(got, 'KeyMaterial'), 'hex').subarray(-KEY_BYTES),
  };
}

function read(body: string, response: string): readonly Signed[] {
  const message = Buffer.from(findText(JSON.parse(body), 'Data'), 'hex');
  return [{ message, signature: Buffer.from(findText(JSON.parse(response), 'SignatureData'), 'hex') }];
}

await runStartScript({
  file: import.meta.filename,
  variable: 'BENCH_COSMIAN_KMS',
  program: 'cosmian_kms',
  versionArguments: ['--version'],
  start,
  read,
});
