import { type Closing, whenClosed } from '../when-closed.ts';

/** Bounds the bytes of request bodies that are held at once, by all requests together: those that trickle in, those that wait, and those that are worked on. */
export class HeldBytes {
  readonly #most: number;
  #held = 0;

  /** @param most bytes */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that are held now. */
  get count(): number {
    return this.#held;
  }

  /** Begins to count what one request holds; that is over when it closes, after which it can hold nothing more. */
  open(request: Closing & { readonly destroyed?: boolean }): HeldBytesOfOne {
    let own = 0;
    let isOver = request.destroyed === true;
    const release = () => {
      this.#held -= own;
      own = 0;
    };
    whenClosed(request, () => {
      isOver = true;
      release();
    });
    return {
      hold: (bytes) => {
        if (isOver || this.#held + bytes > this.#most) return false;
        this.#held += bytes;
        own += bytes;
        return true;
      },
      release,
    };
  }
}

/** What one request holds. */
export interface HeldBytesOfOne {
  /** Counts so many bytes more; false, and nothing is counted, when that is too much or the request is closed. */
  hold(bytes: number): boolean;
  release(): void;
}
