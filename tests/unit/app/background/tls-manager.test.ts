import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { FileWatch } from '../../../../src/adapters/files/file-watch.ts';
import { NetworkList } from '../../../../src/adapters/http/callers/network-list.ts';
import { SystemClock } from '../../../../src/adapters/node/system-clock.ts';
import { createTlsManager, type TlsManager } from '../../../../src/app/background/tls-manager.ts';
import { readSettings, type TlsSettings } from '../../../../src/app/settings/settings.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { makeCertificate } from '../../../harness/certificates.ts';

const SETTINGS = readSettings({});

describe('createTlsManager', () => {
  let folder: string;
  let tls: TlsSettings;
  let log: RecordingServiceLog;
  let kept: TlsManager;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'signing-service-tls-'));
    tls = { ...makeCertificate(folder, 'tls', 30), clients: null };
    log = new RecordingServiceLog();
  });
  afterEach(() => {
    kept.stop();
    rmSync(folder, { recursive: true });
  });

  function keep(watch: boolean, againMs?: number): void {
    kept = createTlsManager({ ...SETTINGS, tls, watch }, new SystemClock(), log, againMs);
  }

  function shown(manager = kept): string | undefined {
    return manager.tls?.certificate.current.certificate.fingerprint256;
  }

  /** Replaces the pair like a renewal tool, and waits for the watch to notice. */
  async function renew(): Promise<string> {
    let isNotified = false;
    const witness = new FileWatch(() => {
      isNotified = true;
    });
    witness.watch([tls.certFile, tls.keyFile]);
    const next = makeCertificate(folder, 'next', 60);
    renameSync(next.keyFile, tls.keyFile);
    copyFileSync(next.certFile, tls.certFile);
    while (!isNotified) await sleep(20);
    witness.stop();
    return next.fingerprint;
  }

  it('loads a renewed certificate only on demand with SIGNING_WATCH=false, and none after it is stopped', async () => {
    keep(true);
    const stopped = kept;
    stopped.stop();
    keep(false);
    const renewed = await renew();
    for (const manager of [kept, stopped]) expect(shown(manager)).to.not.equal(renewed);
    kept.tls?.certificate.reload();
    expect(shown()).to.equal(renewed);
  });

  it('retries by itself after a failed reload', async () => {
    keep(false, 20);
    const next = makeCertificate(folder, 'next', 60);
    copyFileSync(next.certFile, tls.certFile);
    expect(kept.tls?.certificate.reload()).to.equal(false);
    copyFileSync(next.keyFile, tls.keyFile);
    while (shown() !== next.fingerprint) await sleep(20);
    expect(log.events.map(({ level }) => level)).to.deep.equal(['error', 'info']);
  });

  it('watches the authorities of forwarded certificates without HTTPS', async () => {
    const caFile = join(folder, 'ca.pem');
    copyFileSync(makeCertificate(folder, 'first', 30).certFile, caFile);
    const forwardedCertificates = {
      header: 'client-cert' as const,
      proxies: new NetworkList(['127.0.0.1']),
      clients: { caFile, fingerprintsFile: null },
    };
    kept = createTlsManager({ ...SETTINGS, forwardedCertificates, watch: true }, new SystemClock(), log);
    expect(kept.tls).to.equal(null);
    const { fingerprint, certFile } = makeCertificate(folder, 'second', 30);
    copyFileSync(certFile, caFile);
    while (kept.clients?.authorities[0]?.fingerprint256 !== fingerprint) await sleep(20);
  });
});
