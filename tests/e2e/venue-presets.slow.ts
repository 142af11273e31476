import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import type { VenuePreset, VenueVector } from '../../src/adapters/venues/venue-schema.ts';
import type { RunningService } from '../../src/app/lifecycle.ts';
import { bs58 } from '../harness/base58.ts';
import { runCommand, settingsIn } from '../harness/run-command.ts';
import { startHere } from '../harness/start-here.ts';
import { keyBytes } from '../harness/venue-vectors.ts';
import { ed25519PublicKey } from '../process-memory/secrets.ts';

describe('Every preset, from `platform add --preset` to the signatures published by its venue', () => {
  const folder = mkdtempSync(join(tmpdir(), 'venue-presets-'));
  const environment = settingsIn(folder);
  let service: RunningService | undefined;

  const done = (...args: readonly string[]) => runCommand(environment, ...args);

  async function sign(platformId: string, accountId: string, { data, rule }: VenueVector) {
    const response = await fetch(`${service?.url}/api/v1/sign?include=payload`, {
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
      for (const { vector, accountId } of accountsOf(preset)) {
        const file = join(folder, 'key');
        writeFileSync(file, keyFileContent(preset, vector), { mode: 0o600 });
        const needsPassphrase = printed.includes(' --passphrase-file ') && vector.values?.['passphrase'] === undefined;
        await done(
          ...['account', 'add', '--platform', preset.name, '--account', accountId, '--key-file', file],
          ...(preset.keyFormat === undefined ? [] : ['--key-format', preset.keyFormat]),
          ...(needsPassphrase ? ['--passphrase-file', passphraseFile] : []),
          ...Object.entries(vector.values ?? {}).flatMap(([name, value]) => ['--value', `${name}=${value}`]),
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
      for (const vector of preset.vectors) {
        const { accountId } = accountsOf(preset).find(({ vector: first }) => hasSameAccount(first, vector)) ?? {};
        const { status, body } = await sign(preset.name, accountId ?? '', vector);
        expect(status, `${vector.id}: ${JSON.stringify(body)}`).to.equal(200);
        const { signature, payload, payloadEncoding, payloadParts } = body.data;
        // ECDSA nonces of es256 are random.
        if (vector.algorithm !== 'es256') expect(signature, vector.id).to.equal(vector.signature);
        else expect(String(signature), vector.id).to.match(/^[\w-]+\.[\w-]+\.[\w-]{86}$/);
        const bytes = Buffer.from(String(payload), payloadEncoding as BufferEncoding | undefined);
        expect(bytes, vector.id).to.deep.equal(
          vector.payload === undefined ? Buffer.from(vector.payloadHex ?? '', 'hex') : Buffer.from(vector.payload),
        );
        if (vector.payload !== undefined) expect(payloadEncoding, vector.id).to.equal(undefined);
        expect(payloadParts ?? {}, vector.id).to.deep.include(vector.parts ?? {});
      }
    });
  }

  it('lists its accounts, and leaves no published key in the credentials file', async () => {
    const table = await done('account', 'list');
    const stored = readFileSync(environment.SIGNING_CREDENTIALS_FILE, 'utf8');
    for (const preset of listPresets()) {
      expect(table).to.match(new RegExp(`^${preset.name} +account-0 `, 'm'));
      for (const { vector } of accountsOf(preset)) {
        // Short test secrets are words of the file.
        const text = keyFileContent(preset, vector);
        if (text.length > 20) expect(stored).to.not.include(text);
      }
    }
  });
});

/** An account for each key and set of values in a preset's vectors. */
function accountsOf({ vectors }: VenuePreset): readonly { readonly vector: VenueVector; readonly accountId: string }[] {
  return vectors
    .filter((vector, index) => vectors.findIndex((earlier) => hasSameAccount(earlier, vector)) === index)
    .map((vector, index) => ({ vector, accountId: `account-${index}` }));
}

function hasSameAccount(left: VenueVector, right: VenueVector): boolean {
  return JSON.stringify([left.key, left.values]) === JSON.stringify([right.key, right.values]);
}

/** A published key in the venue's format. */
function keyFileContent({ keyFormat }: VenuePreset, { key }: VenueVector): string {
  if (keyFormat === 'base64') return keyBytes(key).toString('base64');
  if (keyFormat === 'base58') return bs58.encode(Buffer.concat([keyBytes(key), ed25519PublicKey(keyBytes(key))]));
  if ('pem' in key) return key.pem;
  return 'hex' in key ? key.hex : key.text;
}
