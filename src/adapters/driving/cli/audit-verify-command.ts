import { Command } from 'commander';
import type { AuditProgress } from '../../../ports/audit-verifier.ts';
import { faultText, verdictText } from './audit-verify-text.ts';
import type { AuditCheck, CliContext } from './cli-context.ts';
import { example, jsonOption, printJson } from './command-parts.ts';
import { NotVerifiedError } from './not-verified-error.ts';
import { ProgressLine } from './progress-line.ts';

const NOTES = `
Without files it reads the service's own: SIGNING_AUDIT_FILE and those that were rotated out of it. Files are only read, also while the
service writes them. Every line has to be as the service wrote it, and every record, file and checkpoint in its place. Nobody without
the audit key can write anew what a checkpoint covers; but whoever can write to the file can make anew what stands behind the last
checkpoint, and can cut off its end, which shows only against a checkpoint that was kept elsewhere (the service log gives them out).
With --public-key, a chain that no checkpoint vouches for is not in order: a running service signs within
a minute.

Exit codes: 0 when everything is in order; 2 when something is not (standard error names file and line) or can't be read.`;

interface Options {
  readonly publicKey?: readonly string[];
  readonly checkpoint?: readonly string[];
  readonly usage?: boolean;
  readonly json?: boolean;
}

/** `audit verify`: tells whether audit files are as the service wrote them. */
export function auditVerifyCommand(context: CliContext): Command {
  return new Command('verify')
    .description('tell whether audit files are as the service wrote them, and where not')
    .argument('[files...]', 'audit files in any order, of one instance or several')
    .option(
      '--public-key <key>',
      'key that may sign: the PEM file that init wrote (.pub), or base64; repeatable',
      collect,
    )
    .option('--checkpoint <file>', 'checkpoint kept elsewhere, which the files have to reach; repeatable', collect)
    .option('--usage', 'count the usage of each account anew')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `${NOTES}\n${example(
        'audit verify',
        'audit verify --public-key config/audit.key.pub --checkpoint checkpoint.txt var/audit/audit*.jsonl',
        'audit verify --usage --json',
      )}`,
    )
    .action(async (files: readonly string[], options: Options) => {
      const { check, seconds } = await runCheck(context, files, options);
      if (options.json) return printDocument(context, check, seconds, options);
      if (check.verdict.fault !== null) throw new NotVerifiedError(faultText(check.verdict.fault, check.verdict));
      context.print(verdictText(check, { seconds, keysWereGiven: options.publicKey !== undefined }));
    });
}

async function runCheck(
  context: CliContext,
  files: readonly string[],
  { publicKey = [], checkpoint = [], usage = false }: Options,
): Promise<{ readonly check: AuditCheck; readonly seconds: number }> {
  const startedAt = performance.now();
  const line = context.terminal === null ? null : new ProgressLine(context.terminal);
  try {
    const check = await context.verifyAudit(context.environment, {
      files: files.length === 0 ? null : files,
      publicKeys: publicKey,
      checkpoints: checkpoint,
      usage,
      onProgress: line === null ? null : (progress: AuditProgress) => line.show(progress),
    });
    return { check, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    line?.clear();
  }
}

function printDocument(context: CliContext, { verdict, usage }: AuditCheck, seconds: number, options: Options): void {
  if (verdict.fault !== null) context.endAsRefused();
  const { fault, notes, chains, reached, bytes } = verdict;
  const keys = options.publicKey !== undefined ? 'given' : 'named by the files';
  printJson(context, {
    verified: fault === null,
    fault,
    notes,
    publicKeys: keys,
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
