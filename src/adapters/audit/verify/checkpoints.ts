import type { ReachedCheckpoint } from '../../../domain/model/audit-verdict.ts';
import { toPublicKeyObject } from '../../node/ed25519-public-key.ts';
import type { ReadRecord } from '../record/read-record.ts';
import { isSignedBy } from '../record/signed-record.ts';
import type { ChainReport } from './chain-report.ts';
import type { ExternalCheckpoint } from './external-files.ts';
import { Fault } from './fault.ts';

/** A record whose hash differs from a checkpoint's. */
interface Mismatch {
  readonly chain: ChainReport;
  readonly file: string;
  readonly line: number;
}

/** Checkpoints of one file that a chain matches. */
interface Match {
  readonly chain: ChainReport;
  newest: ExternalCheckpoint;
  matching: number;
  /** How many precede the chain. */
  earlier: number;
}

/** Checkpoints from elsewhere, and which of them the files match. */
export class ExpectedCheckpoints {
  readonly #checkpoints: readonly ExternalCheckpoint[];
  readonly #bySeq = new Map<number, ExternalCheckpoint[]>();
  /** Whose number, hash and signature a verified record has. */
  readonly #reached = new Set<ExternalCheckpoint>();
  readonly #mismatches = new Map<ExternalCheckpoint, readonly Mismatch[]>();
  readonly #matches: Match[] = [];

  constructor(checkpoints: readonly ExternalCheckpoint[]) {
    this.#checkpoints = checkpoints;
    for (const checkpoint of checkpoints) {
      const same = this.#bySeq.get(checkpoint.seq);
      if (same === undefined) this.#bySeq.set(checkpoint.seq, [checkpoint]);
      else same.push(checkpoint);
    }
  }

  get reached(): readonly ReachedCheckpoint[] {
    return this.#matches.map(({ newest: { file, instanceId, seq, time }, matching, earlier }) => {
      return { file, instanceId, seq, time, matching, earlier };
    });
  }

  /** Compares a valid record. */
  see({ seq, checkpoint: own }: ReadRecord, chain: ChainReport, file: string, line: number): void {
    for (const checkpoint of this.#bySeq.get(seq) ?? []) {
      if (checkpoint.hash === own?.hash && checkpoint.sig === own.sig && checkpoint.instanceId === own.instanceId) {
        this.#reached.add(checkpoint);
        this.#countMatch(checkpoint, chain);
      } else {
        const earlier = this.#mismatches.get(checkpoint) ?? [];
        this.#mismatches.set(checkpoint, [...earlier, { chain, file, line }]);
      }
    }
  }

  /**
   * Checks that each checkpoint is genuine and that a chain has its record. A checkpoint that
   * precedes its chain is no fault if a later one of the same file matches: the chain fixes every
   * earlier record.
   * @param chains read to their ends
   * @param keys trusted ones, 32 bytes each
   * @throws Fault for the first that is forged or missing
   */
  assertReached(chains: readonly ChainReport[], keys: readonly Uint8Array[]): void {
    const objects = keys.map((key) => ({ key, object: toPublicKeyObject(key) }));
    for (const checkpoint of this.#checkpoints) {
      if (this.#reached.has(checkpoint)) continue;
      const { file, seq, instanceId } = checkpoint;
      const signer = objects.find(({ object }) => object !== null && isSignedBy(checkpoint, object));
      if (signer === undefined) {
        const message = `contains a checkpoint of record ${seq} that no key of these files signed: it is forged or belongs to other files`;
        throw new Fault(file, null, message);
      }
      const chain = findLikeliest(checkpoint, signer.key, chains);
      if (chain === undefined) {
        const message = `contains a checkpoint of record ${seq} of instance ${instanceId}, to which none of the given files belongs`;
        throw new Fault(file, null, message);
      }
      const match = seq < chain.first.seq ? this.#findMatch(file, chain) : undefined;
      if (match === undefined) throw this.#describe(checkpoint, chain);
      match.earlier += 1;
    }
  }

  /** Records come in order, so the last one is the newest. */
  #countMatch(newest: ExternalCheckpoint, chain: ChainReport): void {
    const match = this.#findMatch(newest.file, chain);
    if (match === undefined) this.#matches.push({ chain, newest, matching: 1, earlier: 0 });
    else Object.assign(match, { newest, matching: match.matching + 1 });
  }

  #findMatch(file: string, chain: ChainReport): Match | undefined {
    return this.#matches.find((match) => match.chain === chain && match.newest.file === file);
  }

  #describe(checkpoint: ExternalCheckpoint, chain: ChainReport): Fault {
    const { seq, time } = checkpoint;
    const covers = `the checkpoint of ${time} in ${checkpoint.file} covers`;
    const { file, lines } = chain.lastFile;
    const cut = seq - chain.last.seq;
    if (cut > 0) {
      const records = cut === 1 ? '1 record was' : `${cut} records were`;
      return new Fault(
        file,
        lines,
        `ends with record ${chain.last.seq}, but ${covers} record ${seq}: ${records} cut off`,
      );
    }
    const mismatch = this.#mismatches.get(checkpoint)?.find((at) => at.chain === chain);
    if (mismatch !== undefined) {
      const message = `is record ${seq}, but its hash differs from that in the checkpoint of ${time} in ${checkpoint.file}: the file was rewritten`;
      return new Fault(mismatch.file, mismatch.line, message);
    }
    const message = `begins with record ${chain.first.seq}, but ${covers} record ${seq}: include the earlier files`;
    return new Fault(chain.firstFile, 1, message);
  }
}

/** The chain that most likely has the checkpoint: by instance and key, then by start. */
function findLikeliest(
  { instanceId, time }: ExternalCheckpoint,
  signer: Uint8Array,
  chains: readonly ChainReport[],
): ChainReport | undefined {
  const rank = (chain: ChainReport) => {
    const related = Number(chain.hasInstance(instanceId)) + Number(chain.hasKey(signer));
    return related === 0 ? 0 : 2 * related + Number(chain.first.time <= time);
  };
  return chains
    .filter((chain) => rank(chain) > 0)
    .toSorted((left, right) => rank(right) - rank(left) || (left.first.time < right.first.time ? 1 : -1))
    .at(0);
}
