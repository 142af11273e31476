import { quoteForShell } from '../files/file-permissions.ts';
import type { TrialTls } from './cli-context.ts';
import { defineCommand } from './define-command.ts';
import { flag } from './inputs.ts';
import {
  masterKeySourceOption,
  SOURCE_NOTE,
  SOURCE_SETTINGS,
  toProtection,
  wrappingKeyOption,
} from './master-key/source-options.ts';

/** `init`: creates the missing files of an installation. */
export const INIT = defineCommand({
  description: 'create a master key, an empty credentials file and an audit key, unless they exist',
  inputs: {
    passphrase: flag(
      '--passphrase',
      'protect a new master key with a passphrase, which the service prompts for at each start',
    ),
    masterKeySource: masterKeySourceOption('a new master key'),
    wrappingKey: wrappingKeyOption(),
    tls: flag('--tls', 'also create certificates for a trial, valid for 30 days'),
  },
  manual: {
    notes: [
      'Existing files are not changed. With --master-key-source, an existing master key must have that source and wrapping key; otherwise the command fails and changes nothing.',
      SOURCE_NOTE,
      'With --tls, it also issues a server and a client certificate for a trial, in the folder tls beside the credentials file. They are valid for 30 days. The key of their CA is not kept: for others, move the folder away and run the command again.',
    ],
    settings: [
      'SIGNING_CREDENTIALS_FILE',
      'SIGNING_MASTER_KEY_FILE',
      ...SOURCE_SETTINGS,
      'SIGNING_AUDIT_KEY_FILE',
      'SIGNING_MEMORY_LOCK',
    ],
    examples: [
      'init',
      'init --passphrase',
      'init --tls',
      'init --master-key-source vault-transit --wrapping-key transit/signing-service',
    ],
  },
  run: async ({ tls, ...protection }, session) => {
    const wanted = toProtection(protection);
    const installation = await session.installation();
    const files = await installation.initialise(wanted);
    return { files, tls: tls ? await installation.trialTls() : undefined };
  },
  text: ({ files, tls }, page, { passphrase }) => {
    const isUnchanged = files.some(({ purpose, created }) => purpose === 'master key' && !created);
    const auditors = files.filter(({ purpose }) => purpose === 'audit public key').map(({ file }) => file);
    return [
      ...files.map(
        ({ purpose, file, created }) => `${created ? 'created' : 'exists '}  ${purpose.padEnd(16)}  ${file}\n`,
      ),
      passphrase && isUnchanged
        ? page.prose(
            '\nThe existing master key was not changed. To protect it with a passphrase, run `signing-service master-key rotate --passphrase`.\n',
          )
        : '',
      ...auditors.map((file) => page.prose(`\nGive ${file} to your auditors: they verify the audit log with it.\n`)),
      tls === undefined ? '' : formatTrial(tls),
      page.prose(
        '\nKeep the master key apart from backups of the credentials file: together they decrypt every key.\n',
      ),
      files.some(({ purpose, created }) => purpose === 'credentials file' && created) ? NEXT_STEPS : '',
    ].join('');
  },
});

/** Of a new installation. */
const NEXT_STEPS = `
Next, add a platform, with policies where its venue has them, and an account:

signing-service platform presets
signing-service platform add --preset okx --policy trade-only
signing-service account add --platform okx --account main --key-file okx.key
`;

/** Commands that work as typed in the same folder. */
function formatTrial({ folder, created, days, ca, clientCert, clientKey, settings, url, statusUrl }: TrialTls): string {
  const [caFile, cert, key] = [ca, clientCert, clientKey].map(quoteForShell);
  const set = Object.entries(settings).map(([name, file]) => `export ${name}=${quoteForShell(file)}\n`);
  return [
    `\n${created ? 'created' : 'exists '}  TLS for a trial   ${folder}${created ? `, valid for ${days} days` : ''}\n`,
    'The key of the CA was not kept. Set these, start the service, and try it:\n\n',
    ...set,
    `\ncurl --cacert ${caFile} --cert ${cert} --key ${key} ${url}/api/v1/accounts\n`,
    `signing-service status --url ${statusUrl} --ca ${caFile} --cert ${cert} --key ${key}\n`,
  ].join('');
}
