import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openInstallation } from '../../src/app/installation.ts';
import { numberArgument } from '../run/bounded-run.ts';
import { print } from '../run/print.ts';
import { formatCredentials, makeAccounts, replaceFile } from '../service/sealed-accounts.ts';

/*
 * Creates an installation with many accounts, half ed25519, half eip191, on four platforms. For
 * trials only: keys pass through ordinary memory. 100,000 accounts take under a minute.
 *
 * npm run generate -- accounts FOLDER [--accounts 100000]; the folder must not have a credentials
 * file.
 */

const DEFAULT_ACCOUNTS = 100_000;

async function write(folder: string, count: number): Promise<void> {
  const file = join(folder, 'credentials.json');
  const masterKeyFile = join(folder, 'master.key');
  const environment = {
    SIGNING_CREDENTIALS_FILE: file,
    SIGNING_MASTER_KEY_FILE: masterKeyFile,
    SIGNING_AUDIT_KEY_FILE: join(folder, 'audit.key'),
    SIGNING_AUDIT_FILE: join(folder, 'audit.jsonl'),
  };
  await openInstallation(environment).initialise(false);
  replaceFile(file, formatCredentials(makeAccounts(masterKeyFile, count)));
  print(`${file} is written. To start a service with it:\n`);
  for (const [name, value] of Object.entries(environment)) print(`  export ${name}=${value}`);
  print('  npm start');
}

function refuse(reason: string): void {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 2;
}

const [folder = '-'] = process.argv.slice(2);
if (folder.startsWith('-')) {
  refuse('Name the folder: npm run generate -- accounts FOLDER [--accounts 100000]');
} else if (existsSync(join(folder, 'credentials.json'))) {
  refuse(`${folder} has a credentials file already; name another folder.`);
} else {
  await write(resolve(folder), numberArgument('--accounts', DEFAULT_ACCOUNTS));
}
