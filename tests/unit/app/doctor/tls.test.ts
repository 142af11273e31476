import { copyFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { checkClockAtStart } from '../../../../src/app/doctor/clock-order.ts';
import { runChecks } from '../../../../src/app/doctor/run-checks.ts';
import { checkTls } from '../../../../src/app/doctor/tls.ts';
import { readSettings, type Settings } from '../../../../src/app/settings/settings.ts';
import { AuditChain } from '../../../doubles/audit-chain.ts';
import { makeCertificate, TEST_CERTIFICATE } from '../../../harness/certificates.ts';

// The certificate is valid from 2020-01-01 to 2120-01-01.
const DAY = 24 * 60 * 60 * 1000;
const FROM = Date.parse('2020-01-01T00:00:00Z');
const TO = Date.parse('2120-01-01T00:00:00Z');

describe('checkTls and checkClockAtStart', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-tls-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function find(settings: Settings, now?: number) {
    const findings = await runChecks([
      ['tls', () => checkTls(settings, now)],
      ['clock-order', () => checkClockAtStart(settings, now)],
    ]);
    return Object.fromEntries(findings.map((finding) => [finding.check, finding]));
  }

  async function check(
    now: number,
    { certFile = TEST_CERTIFICATE.certFile, keyFile = TEST_CERTIFICATE.keyFile, ...more }: NodeJS.ProcessEnv = {},
  ) {
    const environment = {
      ...more,
      SIGNING_TLS_CERT_FILE: certFile,
      SIGNING_TLS_KEY_FILE: keyFile,
      SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
    };
    return find(readSettings(environment), now);
  }

  async function checkPlain(environment: { readonly [name: string]: string }, now?: number) {
    return find(readSettings({ SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'), ...environment }), now);
  }

  it('warns 30 days before expiration, not earlier', async () => {
    expect((await check(TO - 30 * DAY))['tls']?.state).to.equal('ok');
    const { tls } = await check(TO - 29.5 * DAY);
    expect(tls?.state).to.equal('warning');
    expect(tls?.message).to.include('29 days');
    expect(tls?.remedy).to.include(TEST_CERTIFICATE.certFile);
  });

  it('warns earlier if the log does', async () => {
    const earlier = { SIGNING_EXPIRY_WARNING_DAYS: '60' };
    expect((await check(TO - 60 * DAY, earlier))['tls']?.state).to.equal('ok');
    expect((await check(TO - 59.5 * DAY, earlier))['tls']?.state).to.equal('warning');
  });

  it('fails for a certificate that is not yet valid, and questions the clock', async () => {
    const findings = await check(FROM - DAY);
    expect(findings['tls']?.state).to.equal('fail');
    expect(findings['clock-order']?.state).to.equal('fail');
    expect(findings['clock-order']?.message).to.include('was issued at 2020-01-01');
    expect((await check(FROM + DAY))['clock-order']?.state).to.equal('ok');
  });

  it('checks every certificate of a chain', async () => {
    const certFile = join(folder, 'chain.pem');
    const files = [TEST_CERTIFICATE.certFile, makeCertificate(folder, 'authority', 20).certFile];
    writeFileSync(certFile, files.map((file) => readFileSync(file, 'utf8')).join(''));
    expect((await check(Date.now() + 10 * DAY, { certFile }))['tls']?.state).to.equal('warning');
    expect((await check(Date.now() + 21 * DAY, { certFile }))['tls']?.state).to.equal('fail');
  });

  it('passes without HTTPS on loopback, and warns elsewhere', async () => {
    for (const host of ['127.8.8.8', '0:0:0:0:0:0:0:1', 'localhost']) {
      expect((await checkPlain({ SIGNING_HOST: host }))['tls']?.state, host).to.equal('ok');
    }
    for (const host of ['0.0.0.0', '::', 'signing.internal', '127.evil.example', '127.0.0.1.evil.example']) {
      expect((await checkPlain({ SIGNING_HOST: host }))['tls']?.state, host).to.equal('warning');
    }
  });

  it('checks the authorities of forwarded certificates without HTTPS', async () => {
    const caFile = join(folder, 'ca.pem');
    const forwarded = {
      SIGNING_TRUSTED_PROXIES: '127.0.0.1',
      SIGNING_TLS_CLIENT_CERT_HEADER: 'client-cert',
      SIGNING_TLS_CLIENT_CA_FILE: caFile,
    };
    expect((await checkPlain(forwarded))['tls']).to.include({ state: 'fail' });
    expect((await checkPlain(forwarded))['tls']?.message).to.include('SIGNING_TLS_CLIENT_CA_FILE');
    copyFileSync(makeCertificate(folder, 'authority', 30).certFile, caFile);
    const findings = await checkPlain(forwarded);
    expect(findings['tls']?.state).to.equal('ok');
    expect(findings['client-certificates']?.message).to.equal('authorities: 1; accepted: all issued by them');
  });

  it('fails when the newest segment was modified in the future', async () => {
    const audit = join(folder, 'audit.000000000001.jsonl');
    const time = new Date(FROM - 2 * DAY).toISOString();
    writeFileSync(audit, new AuditChain({ time }).text());
    utimesSync(audit, FROM / 1000, FROM / 1000);
    writeFileSync(join(folder, 'audit.000000000050.jsonl'), 'of another program\n');
    expect((await checkPlain({}, FROM + DAY))['clock-order']?.state).to.equal('ok');
    expect((await checkPlain({}, FROM - DAY))['clock-order']?.state).to.equal('fail');
    rmSync(audit);
    expect(await checkPlain({}, FROM - DAY)).to.not.have.property('clock-order');
  });
});
