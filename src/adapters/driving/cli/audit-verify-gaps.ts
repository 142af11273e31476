import type { AuditVerdict, LossReason, OpenStart } from '../../../domain/model/audit-verdict.ts';
import type { AuditCheck } from './cli-context.ts';

/** Most files that a sentence names. */
const NAMED_FILES = 5;
/** What the name of a file has that the service set aside, before its last part. */
const SET_ASIDE = '.set-aside-';

/** What happened to the file before one that was begun for this reason. */
const LOSSES: { readonly [reason in LossReason]: string } = {
  missing: 'the files before it were not there',
  removed: 'the file before it was deleted',
  truncated: 'another program had truncated the one before it',
  changed: 'another program had written to the one before it',
};

/**
 * Why a check of audit files that found nothing wrong proves less than it could, a sentence each;
 * empty where it is complete.
 */
export function findGaps({ verdict, keys }: AuditCheck): readonly string[] {
  const gaps: string[] = [];
  if (keys.source === 'none') {
    gaps.push(
      `No public key is known: ${keys.file} is not there, or can not be reached. Each file was verified with the key that it names itself, and whoever makes a file can make such a key, too. ` +
        'Give the file that `init` wrote beside the audit key: --public-key audit.key.pub; or set SIGNING_AUDIT_KEY_FILE.',
    );
  }
  for (const { uncovered, last } of verdict.chains) {
    if (uncovered === 0) continue;
    const [records, them] =
      uncovered === 1
        ? [`record (${last.seq}) is`, 'it']
        : [`${uncovered} records (from ${last.seq - uncovered + 1} on) are`, 'them'];
    gaps.push(
      `The last ${records} not signed: the service never acknowledged ${them}. A crash leaves such records, and whoever can write the file could have written ${them}.`,
    );
  }
  gaps.push(...verdict.openStarts.map(openStartText), ...leftOutTexts(verdict));
  return gaps;
}

function openStartText({ file, firstSeq, reason, before }: OpenStart): string {
  const loss = reason === null ? '' : ` The service began that file because ${LOSSES[reason]}.`;
  const advice =
    before === null
      ? 'Give the files before it, too.'
      : `${before.file} ends with record ${before.lastSeq}: where both are of one chain, give the files between them, too; where they are of two services, verify each by itself.`;
  return `The records before record ${firstSeq}, with which ${file} begins, were not given: whether any are lost is not proven.${loss} ${advice}`;
}

/** Which files were not read, a sentence each kind; empty where there are none. */
export function leftOutTexts({ leftOut }: AuditVerdict): readonly string[] {
  const isSetAside = (file: string) => {
    const at = file.lastIndexOf(SET_ASIDE);
    return at !== -1 && !file.includes('.', at + SET_ASIDE.length);
  };
  return [
    ...leftOutText(
      'Compressed files',
      leftOut.filter((file) => !isSetAside(file)),
      'Decompress them, and verify all files together.',
    ),
    ...leftOutText(
      'Files that the service set aside',
      leftOut.filter(isSetAside),
      'Another program had written or replaced them: look what they hold. Keep those that hold records with the others, and move the rest to another folder.',
    ),
  ];
}

function leftOutText(what: string, files: readonly string[], advice: string): readonly string[] {
  if (files.length === 0) return [];
  const more = files.length > NAMED_FILES ? ` and ${files.length - NAMED_FILES} more` : '';
  return [`${what} were left out: ${files.slice(0, NAMED_FILES).join(', ')}${more}. ${advice}`];
}
