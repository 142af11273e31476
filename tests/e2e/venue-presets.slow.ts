import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import type { PublishedKey, VenuePreset, VenueVector } from '../../src/adapters/venues/venue-schema.ts';
import type { RunningService } from '../../src/app/lifecycle.ts';
import { bs58 } from '../harness/base58.ts';
import { runCommand, settingsIn } from '../harness/run-command.ts';
import { startHere } from '../harness/start-here.ts';
import { accountsOf, keyBytes } from '../harness/venue-vectors.ts';
import { ed25519PublicKey } from '../process-memory/secrets.ts';

describe('Every preset, from `platform add --preset` to the signatures published by its venue', () => {
  const folder = mkdtempSync(join(tmpdir(), 'venue-presets-'));
  const environment = settingsIn(folder);
  let service: RunningService | undefined;

  const done = (...args: readonly string[]) => runCommand(environment, ...args);

  async function sign(platformId: string, accountId: string, { data, rule }: VenueVector) {
    const response = await fetch(`${service?.url}/api/v1/sign`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ platformId, accountId, data, rule }),
    });
    return { status: response.status, body: (await response.json()) as { data: { [field: string]: unknown } } };
  }

  before(async function () {
    this.timeout(120_000);
    await done('init');
    const passphraseFile = join(folder, 'passphrase');
    writeFileSync(passphraseFile, 'a-passphrase\n', { mode: 0o600 });
    for (const preset of listPresets()) {
      const printed = await done('platform', 'add', '--preset', preset.name);
      expect(printed).to.include(`signing-service account add --platform ${preset.name} --account main`);
      for (const { accountId, key, values } of accountsOf(preset)) {
        const file = join(folder, 'key');
        writeFileSync(file, keyFileContent(preset, key), { mode: 0o600 });
        const needsPassphrase = printed.includes(' --passphrase-file ') && values?.['passphrase'] === undefined;
        await done(
          ...['account', 'add', '--platform', preset.name, '--account', accountId, '--key-file', file],
          ...(preset.keyFormat === undefined ? [] : ['--key-format', preset.keyFormat]),
          ...(needsPassphrase ? ['--passphrase-file', passphraseFile] : []),
          ...Object.entries(values ?? {}).flatMap(([name, value]) => ['--value', `${name}=${value}`]),
        );
      }
    }
    service = await startHere(environment);
  });

  after(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const preset of listPresets()) {
    it(preset.name, async () => {
      for (const { accountId, own } of accountsOf(preset)) {
        const [vector = preset.example] = own;
        const { status, body } = await sign(preset.name, accountId, vector);
        expect(status, `${vector.id}: ${JSON.stringify(body)}`).to.equal(200);
        // Nonces of ES256 are random.
        if (vector.algorithm !== 'es256') expect(body.data['signature'], vector.id).to.equal(vector.signature);
      }
    });
  }

  it('lists its accounts, and leaves no published key in the credentials file', async () => {
    const table = await done('account', 'list');
    const stored = readFileSync(environment.SIGNING_CREDENTIALS_FILE, 'utf8');
    for (const preset of listPresets()) {
      expect(table).to.match(new RegExp(`^${preset.name} +account-0 `, 'm'));
      for (const { key } of accountsOf(preset)) {
        // Short test secrets are words of the file.
        const text = keyFileContent(preset, key);
        if (text.length > 20) expect(stored).to.not.include(text);
      }
    }
  });
});

/** A published key in the venue's format. */
function keyFileContent({ keyFormat }: VenuePreset, key: PublishedKey): string {
  if (keyFormat === 'base64') return keyBytes(key).toString('base64');
  if (keyFormat === 'base58') return bs58.encode(Buffer.concat([keyBytes(key), ed25519PublicKey(keyBytes(key))]));
  if ('pem' in key) return key.pem;
  return 'hex' in key ? key.hex : key.text;
}
