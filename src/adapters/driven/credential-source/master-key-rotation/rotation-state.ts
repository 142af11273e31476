import { readCredentialsFile } from '../credentials-file.ts';
import { forgetPair, readMasterKeyPair } from '../master-key/master-key-pair.ts';
import { countSealed } from '../sealed-counts.ts';
import type { RotationPlan } from './rotation-plan.ts';
import type { RotationSubject } from './rotation-subject.ts';

const SHOWN_BY_STATUS = '`signing-service master-key status` shows how things are.';
const AGAIN = 'Run `signing-service master-key rotate` again to finish.';
const RETIRE = 'When every replica has taken it up, run `signing-service master-key retire`.';

/**
 * How things are after a rotation that failed, in a sentence or two, from what the files hold now: another process may have gone on meanwhile.
 * @param plan what was to be done
 * @param before ids of the primary key from which it set out, and of the key under which everything was to be sealed
 */
export async function describeState(
  subject: RotationSubject,
  plan: RotationPlan,
  { primaryId, targetId }: { readonly primaryId: string; readonly targetId: string },
): Promise<string> {
  const state = await readState(subject).catch(() => undefined);
  if (state === undefined) return SHOWN_BY_STATUS;
  const { primary, previous, counts } = state;
  if (plan === 'begin' && primary === primaryId) {
    return 'The master key is as it was, and so is the credentials file.';
  }
  if ([...counts.keys()].some((id) => id !== primary && id !== previous)) return SHOWN_BY_STATUS;
  if (previous === undefined || previous === primary)
    return `Master key ${primary} is in place now. ${SHOWN_BY_STATUS}`;
  if (!counts.has(previous)) return `The rotation is done: everything is sealed under master key ${primary}. ${RETIRE}`;
  if (plan === 'finish') return `The rotation that was begun is not finished; nothing is lost. ${AGAIN}`;
  const which = primary === targetId ? 'The new master key' : `The new master key of another process, ${primary},`;
  return `${which} is in place, and the previous one still opens every account: nothing is lost. ${AGAIN}`;
}

async function readState({ credentialsFile, files }: RotationSubject) {
  const { content } = await readCredentialsFile(credentialsFile);
  const pair = readMasterKeyPair(files);
  forgetPair(pair);
  return { primary: pair.primary.id, previous: pair.previous?.id, counts: countSealed(content) };
}
