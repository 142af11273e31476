import { type Customer, isServed } from './customer.ts';
import { WaitLine } from './wait-line.ts';

/** What is asked for: one signature or verification, or a batch of signatures. Each kind has a line of its own. */
export type WorkKind = 'single' | 'batch';

/** How much is taken on. */
export interface GateLimits {
  /** Signatures in the making at once, a quarter of them for single requests. */
  readonly maxInFlight: number;
  /** Single requests that wait; of batches a sixteenth of that. */
  readonly maxQueue: number;
  /** How long a single request waits, milliseconds; a batch, each of which takes longer, five times that. */
  readonly maxWaitMs?: number;
}

/** How much there is to do. */
export interface WorkLoad {
  /** Signatures in the making. */
  readonly inFlight: number;
  /** Requests that wait for their turn. */
  readonly queued: number;
}

/** The right to work; `leave` gives it back, however the work ended, and may be called twice. */
export interface Admission {
  /** Tells how many signatures a batch asks for, and waits until there is room for them; false when there is none in time. */
  weigh(items: number, customer: Customer): Promise<boolean>;
  leave(): void;
}

const MAX_WAIT_MS = 1000;
const WAIT_OF_BATCHES = 5;
const QUEUE_SHARE_OF_BATCHES = 1 / 16;
const SHARE_OF_BATCHES = 3 / 4;

/**
 * Bounds the signatures that are in the making, and who waits for that, so that overload ends in quick refusals and not in growing memory. A single request is one signature. How many a batch is, is known
 * when its body was parsed, and that costs time as well: one batch at a time is let in to be parsed and weighed, and holds the door until there is room for it. Batches take three quarters at most, so that
 * they never keep single callers out, and single requests the last quarter: those are signed as they come, and how many wait for the disk together decides how long each of them takes. A batch bigger than its
 * share is let in when no other is there.
 */
export class WorkGate {
  readonly #maxSingles: number;
  readonly #maxItems: number;
  readonly #singles: WaitLine;
  readonly #batches: WaitLine;
  /** Where the batch at the door waits for room. */
  readonly #room: WaitLine;
  #singlesInFlight = 0;
  #itemsInFlight = 0;
  #isDoorTaken = false;
  /** Signatures that the batch at the door asks for, once that is known. */
  #asked = 0;

  constructor({ maxInFlight, maxQueue, maxWaitMs = MAX_WAIT_MS }: GateLimits) {
    this.#maxItems = Math.floor(maxInFlight * SHARE_OF_BATCHES);
    this.#maxSingles = maxInFlight - this.#maxItems;
    this.#singles = new WaitLine(maxQueue, maxWaitMs);
    this.#batches = new WaitLine(Math.ceil(maxQueue * QUEUE_SHARE_OF_BATCHES), maxWaitMs * WAIT_OF_BATCHES);
    this.#room = new WaitLine(1, maxWaitMs * WAIT_OF_BATCHES);
  }

  get load(): WorkLoad {
    return {
      inFlight: this.#singlesInFlight + this.#itemsInFlight,
      queued: this.#singles.length + this.#batches.length + this.#room.length,
    };
  }

  /** Whether one more would have to be refused at once. */
  isFull(kind: WorkKind): boolean {
    return kind === 'single' ? this.#singles.isFull : this.#batches.isFull;
  }

  /** Lets work in that need not wait; null where it has to, or where the customer is gone. */
  enterAtOnce(kind: WorkKind, customer: Customer): Admission | null {
    if (customer.destroyed === true) return null;
    const isFree = kind === 'single' ? this.#admitsSingle() : !this.#isDoorTaken;
    const line = kind === 'single' ? this.#singles : this.#batches;
    if (!isFree || line.length > 0) return null;
    this.#countIn(kind);
    return kind === 'single' ? this.#single() : this.#batch();
  }

  /** Lets work in, now or when it is its turn; null when the line is full, when it takes too long or when the customer goes away. */
  async enter(kind: WorkKind, customer: Customer): Promise<Admission | null> {
    const admission = this.enterAtOnce(kind, customer);
    if (admission !== null || customer.destroyed === true) return admission;
    const line = kind === 'single' ? this.#singles : this.#batches;
    // Whoever is served was counted in already, in the turn in which there was room.
    if (!(await isServed(line.join(), customer))) return null;
    return kind === 'single' ? this.#single() : this.#batch();
  }

  #single(): Admission {
    let isIn = true;
    return {
      weigh: async () => true,
      leave: () => {
        if (!isIn) return;
        isIn = false;
        this.#singlesInFlight -= 1;
        this.#letIn();
      },
    };
  }

  #batch(): Admission {
    let state: 'at the door' | 'in' | 'out' = 'at the door';
    let weight = 0;
    return {
      weigh: async (items, customer) => {
        weight = items;
        if (!(await this.#waitForRoom(items, customer))) return false;
        state = 'in';
        return true;
      },
      leave: () => {
        if (state === 'at the door') this.#isDoorTaken = false;
        if (state === 'in') this.#itemsInFlight -= weight;
        state = 'out';
        this.#letIn();
      },
    };
  }

  async #waitForRoom(items: number, customer: Customer): Promise<boolean> {
    if (customer.destroyed === true) return false;
    this.#asked = items;
    if (this.#hasRoomForAsked()) this.#countAskedIn();
    else if (!(await isServed(this.#room.join(), customer))) {
      this.#asked = 0;
      return false;
    }
    this.#letIn();
    return true;
  }

  #countIn(kind: WorkKind): void {
    if (kind === 'single') this.#singlesInFlight += 1;
    else this.#isDoorTaken = true;
  }

  #countAskedIn(): void {
    this.#itemsInFlight += this.#asked;
    this.#asked = 0;
    this.#isDoorTaken = false;
  }

  #admitsSingle(): boolean {
    return this.#singlesInFlight < this.#maxSingles;
  }

  #hasRoomForAsked(): boolean {
    return this.#itemsInFlight === 0 || this.#itemsInFlight + this.#asked <= this.#maxItems;
  }

  /** Gives room that came free to those who wait. */
  #letIn(): void {
    if (this.#room.length > 0 && this.#hasRoomForAsked()) {
      this.#countAskedIn();
      this.#room.serveNext();
    }
    if (this.#batches.length > 0 && !this.#isDoorTaken) {
      this.#countIn('batch');
      this.#batches.serveNext();
    }
    while (this.#singles.length > 0 && this.#admitsSingle()) {
      this.#countIn('single');
      this.#singles.serveNext();
    }
  }
}
