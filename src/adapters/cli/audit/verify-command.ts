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
    "Without files it reads the service's own: SIGNING_AUDIT_FILE and those that were rotated out of it. Files are only read, also while the service writes them. Every line has to be as the service wrote it, and every record, file and signature in its place.",
    'The key that may sign is the public half of the configured audit key, in SIGNING_AUDIT_KEY_FILE with .pub behind it (where that is missing, derived from the key, if this user may read it), unless --public-key names others. Files of another installation, or those before a change of the key, need --public-key: auditors bring their own copies.',
    'Nobody without the audit key can rewrite what a signature covers. Whoever can write to the file can add records behind the last signed one, which the service never acknowledged, and can cut off its end, which shows only against a checkpoint that was kept elsewhere (the service log has one a minute).',
    'A chain may begin with any record, since older files are deleted or archived; but the check is incomplete where another chain ends before it, so that files between them may be missing, and where its first file was begun because of a loss.',
    'The check is incomplete where no public key is known, where records stand behind the last signed one, and where compressed files beside the others (.gz) or files that the service set aside were left out: decompress the former first, and look what the latter hold. One that holds records of the service belongs to the others; where those records are missing between two files, that is a fault.',
  ],
  settings: ['SIGNING_AUDIT_FILE', 'SIGNING_AUDIT_KEY_FILE'],
  exitCodes: {
    0: 'everything is in order',
    3: 'what was read is in order, but the check is incomplete',
    2: 'something is not (standard error names file and line; with --json, the document does), or can not be read',
  },
  examples: [
    'audit verify',
    'audit verify --public-key config/audit.key.pub --checkpoint checkpoint.json var/audit/audit*.jsonl',
    'audit verify --usage --json',
  ],
};

/** `audit verify`: verifies audit files. */
export function auditVerifyCommand(context: CliContext): Command {
  const command = new Command('verify')
    .description('tell whether audit files are as the service wrote them, and where not')
    .argument('[files...]', 'audit files in any order, of one instance or several')
    .option(
      '--public-key <key>',
      'key that may sign, instead of the configured one: the PEM file that init wrote (.pub), or base64; repeatable',
      collect,
    )
    .option('--checkpoint <file>', 'checkpoint kept elsewhere, which the files have to reach; repeatable', collect)
    .option('--usage', 'count the usage of each account anew')
    .addOption(jsonOption())
    .action(async (files: readonly string[], options: Options) => {
      const { check, seconds } = await runCheck(context, files, options);
      if (options.json) return printDocument(context, check, seconds);
      const { formatIssue, formatVerdict } = await import('./verify-report.ts');
      if (check.verdict.issue !== null) throw new OperatorError(formatIssue(check.verdict.issue, check));
      if (findGaps(check).length > 0) context.endAsIncomplete();
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
  if (issue !== null) context.endAsRefused();
  else if (incomplete.length > 0) context.endAsIncomplete();
  printJson(context, {
    verified: issue === null && incomplete.length === 0,
    fault: issue,
    incomplete,
    notes,
    leftOut,
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
