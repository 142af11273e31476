import { toPublicKeyObject } from '../../node/ed25519-public-key.ts';
import type { ReadRecord } from '../record/read-record.ts';
import { isSignedBy } from '../record/signed-record.ts';
import type { ChainReport } from './chain-report.ts';
import type { ExternalCheckpoint } from './external-files.ts';
import { Fault } from './failures.ts';

/** Checkpoints from elsewhere, and which of them the files match. */
export class ExpectedCheckpoints {
  readonly #bySeq = new Map<number, readonly ExternalCheckpoint[]>();
  /** Whose number, hash and signature a verified record has. */
  readonly #reached = new Set<ExternalCheckpoint>();

  constructor(checkpoints: readonly ExternalCheckpoint[]) {
    for (const checkpoint of checkpoints) {
      const { seq } = checkpoint;
      this.#bySeq.set(seq, [...(this.#bySeq.get(seq) ?? []), checkpoint]);
    }
  }

  /** Compares a valid record. Records come in order, so the last match is the newest. */
  see({ seq, checkpoint: own }: ReadRecord, { reached }: ChainReport): void {
    for (const checkpoint of this.#bySeq.get(seq) ?? []) {
      const { file, instanceId, time, hash, sig } = checkpoint;
      if (hash !== own?.hash || sig !== own.sig || instanceId !== own.instanceId) continue;
      this.#reached.add(checkpoint);
      const matching = (reached.get(file)?.matching ?? 0) + 1;
      reached.set(file, { file, instanceId, seq, time, matching, earlier: 0 });
    }
  }

  /**
   * Checks that each checkpoint is genuine and that a chain has its record. A checkpoint that
   * precedes its chain is no fault if a later one of the same file matches: the chain fixes every
   * earlier record.
   * @param chains read to their ends
   * @param keys trusted ones, 32 bytes each
   * @throws Fault for one that is forged or missing
   */
  assertReached(chains: readonly ChainReport[], keys: readonly Uint8Array[]): void {
    const objects = keys.map((key) => ({ key, object: toPublicKeyObject(key) }));
    for (const checkpoint of [...this.#bySeq.values()].flat()) {
      if (this.#reached.has(checkpoint)) continue;
      const { file, seq, instanceId } = checkpoint;
      const source = `contains a checkpoint of record ${seq}`;
      const signer = objects.find(({ object }) => object !== null && isSignedBy(checkpoint, object));
      if (signer === undefined) {
        const message = `${source} that no key of these files signed: it is forged or belongs to other files`;
        throw new Fault(file, null, message);
      }
      const chain = findLikeliest(checkpoint, signer.key, chains);
      if (chain === undefined) {
        const message = `${source} of instance ${instanceId}, to which none of the given files belongs`;
        throw new Fault(file, null, message);
      }
      const match = seq < chain.verifier.first.seq ? chain.reached.get(file) : undefined;
      if (match === undefined) throw toFault(checkpoint, chain);
      chain.reached.set(file, { ...match, earlier: match.earlier + 1 });
    }
  }
}

/** Why a chain does not match a checkpoint that must be its own. */
function toFault({ file, seq, time }: ExternalCheckpoint, chain: ChainReport): Fault {
  const source = `the checkpoint of ${time} in ${file}`;
  const { first, last } = chain.verifier;
  if (seq < first.seq) {
    const message = `begins with record ${first.seq}, but ${source} covers record ${seq}: include the earlier files`;
    return chain.faultAt(first.seq, message);
  }
  if (seq <= last.seq) {
    const message = `is record ${seq}, but its hash differs from that in ${source}: the file was rewritten`;
    return chain.faultAt(seq, message);
  }
  const cut = seq - last.seq;
  const records = cut === 1 ? '1 record was' : `${cut} records were`;
  const message = `ends with record ${last.seq}, but ${source} covers record ${seq}: ${records} cut off`;
  return chain.faultAt(last.seq, message);
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
