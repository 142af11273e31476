import type { ReadRecord } from '../../../audit-trail/read-record.ts';
import { isSignedBy, publicKeyObject } from '../../../audit-trail/signed-record.ts';
import type { AuditFault, ReachedCheckpoint } from '../../../domain/model/audit-verdict.ts';
import type { ChainReading } from './chain-reading.ts';
import type { OutsideCheckpoint } from './outside-checkpoint.ts';

/** A record that has the number, but not the hash that a checkpoint says. */
interface Mismatch {
  readonly chain: ChainReading;
  readonly file: string;
  readonly line: number;
}

/** Checkpoints from elsewhere, and which of them the files agree with. */
export class ExpectedCheckpoints {
  readonly #checkpoints: readonly OutsideCheckpoint[];
  readonly #seqs: ReadonlySet<number>;
  readonly #reached = new Set<OutsideCheckpoint>();
  readonly #mismatches = new Map<OutsideCheckpoint, readonly Mismatch[]>();

  constructor(checkpoints: readonly OutsideCheckpoint[]) {
    this.#checkpoints = checkpoints;
    this.#seqs = new Set(checkpoints.map(({ seq }) => seq));
  }

  get reached(): readonly ReachedCheckpoint[] {
    return [...this.#reached].map(({ file, instanceId, seq, time }) => ({ file, instanceId, seq, time }));
  }

  /** Sees a record that is in order, on this line of a file of a chain. */
  see({ seq, checkpoint: own }: ReadRecord, chain: ChainReading, file: string, line: number): void {
    if (!this.#seqs.has(seq)) return;
    for (const checkpoint of this.#checkpoints) {
      if (checkpoint.seq === seq) this.#compare(checkpoint, own?.hash ?? null, { chain, file, line });
    }
  }

  /** What is wrong with the first checkpoint that some key did not sign. @param keys 32 bytes each */
  findForgery(keys: readonly Uint8Array[]): AuditFault | null {
    const forged = this.#checkpoints.find((checkpoint) => !keys.some((key) => isSignedWith(checkpoint, key)));
    if (forged === undefined) return null;
    const { file, seq } = forged;
    return {
      file,
      line: null,
      message: `holds a checkpoint of record ${seq} that no key of these files signed: it is forged, or of others`,
    };
  }

  /** What is wrong with the first one that the chains, all of which were read, do not hold. */
  findMissing(chains: readonly ChainReading[]): AuditFault | null {
    const missing = this.#checkpoints.find((one) => !this.#reached.has(one));
    if (missing === undefined) return null;
    const [chain] = kinOf(missing, chains);
    return chain === undefined ? unknownTo(missing) : this.#faultIn(missing, chain);
  }

  #compare(checkpoint: OutsideCheckpoint, hash: string | null, at: Mismatch): void {
    if (checkpoint.hash === hash) {
      this.#reached.add(checkpoint);
      at.chain.cover(checkpoint.seq);
      return;
    }
    this.#mismatches.set(checkpoint, [...(this.#mismatches.get(checkpoint) ?? []), at]);
  }

  #faultIn(checkpoint: OutsideCheckpoint, chain: ChainReading): AuditFault {
    const { seq, time, file } = checkpoint;
    const covers = `the checkpoint of ${time} in ${file} covers`;
    const end = chain.lastFile;
    const cut = seq - chain.lastSeq;
    if (cut > 0) {
      const message = `ends with record ${chain.lastSeq}, and ${covers} record ${seq}: ${cut === 1 ? '1 record was' : `${cut} records were`} cut off`;
      return { file: end.file, line: end.lines, message };
    }
    const mismatch = this.#mismatches.get(checkpoint)?.find((at) => at.chain === chain);
    if (mismatch !== undefined) {
      const message = `is record ${seq} with another hash than the checkpoint of ${time} in ${file} says: the file was rewritten`;
      return { file: mismatch.file, line: mismatch.line, message };
    }
    const message = `begins with record ${chain.firstSeq}, and ${covers} record ${seq}: give the files before it, too`;
    return { file: chain.firstFile, line: 1, message };
  }
}

function isSignedWith(checkpoint: OutsideCheckpoint, publicKey: Uint8Array): boolean {
  const key = publicKeyObject(publicKey);
  return key !== null && isSignedBy(checkpoint, key);
}

/** Chains that the checkpoint may be of, the likeliest first: of its instance and its key, begun last before it was signed. */
function kinOf(checkpoint: OutsideCheckpoint, chains: readonly ChainReading[]): readonly ChainReading[] {
  const likelihood = (chain: ChainReading): number => {
    const isOfInstance = chain.hasInstance(checkpoint.instanceId);
    const isOfKey = chain.publicKeys.some((key) => isSignedWith(checkpoint, key));
    if (!isOfInstance && !isOfKey) return 0;
    return 1 + Number(chain.firstTime <= checkpoint.time) + 2 * Number(isOfInstance) + 2 * Number(isOfKey);
  };
  return chains
    .filter((chain) => likelihood(chain) > 0)
    .toSorted((left, right) => likelihood(right) - likelihood(left) || (left.firstTime < right.firstTime ? 1 : -1));
}

function unknownTo({ file, seq, instanceId }: OutsideCheckpoint): AuditFault {
  const message = `holds a checkpoint of record ${seq} of instance ${instanceId}, of which none of the files given is`;
  return { file, line: null, message };
}
