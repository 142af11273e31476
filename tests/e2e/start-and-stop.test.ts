import { execFileSync } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { expect } from 'chai';
import { printedBy } from '../harness/command-in-process.ts';
import type { Workplace } from '../harness/service-process.ts';
import { readProjectFile } from '../project-root.ts';
import { SIGN, useAuditedPlaces } from './audited-places.ts';

describe('The service, started and stopped,', () => {
  const places = useAuditedPlaces();
  let place: Workplace;

  beforeEach(() => {
    place = places.place;
  });

  it('on SIGTERM completes the request in flight and the audit file, and exits with code 0', async () => {
    places.configure();
    const service = await place.start();
    const body = JSON.stringify(SIGN);
    const call = request(`${service.url}/api/v1/sign`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': body.length },
    });
    call.write(body.slice(0, 10));
    // A later response shows that the service has received the request.
    await service.get('/status');
    const ended = service.stop();
    await service.get('/status').then(
      () => undefined,
      () => undefined,
    );
    call.end(body.slice(10));
    const [response] = await once(call, 'response');
    expect(response.statusCode).to.equal(200);
    response.resume();
    expect(await ended).to.include({ exitCode: 0, stderr: '' });
    places.expectCompleteRecord();
  });

  it('keeps signing after a restart, and appends to its audit file', async () => {
    places.configure(places.stopped);
    const service = await place.startHere();
    const again = await service.post('/sign', SIGN);
    expect(again.body.data.signature).to.equal(places.signature);
    await service.stop();
    const run = ['start', 'reload', 'sign', 'stop'];
    expect(places.auditEvents()).to.deep.equal(['segment', ...run, ...run]);
  });

  it('writes version, instance, configuration and keys to its start record', async () => {
    places.configure();
    place.environment['SIGNING_INSTANCE_ID'] = 'signer-7';
    await (await place.startHere()).stop();
    const digest = execFileSync('sha256sum', [place.path('credentials.json')], { encoding: 'utf8' }).slice(0, 64);
    const pem = readFileSync(place.path('audit.key.pub'), 'utf8');
    const publicKey = createPublicKey(pem).export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
    const { version } = JSON.parse(readProjectFile('package.json'));
    const [segment, start, reload] = places.records();
    expect(segment.data).to.deep.equal({ reason: 'first', auditPublicKey: publicKey });
    expect(start).to.deep.include({ event: 'start', outcome: 'success', instanceId: 'signer-7' });
    expect(start.data).to.deep.equal({
      version,
      node: process.version,
      configurationDigest: `sha256:${digest}`,
      keyStore: 'SodiumKeyStore',
      auditPublicKey: publicKey,
    });
    expect(reload.data.configurationDigest).to.equal(`sha256:${digest}`);
  });

  const settings: [string, { [name: string]: string }, RegExp][] = [
    ['an unknown setting', { SIGNING_CREDENTIAL_FILE: 'x' }, /Did you mean SIGNING_CREDENTIALS_FILE\?/],
    [
      'a certificate file that is not there',
      { SIGNING_TLS_CERT_FILE: 'no-cert.pem', SIGNING_TLS_KEY_FILE: 'no-key.pem' },
      /SIGNING_TLS_CERT_FILE: .*no-cert\.pem/,
    ],
    [
      'a master key that is not there',
      { SIGNING_MASTER_KEY_FILE: '/nonexistent/master.key' },
      /\/nonexistent\/master\.key/,
    ],
    ['an audit file that cannot be opened', { SIGNING_AUDIT_FILE: '/proc/audit.jsonl' }, /SIGNING_AUDIT_FILE/],
    [
      'an audit key that is not there',
      { SIGNING_AUDIT_KEY_FILE: '/nonexistent/audit.key' },
      /\/nonexistent\/audit\.key.*run `signing-service init`/,
    ],
    ['a key store module that is not there', { SIGNING_KEY_STORE_MODULE: 'no-module.js' }, /SIGNING_KEY_STORE_MODULE/],
  ];
  for (const [name, setting, message] of settings) {
    it(`does not start with ${name}, and reports it`, async () => {
      places.configure();
      Object.assign(place.environment, setting);
      const { exitCode, text } = await place.refusalHere();
      expect(exitCode).to.equal(2);
      expect(text).to.match(message);
      expect(text).to.not.match(/^\s+at /m);
    });
  }

  it('does not start with an invalid credentials file, and names file, path and issue', async () => {
    places.configure();
    const content = readFileSync(place.path('credentials.json'), 'utf8');
    writeFileSync(place.path('credentials.json'), content.replace('"active"', '"activ"'));
    const { exitCode, text } = await place.refusalHere();
    expect(exitCode).to.equal(2);
    expect(text).to.include(place.path('credentials.json'));
    expect(text).to.match(/accounts\[0\]\.status: /);
  });

  it('does not start if records were appended after a graceful stop, and names the remedy', async () => {
    places.configure(places.stopped);
    const { seq } = places.records().at(-1);
    places.appendForeignRecords(2);
    const before = readFileSync(place.path('audit.jsonl'), 'utf8');
    const { exitCode, text } = await place.refusalHere();
    expect(exitCode).to.equal(2);
    expect(text)
      .to.include(`The audit file ${place.path('audit.000000000001.jsonl')} continues after record ${seq}`)
      .and.include(`records ${seq + 1} to ${seq + 2} were added since`)
      .and.include(`move ${place.path('audit.jsonl.usage')}`);
    expect(readFileSync(place.path('audit.jsonl'), 'utf8')).to.equal(before);
  });

  it('does not start if lines were appended after a graceful stop, ending in its last line', async () => {
    places.configure(places.stopped);
    const last = readFileSync(place.path('audit.jsonl'), 'utf8').trimEnd().split('\n').at(-1);
    for (const lines of [`${last}\n`, `forged\n${last}\n`]) {
      appendFileSync(place.path('audit.jsonl'), lines);
      const before = readFileSync(place.path('audit.jsonl'), 'utf8');
      const { exitCode, text } = await place.refusalHere();
      expect(exitCode).to.equal(2);
      expect(text)
        .to.include(`The audit file ${place.path('audit.000000000001.jsonl')} has`)
        .and.include('lines where records 1 to 5 are expected');
      expect(readFileSync(place.path('audit.jsonl'), 'utf8')).to.equal(before);
    }
  });

  it('continues in a new audit file if the old one is deleted, and saves the old content', async () => {
    places.configure();
    const service = await place.startHere();
    const written = readFileSync(place.path('audit.jsonl'), 'utf8');
    rmSync(place.path('audit.000000000001.jsonl'));
    const { result, stdout } = await printedBy(() => service.post('/sign', SIGN));
    expect(result.status).to.equal(200);
    expect(stdout).to.include('was removed by another program');
    expect(readFileSync(place.path('audit.000000000001.jsonl.recovered'), 'utf8')).to.equal(written);
    expect(places.records()[0]).to.deep.include({ seq: 4, event: 'segment' });
    expect(places.records()[0].data.reason).to.equal('removed');
    expect(places.auditEvents()).to.deep.equal(['segment', 'sign']);
    const readiness = await fetch(`${service.url}/readyz`);
    expect(readiness.status).to.equal(503);
    expect(await readiness.text()).to.include('was removed by another program');
    await service.reload();
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
  });

  it('releases no signature while its audit file is replaced by another, until a reload', async () => {
    places.configure();
    place.environment['SIGNING_LOG_LEVEL'] = 'info';
    const { stdout } = await printedBy(async () => {
      const service = await place.startHere();
      writeFileSync(place.path('other'), 'not the audit file\n');
      renameSync(place.path('other'), place.path('audit.000000000001.jsonl'));
      const { status, body } = await service.post('/sign', SIGN);
      expect(status).to.equal(500);
      expect(body.error.code).to.equal('SIGNATURE_FAILED');
      expect(body.error.details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
      expect((await service.get('/status')).body.data.status).to.equal('degraded');
      await service.reload();
      expect((await service.post('/sign', SIGN)).status).to.equal(200);
      expect((await service.get('/status')).body.data.status).to.equal('healthy');
      await service.stop();
    });
    expect(stdout).to.include('The audit file is writable again');
    expect(readFileSync(place.path('audit.000000000001.jsonl'), 'utf8')).to.equal('not the audit file\n');
  });
}).timeout(60_000);
