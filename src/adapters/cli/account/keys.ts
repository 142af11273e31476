import { InvalidArgumentError } from 'commander';
import { MAX_OVERLAP_SECONDS, toAccountName } from '../../../domain/model/account.ts';
import { ALGORITHMS } from '../../../domain/model/algorithm.ts';
import { KEY_FILE_FORMATS } from '../../../domain/model/key-source.ts';
import type { FixedValues } from '../../../domain/model/payload.ts';
import { joinNames } from '../../../domain/model/text/wording.ts';
import type { KeyOrigin } from '../../../ports/credential-editor.ts';
import { SEALING_SETTINGS } from '../command-options.ts';
import { defineCommand } from '../define-command.ts';
import { ACCOUNT, byDefault, choice, flag, integer, parsed, text } from '../inputs.ts';
import { WRAPPED_NOTE } from '../master-key/source-options.ts';
import { listSharedKeys, toKeyFacts } from './facts.ts';

/** Options that name the source of a key. */
const KEY = {
  keyFile: text('--key-file <file>', 'read the private key from this file'),
  keyFormat: choice(
    '--key-format <format>',
    'format of the key file (default: detected; for HMAC secrets, the decoding of the platform)',
    KEY_FILE_FORMATS,
  ),
  passwordFile: text('--password-file <file>', 'file with the password of a keystore or an encrypted PEM key'),
  derivationPath: text(
    '--derivation-path <path>',
    "BIP-32 path of the key of a mnemonic (default: m/44'/118'/0'/0/0 for cosmos, m/44'/60'/0'/0/0 for Ethereum)",
  ),
  passphraseFile: text(
    '--passphrase-file <file>',
    'file with the passphrase of the API key; the account stores its HMAC with the key as the value passphrase (KuCoin)',
  ),
};

/** Names the files that are not needed any more. */
function formatKeyFileHint({ keyFile, passphraseFile }: KeyOrigin): string {
  if (keyFile === undefined) return '';
  const mac = passphraseFile === undefined ? '' : ' and, as its value passphrase, the HMAC of the passphrase';
  const files = joinNames([keyFile, ...(passphraseFile === undefined ? [] : [passphraseFile])], 'and');
  return `The account has an encrypted copy of its key${mac}. Delete ${files} unless something else needs it.\n`;
}

/** `--value`; the editor validates names and values. */
export const VALUE = parsed<FixedValues>(
  text(
    '--value <name=value>',
    'value of {account.NAME} in the templates of the platform, such as an API key; not a secret; repeatable',
  ),
  (given, collected = {}) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(given) ?? [];
    if (name === undefined || value === undefined) throw new InvalidArgumentError('It must be NAME=VALUE.');
    if (Object.hasOwn(collected, name)) throw new InvalidArgumentError('It has a name that was given already.');
    return { ...collected, [name]: value };
  },
);

/** `account add`: adds an account with a new key, or with one from a file. */
export const add = defineCommand({
  description: 'add an account with a generated key, or with the key in a file',
  inputs: {
    ...ACCOUNT,
    algorithm: choice(
      '--algorithm <algorithm>',
      'algorithm, which cannot be changed later (default: that of the platform, if it has only one)',
      ALGORITHMS,
    ),
    alias: text('--alias <text>', 'label (default: the ID)'),
    environment: text('--environment <name>', 'label such as production or testnet (default: production)'),
    values: VALUE,
    ...KEY,
  },
  manual: {
    notes: ['To add many accounts, use account import.', WRAPPED_NOTE],
    settings: SEALING_SETTINGS,
    examples: [
      'account add --platform my-exchange --account main --algorithm ed25519 --alias "Main book"',
      'account add --platform bybit --account main --key-file bybit.key --value apiKey=YOUR-API-KEY',
      'account add --platform my-exchange --account sol --algorithm ed25519 --key-file id.json',
      'account add --platform treasury --account hot --algorithm eip191 --key-file /run/secrets/hot.hex --key-format hex',
      'account add --platform treasury --account second --algorithm eip191 --key-file words.txt --key-format mnemonic --derivation-path m/44h/60h/0h/0/1',
    ],
  },
  run: async (given, session) => {
    const administration = await session.use('accounts');
    const before = await administration.list();
    const [added] = await administration.addAccounts([given]);
    if (added === undefined) throw new Error('No account was added.');
    const { account } = added;
    const cautions = listSharedKeys([account], before.accounts).map(({ warning }) => warning);
    return { account, cautions, location: administration.location };
  },
  document: ({ account, cautions }) => ({ account, cautions }),
  text: ({ account, location }, page, given) =>
    page.prose(`Account ${account.accountId} of ${account.platformId} added to ${location}.\n`) +
    page.facts([['algorithm', account.algorithm], ...toKeyFacts(account, '')]) +
    page.prose(formatKeyFileHint(given)),
  reload: () => true,
});

/** `account replace-key`: gives an account another key, generated or from a file. */
export const replaceKey = defineCommand({
  description: 'replace the key of an account by a generated one, or by the key in a file',
  inputs: {
    ...ACCOUNT,
    ...KEY,
    values: VALUE,
    overlap: byDefault(
      integer(
        '--overlap <seconds>',
        `keep the previous key for requests in progress and for verification, 0 to ${MAX_OVERLAP_SECONDS}`,
        0,
        MAX_OVERLAP_SECONDS,
      ),
      0,
    ),
    dryRun: flag('--dry-run', 'check everything, the key file included, and change nothing'),
  },
  manual: {
    notes: [
      'Everything else stays: IDs, algorithm, label, status, permissions, policies, budgets and usage. Values that are not named stay, too. The previous key is removed from the credentials file; earlier backups still contain it. An account that names a key file, or a plaintext key, gets a sealed key instead.',
      'No request fails through the change. With --overlap, a running service keeps the previous key for that time after it has loaded the new one: requests that were checked before finish with it, and POST /api/v1/verify accepts its signatures. Every later request is signed with the new key. Disabling or removing the account ends the overlap.',
      'Releases without replace-key reject a credentials file that was written with --overlap.',
      WRAPPED_NOTE,
    ],
    settings: SEALING_SETTINGS,
    examples: [
      'account replace-key --platform my-exchange --account main',
      'account replace-key --platform bybit --account main --key-file bybit.key --value apiKey=NEW-API-KEY --overlap 60',
      'account replace-key --platform bybit --account main --key-file bybit.key --dry-run',
    ],
  },
  run: async (given, session) => {
    const administration = await session.use('accounts');
    const { accounts } = await administration.list();
    const change = await administration.replaceKey(given);
    const others = accounts.filter((one) => toAccountName(one) !== toAccountName(given));
    const cautions = listSharedKeys([change.account], others).map(({ warning }) => warning);
    const { location } = administration;
    return { ...change, overlapSeconds: given.overlap, changed: !given.dryRun, cautions, location };
  },
  document: ({ before: { publicKey, keyId, address, values }, location: _, ...result }) => ({
    ...result,
    previous: { publicKey, keyId, address, values },
  }),
  text: ({ before, account, changed, location }, page, given) => {
    const isSame = account.publicKey !== null && account.publicKey === before.publicKey;
    const gets = isSame ? 'keeps its key, with the new values,' : 'has another key';
    const done = changed ? `${gets} in ${location}` : 'can get this key; nothing was changed';
    const previous = toKeyFacts(before, '(derived at load)');
    return [
      page.prose(`Account ${given.accountId} of ${given.platformId} ${done}.\n`),
      page.facts([
        ...previous.map(([label, value]) => [`previous ${label}`, value] as const),
        ...toKeyFacts(account, '(generated without --dry-run)'),
      ]),
      changed ? page.prose(formatKeyFileHint(given)) : '',
    ].join('');
  },
  reload: ({ changed }) => changed,
});
