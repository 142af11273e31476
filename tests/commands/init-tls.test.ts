import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Workplace } from '../harness/service-process.ts';
import { freePort } from '../programs/free-port.ts';

describe('init --tls', () => {
  let place: Workplace;
  let printed = '';

  before(async () => {
    place = new Workplace({ SIGNING_PORT: String(await freePort()) });
    printed = await place.prepare('init', '--tls');
  });
  after(() => place.remove());

  it('creates files for this user alone, without the key of the CA, valid for 30 days', () => {
    const folder = place.path('tls');
    const names = readdirSync(folder);
    expect(names).to.have.members(['ca.pem', 'server.pem', 'server.key', 'client.pem', 'client.key']);
    for (const name of names) expect(statSync(`${folder}/${name}`).mode & 0o777).to.equal(0o600);
    const { validFrom, validTo } = new X509Certificate(readFileSync(`${folder}/server.pem`));
    expect(Date.parse(validTo) - Date.parse(validFrom)).to.equal(30 * 24 * 60 * 60 * 1000);
    expect(printed).to.include('valid for 30 days').and.include('The key of the CA was not kept');
  });

  it('prints settings and commands that work as typed, and that need the client certificate', async function () {
    this.timeout(30_000);
    for (const [, name = '', file = ''] of printed.matchAll(/^export (\w+)=(.*)$/gm)) place.environment[name] = file;
    const service = await place.startHere();
    const [curl = ''] = /^curl .*$/m.exec(printed) ?? [];
    const [, status = ''] = /^signing-service (status .*)$/m.exec(printed) ?? [];
    const call = (line: string) => promisify(execFile)('sh', ['-c', line]).then(({ stdout }) => stdout);
    expect(await call(curl)).to.include('"success":true');
    expect((await place.commandHere(...status.split(' '))).stdout).to.include(service.url);
    expect(await call(`${curl.replace(/--cert \S+ --key \S+/, '')} || true`)).to.not.include('"success":true');
  });

  it('changes no existing file, and refuses a folder where some are missing', async () => {
    const before = readFileSync(place.path('tls/server.pem'), 'utf8');
    expect(await place.prepare('init', '--tls')).to.match(/^exists +TLS for a trial/m);
    expect(readFileSync(place.path('tls/server.pem'), 'utf8')).to.equal(before);
    rmSync(place.path('tls/client.key'));
    const { exitCode, stderr } = await place.commandHere('init', '--tls');
    expect([exitCode, stderr.includes('ca.pem: it already exists')]).to.deep.equal([2, true]);
    expect(readdirSync(place.path('tls'))).to.have.length(4);
  });
});
