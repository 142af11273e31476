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
  readonly reached: { -readonly [name in keyof ReachedCheckpoint]: ReachedCheckpoint[name] };
}

/** Checkpoints from elsewhere, and which of them the files match. */
export class ExpectedCheckpoints {
  readonly #checkpoints: readonly ExternalCheckpoint[];
  readonly #bySeq = new Map<number, readonly ExternalCheckpoint[]>();
  /** Whose number, hash and signature a verified record has. */
  readonly #reached = new Set<ExternalCheckpoint>();
  readonly #mismatches = new Map<ExternalCheckpoint, readonly Mismatch[]>();
  readonly #matches: Match[] = [];

  constructor(checkpoints: readonly ExternalCheckpoint[]) {
    this.#checkpoints = checkpoints;
    for (const checkpoint of checkpoints) {
      const { seq } = checkpoint;
      this.#bySeq.set(seq, [...(this.#bySeq.get(seq) ?? []), checkpoint]);
    }
  }

  get reached(): readonly ReachedCheckpoint[] {
    return this.#matches.map(({ reached }) => reached);
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
      const match = seq < chain.verifier.first.seq ? this.#findMatch(file, chain) : undefined;
      if (match === undefined) throw this.#describe(checkpoint, chain);
      match.reached.earlier += 1;
    }
  }

  /** Records come in order, so the last one is the newest. */
  #countMatch({ file, instanceId, seq, time }: ExternalCheckpoint, chain: ChainReport): void {
    const match = this.#findMatch(file, chain);
    const newest = { file, instanceId, seq, time, matching: (match?.reached.matching ?? 0) + 1, earlier: 0 };
    if (match === undefined) this.#matches.push({ chain, reached: newest });
    else Object.assign(match.reached, newest);
  }

  #findMatch(file: string, chain: ChainReport): Match | undefined {
    return this.#matches.find((match) => match.chain === chain && match.reached.file === file);
  }

  #describe(checkpoint: ExternalCheckpoint, chain: ChainReport): Fault {
    const { seq, time } = checkpoint;
    const source = `the checkpoint of ${time} in ${checkpoint.file}`;
    const { first, last } = chain.verifier;
    const cut = seq - last.seq;
    if (cut > 0) {
      const records = cut === 1 ? '1 record was' : `${cut} records were`;
      const message = `ends with record ${last.seq}, but ${source} covers record ${seq}: ${records} cut off`;
      return new Fault(chain.lastFile.file, chain.lastFile.lines, message);
    }
    const mismatch = this.#mismatches.get(checkpoint)?.find((at) => at.chain === chain);
    const message =
      mismatch === undefined
        ? `begins with record ${first.seq}, but ${source} covers record ${seq}: include the earlier files`
        : `is record ${seq}, but its hash differs from that in ${source}: the file was rewritten`;
    return new Fault(mismatch?.file ?? chain.firstFile, mismatch?.line ?? 1, message);
  }
}

/** The chain that most likely has the checkpoint: by instance and key, then by start. */
function findLikeliest(
  { instanceId, time }: ExternalCheckpoint,
  signer: Uint8Array,
  chains: readonly ChainReport[],
): ChainReport | undefined {
  const related = (chain: ChainReport) => Number(chain.hasInstance(instanceId)) + Number(chain.hasKey(signer));
  const begin = ({ verifier }: ChainReport) => verifier.first.time;
  const rank = (chain: ChainReport) => 2 * related(chain) + Number(begin(chain) <= time);
  return chains
    .filter((chain) => related(chain) > 0)
    .toSorted((left, right) => rank(right) - rank(left) || (begin(left) < begin(right) ? 1 : -1))
    .at(0);
}
