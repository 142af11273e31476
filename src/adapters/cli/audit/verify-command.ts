import { Command } from 'commander';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { AuditCheck, CliContext } from '../cli-context.ts';
import { addManual, type CommandManual } from '../command-manual.ts';
import { jsonOption, printJson, printProse } from '../command-options.ts';
import { formatSpeed, withProgress } from '../terminal/progress-line.ts';
import { findGaps } from './verify-report.ts';

interface Options {
  readonly publicKey?: readonly string[];
  readonly checkpoint?: readonly string[];
  readonly usage?: boolean;
  readonly json?: boolean;
}

const MANUAL: CommandManual = {
  notes: [
    'Without arguments it verifies all segments of SIGNING_AUDIT_FILE. A folder stands for all segments in it; a file given twice is read once. Files are only read, and the service may be running.',
    'The trusted key is --public-key, or else the public half of the configured audit key: SIGNING_AUDIT_KEY_FILE with .pub appended, or derived from the key if that file is missing. Auditors should use --public-key with their own copy of the key. It is also needed for files of another installation, or from before a key change.',
    'Records that a signature covers cannot be rewritten without the audit key. A program with write access to the file can append records after the last signed one, which the service never acknowledged. It can also truncate the file, which only a checkpoint kept elsewhere reveals; the service log has one per minute.',
    'A chain may begin with any record, because older files may be deleted or archived. The check is incomplete if another chain ends before it, because files between them may be missing, or if its first file was started after a loss. It is also incomplete if no public key is known, if records follow the last signed one, or if files were left out: segments beside the given files, segments that this user cannot read or that were deleted meanwhile, and files compressed by another program than gzip.',
    'Files compressed by gzip (.gz) are read as they are; decompress others. Records missing between two files are a fault, unless a file that was left out begins with the first of them, by its name.',
  ],
  settings: ['SIGNING_AUDIT_FILE', 'SIGNING_AUDIT_KEY_FILE'],
  exitCodes: {
    0: 'everything verified',
    3: 'no fault found, but the check is incomplete',
    2: 'a fault (file and line on standard error, or in the document with --json), or a file cannot be read',
  },
  examples: [
    'audit verify',
    'audit verify --public-key config/audit.key.pub --checkpoint checkpoint.json var/audit',
    'audit verify --usage --json',
  ],
};

/** `audit verify`: verifies audit files. */
export function auditVerifyCommand(context: CliContext): Command {
  const command = new Command('verify')
    .description('verify audit files and locate faults')
    .argument('[files...]', 'audit files, or folders of them, in any order, of one or more instances')
    .option('--public-key <key>', 'trusted key: the PEM file that init wrote (.pub), or base64; repeatable', collect)
    .option('--checkpoint <file>', 'file with a checkpoint that the audit files must reach; repeatable', collect)
    .option('--usage', 'also count signatures per account')
    .addOption(jsonOption())
    .action(async (files: readonly string[], options: Options) => {
      const { check, seconds } = await runCheck(context, files, options);
      if (options.json) return printDocument(context, check, seconds);
      const { formatIssue, formatVerdict } = await import('./verify-report.ts');
      if (check.verdict.issue !== null) throw new OperatorError(formatIssue(check.verdict.issue, check));
      if (findGaps(check).length > 0) context.endAs('incomplete');
      await printProse(context, formatVerdict(check, { seconds, terminal: context.output }));
    });
  return addManual(command, MANUAL);
}

async function runCheck(
  context: CliContext,
  files: readonly string[],
  { publicKey = [], checkpoint = [], usage = false }: Options,
): Promise<{ readonly check: AuditCheck; readonly seconds: number }> {
  const startedAt = performance.now();
  const check = await withProgress(context, formatSpeed, (onProgress) =>
    context.verifyAudit(context.environment, {
      files: files.length === 0 ? null : files,
      publicKeys: publicKey,
      checkpoints: checkpoint,
      usage,
      onProgress: onProgress === undefined ? null : ({ verified, total }) => onProgress(verified, total),
    }),
  );
  return { check, seconds: (performance.now() - startedAt) / 1000 };
}

function printDocument(context: CliContext, check: AuditCheck, seconds: number): void {
  const { verdict, keys, usage } = check;
  const { issue, notes, leftOut, chains, reached, bytes } = verdict;
  const incomplete = findGaps(check);
  if (issue !== null) context.endAs('refused');
  else if (incomplete.length > 0) context.endAs('incomplete');
  printJson(context, {
    verified: issue === null && incomplete.length === 0,
    fault: issue,
    incomplete,
    notes,
    leftOut: leftOut.map(({ file }) => file),
    publicKeys: keys.source === 'none' ? 'named by the files' : keys.source,
    chains,
    reachedCheckpoints: reached,
    ...(usage === null ? {} : { usage }),
    bytes,
    seconds,
  });
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}
