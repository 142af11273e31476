import type { MemorySearch } from '../process-memory/search.ts';
import { strayTraces } from '../process-memory/stray-traces.ts';
import { AUDIT_KEY } from './accounts.ts';
import type { ControlEvidence } from './leaky-controls.ts';
import { type ServiceEvidence, SIGNATURES } from './real-service.ts';
import { labelOf, tracesOf } from './traces.ts';

/** Limits of the proof. */
const NOT_SOUGHT =
  'Not looked for: encryptions of a key, such as XOR with another constant than those of HMAC; base32; compressed text; ' +
  'limbs of other lengths than 32 and 64 bits; less than a part of a form.';

/** Formats the evidence about the real service. */
export function serviceReport({ accounts, secrets, auditKey, examinations }: ServiceEvidence): string {
  const owners = [...new Set(secrets.map(({ owner }) => owner))];
  const forms = new Set(secrets.flatMap((secret) => secret.forms.map(({ name }) => name)));
  const searches = [
    ['Search', 'Memory searched', 'of it without access', 'Patterns', 'Traces'],
    ...examinations.map(({ moment, search }) => [
      moment,
      megabytes(search.searchedBytes),
      bytesText(search.withoutAccessBytes),
      count(search.patternCount),
      count(owners.flatMap((owner) => tracesOf(search, owner)).length),
    ]),
  ];
  const keys = [
    ['Key', 'Signatures', 'Public key seen', 'Traces'],
    ...owners.map((owner) => {
      const account = accounts.find(({ name }) => name === owner);
      const traces = examinations.map(({ search }) => tracesOf(search, owner).length);
      if (account === undefined) return [owner, '', '', traces.join(', ')];
      const seen = examinations.every(({ search }) => tracesOf(search, account.publicKeySecret.owner).length > 0);
      return [owner, count(SIGNATURES.before + SIGNATURES.after), seen ? 'yes' : 'NO', traces.join(', ')];
    }),
    [AUDIT_KEY, '', '', examinations.map(({ search }) => strayTraces(tracesOf(search, AUDIT_KEY)).length).join(', ')],
  ];
  return [
    'The real service: dist/main.js in a process of its own, NODE_ENV=production, started with the options of the image, keys made up for this run, the master key from a stand-in for Vault over HTTPS\n\n',
    alignColumns(searches),
    '\n',
    ...examinations.slice(-1).map(({ search }) => reachText(search)),
    `\n${secrets.length + auditKey.length} secrets were looked for (keys, expanded keys, HMAC pads and states, passwords, derived keys, nonces of the last ECDSA signatures), each in parts, in each of these forms:\n`,
    `${formNames(forms)}\n${NOT_SOUGHT}\n\n`,
    alignColumns(keys),
    `\nOne copy of the ${AUDIT_KEY} may lie in locked memory without access; counted are its traces beside that one.\n`,
    'Each signature came from a request of its own; the last before and after the reload was verified, with the public key or, of an HMAC, with the secret.\n',
  ].join('');
}

/** Formats the evidence about the controls. */
export function controlReport({ controls, search }: ControlEvidence): string {
  const rows = controls.map(({ leak, account }) => {
    const labels = tracesOf(search, account.name).map(labelOf);
    const found = leak.expected.map((label) => `${count(labels.filter((other) => other === label).length)} ${label}`);
    return [leak.algorithm, leak.name, leak.expected.length === 0 ? count(labels.length) : found.join('; ')];
  });
  return [
    'The controls: the same service with signers that leak, one key for each leak, searched by the same function\n\n',
    alignColumns([['Algorithm', 'The signer keeps or uses', 'Parts found'], ...rows]),
    `\n${megabytes(search.searchedBytes)} searched for ${count(search.patternCount)} patterns.\n`,
  ].join('');
}

function reachText({ unreadable, unusedBytes }: MemorySearch): string {
  const reasons = [...new Set(unreadable.map(({ reason }) => reason))];
  const parts = reasons.map((reason) => {
    const ranges = unreadable.filter((memory) => memory.reason === reason);
    const bytes = ranges.reduce((sum, range) => sum + range.bytes, 0);
    const places = ranges.map(({ place }) => place.split(/[ /]/).at(-1)).join(', ');
    return `${bytesText(bytes)} ${reason ?? 'for a reason that is not known'} (${places})`;
  });
  return (
    `Not readable: ${parts.join('; ')}.\n` +
    `Reserved addresses that the process never used, so that no memory stands behind them: ${megabytes(unusedBytes)}.\n`
  );
}

/** Omits byte order, alignment and character width. */
function formNames(forms: ReadonlySet<string>): string {
  const names = new Set([...forms].map((name) => name.replace(/( \+\d| utf-16)?( of reversed)?$/, '')));
  return (
    `${[...names].join(', ')}; all of them also of the reversed bytes, at every alignment, and texts in one and in two bytes a character. ` +
    'HMAC pads and states, and nonces, in those that are no text; seed and public key together in base58 and decimal.'
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function bytesText(bytes: number): string {
  return `${count(bytes)} bytes`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** Aligns columns, two blanks apart; ends with a newline. */
function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}
