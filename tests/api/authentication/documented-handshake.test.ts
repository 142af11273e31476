import { spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DOCUMENTED_CLAIMS, DOCUMENTED_REQUEST, documentedValues } from '../../authentication/documented-example.ts';
import { getResponseContent, issueToken, signRequest } from '../../authentication/parties.ts';
import { bytesField } from '../../authentication/wire.ts';
import {
  AUTHORITY,
  CLIENT,
  exchange,
  SERVICE,
  SERVICE_TOKEN,
  startAuthenticatedService,
} from '../../harness/authenticated-service.ts';
import { bs58 } from '../../harness/base58.ts';
import type { RunningService } from '../../harness/running-service.ts';
import { PROJECT_ROOT, readProjectFile } from '../../project-root.ts';

const DOCUMENT = readProjectFile('docs/callers/authentication.md');
const EXAMPLE = join(PROJECT_ROOT, 'docs/examples/signed-request.mjs');

/** The `name = value` lines of the worked example. */
function documented(): Readonly<Record<string, string>> {
  const [, example = ''] = DOCUMENT.split('## A worked example');
  return Object.fromEntries([...example.matchAll(/^([\w -]+) = (.+)$/gm)].map(([, name, value]) => [name, value]));
}

/** Number and type of each `message.field`, by the message definitions. */
function definedFields(): readonly (readonly string[])[] {
  const definition = readProjectFile('src/adapters/auth/messages/access-messages.proto');
  return [...definition.matchAll(/^message (\w+) \{\n([^}]*)\}/gm)].flatMap(([, message, fields = '']) =>
    [...fields.matchAll(/^ {2}(\w+) (\w+) = (\d+);$/gm)].map(([, type = '', name, number = '']) => {
      const tag = Number(number) * 8 + (type === 'double' ? 1 : 2);
      return [`${message}.${name}`, number, type, tag.toString(16).padStart(2, '0')];
    }),
  );
}

describe('docs/callers/authentication.md', () => {
  let service: RunningService;
  before(async () => {
    service = await startAuthenticatedService();
  });
  after(() => service.close());

  it('has a worked example with correct bytes, including the response', async () => {
    const { status, text, headers, issue } = await exchange(service, {
      ...DOCUMENTED_REQUEST,
      claims: DOCUMENTED_CLAIMS,
    });
    expect(issue).to.equal(null);
    const message = signRequest(CLIENT, DOCUMENTED_CLAIMS, DOCUMENTED_REQUEST);
    const claims = Buffer.concat([bytesField(1, SERVICE_TOKEN), bytesField(2, DOCUMENTED_CLAIMS.nonce)]);
    expect(documented()).to.deep.equal({
      ...documentedValues(),
      status: String(status),
      'body of the response': text,
      'signed by the service': getResponseContent(claims, message, { status, body: text }).toString('hex'),
      'Signing-Response-Auth': headers.get('Signing-Response-Auth'),
    });
  });

  it('documents the number, type and first byte of every message field', () => {
    const rows = DOCUMENT.matchAll(/^\| `(\w+\.\w+)` \| (\d+) \| `(\w+)` \| `([0-9a-f]{2})` \| /gm);
    const described = [...rows].map(([, ...columns]) => columns);
    expect(described).to.have.length(12);
    expect(described).to.deep.equal(definedFields());
  });
});

describe(EXAMPLE, () => {
  let service: RunningService;
  let folder: string;
  before(async () => {
    // It uses the current time.
    service = await startAuthenticatedService();
    service.clock.set(Date.now());
    folder = mkdtempSync(join(tmpdir(), 'signed-request-'));
    const expirationTime = new Date(Date.now() + 3_600_000).toISOString();
    const token = issueToken(AUTHORITY, { username: 'desk-1', publicKey: CLIENT.publicKey, expirationTime });
    writeFileSync(join(folder, 'desk-1.key'), `${CLIENT.seed.toString('hex')}\n`);
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), CLIENT.seed]);
    const pem = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    writeFileSync(join(folder, 'desk-1.pem'), pem.export({ format: 'pem', type: 'pkcs8' }));
    writeFileSync(join(folder, 'desk-1.token'), `${token.toString('base64')}\n`);
  });
  after(async () => {
    await service.close();
    rmSync(folder, { recursive: true });
  });

  interface Ran {
    readonly code: unknown;
    readonly output: string;
  }

  async function run(authority: Buffer, keyFile: string): Promise<Ran> {
    const keys = [SERVICE.publicKey, authority].map((key) => bs58.encode(key));
    const files = [keyFile, 'desk-1.token'].map((name) => join(folder, name));
    const { method, target, body } = DOCUMENTED_REQUEST;
    const given = [`http://127.0.0.1:${service.port}`, ...files, ...keys, method, target, body];
    const child = spawn(process.execPath, [EXAMPLE, ...given]);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const [code] = await once(child, 'close');
    return { code, output };
  }

  it('gets a signature and verifies the response, with the seed of its key in hex', async () => {
    const { code, output } = await run(AUTHORITY.publicKey, 'desk-1.key');
    expect(output).to.match(/^200 authenticated response\n\{"success":true,"data":\{"signature":/);
    expect(code).to.equal(0);
  });

  it('accepts a PEM key written by openssl genpkey, and rejects a response from another authority', async () => {
    const { code, output } = await run(CLIENT.publicKey, 'desk-1.pem');
    expect(output).to.match(/^200 UNAUTHENTICATED RESPONSE\n/);
    expect(code).to.equal(1);
  });
});
