import { type Command, Option } from 'commander';
import type { WithAddress } from '../../../domain/model/account.ts';
import { isMacAlgorithm } from '../../../domain/model/algorithm.ts';
import { KEY_FILE_FORMATS, type KeyFileFormat } from '../../../domain/model/key-source.ts';
import type { KeyOrigin, ListedAccount } from '../../../ports/credential-editor.ts';

/** Options that name the source of a key. */
export interface KeyOptions {
  readonly keyFile?: string;
  readonly keyFormat?: KeyFileFormat;
  readonly passwordFile?: string;
  readonly passphraseFile?: string;
  readonly derivationPath?: string;
}

/** Adds the options of {@link KeyOptions}. */
export function addKeyOptions(command: Command): Command {
  return command
    .option('--key-file <file>', 'read the private key from this file')
    .addOption(
      new Option(
        '--key-format <format>',
        'format of the key file (default: detected; for HMAC secrets, the decoding of the platform)',
      ).choices(KEY_FILE_FORMATS),
    )
    .option('--password-file <file>', 'file with the password of a keystore or an encrypted PEM key')
    .option(
      '--derivation-path <path>',
      "BIP-32 path of the key of a mnemonic (default: m/44'/118'/0'/0/0 for cosmos, m/44'/60'/0'/0/0 for Ethereum)",
    )
    .option(
      '--passphrase-file <file>',
      'file with the passphrase of the API key; the account stores its HMAC with the key as the value passphrase (KuCoin)',
    );
}

/** The source of the key: the file, or a new random key without one. */
export function toKeyOrigin(options: KeyOptions): KeyOrigin {
  const { keyFile, keyFormat, passwordFile, passphraseFile, derivationPath } = options;
  if (keyFile !== undefined) {
    return {
      kind: 'file',
      file: keyFile,
      ...(keyFormat === undefined ? {} : { format: keyFormat }),
      ...(passwordFile === undefined ? {} : { passwordFile }),
      ...(passphraseFile === undefined ? {} : { passphraseFile }),
      ...(derivationPath === undefined ? {} : { derivationPath }),
    };
  }
  return { kind: 'generate' };
}

/** Why these options do not fit together; undefined if they do. */
export function findKeyOptionIssue(options: KeyOptions): string | undefined {
  const { keyFile, keyFormat, passwordFile, passphraseFile, derivationPath } = options;
  if (keyFile !== undefined) return undefined;
  if (keyFormat !== undefined) return '--key-format requires --key-file.';
  if (passwordFile !== undefined) return '--password-file requires --key-file.';
  if (passphraseFile !== undefined) return '--passphrase-file requires --key-file.';
  if (derivationPath !== undefined) return '--derivation-path requires --key-file.';
  return undefined;
}

/** Fields of an account that show its key. */
type ShownKey = WithAddress<Pick<ListedAccount, 'algorithm' | 'publicKey'>> & {
  /** See `Account.keyId`; null without a public key. */
  readonly keyId: string | null;
};

/** A field and its value, for the lines of a text. */
type Line = readonly [label: string, value: string];

/** Public key, address and key ID; the publicKey field of an HMAC account has its key ID. */
export function toKeyLines({ algorithm, publicKey, address, keyId }: ShownKey, unknown: string): readonly Line[] {
  if (isMacAlgorithm(algorithm)) return [['key ID', publicKey ?? unknown]];
  return [
    ['public key', publicKey ?? unknown],
    ...(address ? [['address', address] as const] : []),
    ...(keyId === null ? [] : [['key ID', keyId] as const]),
  ];
}

/** Lines with aligned values, at least two spaces after the longest label. */
export function formatLines(lines: readonly Line[], width = 12): string {
  return lines.map(([label, value]) => `${label.padEnd(width)}${value}\n`).join('');
}

/** Reminds of the key file, which is not needed any more. */
export function formatKeyFileHint({ keyFile, passphraseFile }: KeyOptions): string {
  const hint =
    passphraseFile === undefined
      ? ''
      : `The account has the HMAC of the passphrase, as its value passphrase. Delete ${passphraseFile} unless something else needs it.\n`;
  return keyFile === undefined
    ? ''
    : `The account has an encrypted copy of its key. Delete ${keyFile} unless something else needs it.\n${hint}`;
}
