import { expect } from 'chai';
import { BodyBudget, type BodyReservation } from '../../../../../src/adapters/http/admission/body-budget.ts';
import { MAX_BODY_BYTES } from '../../../../../src/adapters/http/limits.ts';

const SMALL = 16_384;
const LARGE = 20_000;

function budgetOf(bytes: number): BodyBudget {
  return new BodyBudget({ small: bytes, large: bytes });
}

/** @param length null for chunked */
function reserve(budget: BodyBudget, length: number | null): BodyReservation | null {
  return budget.reserve({ headers: length === null ? {} : { 'content-length': String(length) } });
}

describe('BodyBudget', () => {
  it('reserves the declared size of large bodies, up to the limit', () => {
    const budget = budgetOf(2 * LARGE);
    expect(reserve(budget, LARGE)).not.to.equal(null);
    expect(reserve(budget, LARGE + 1)).to.equal(null);
    expect(reserve(budget, LARGE)).not.to.equal(null);
    expect(budget.reservedBytes).to.equal(2 * LARGE);
  });

  it('reserves memory for a small body once it has arrived, so that slow ones block no others', () => {
    const budget = budgetOf(SMALL);
    const slow = Array.from({ length: 1000 }, () => reserve(budget, SMALL));
    for (const room of slow) expect(room?.tryGrow(SMALL)).to.equal(true);
    expect(budget.reservedBytes).to.equal(0);
    expect(reserve(budget, 300)?.tryKeep(300)).to.equal(true);
    expect(budget.reservedBytes).to.equal(300);
    expect(slow[0]?.tryKeep(SMALL)).to.equal(false);
  });

  it('releases memory idempotently', () => {
    const budget = budgetOf(2 * LARGE);
    const room = reserve(budget, LARGE);
    reserve(budget, LARGE);
    room?.release();
    room?.release();
    expect(budget.reservedBytes).to.equal(LARGE);
  });

  it('treats a chunked body as small until it exceeds that size, then reserves the maximum', () => {
    const budget = budgetOf(MAX_BODY_BYTES);
    const room = reserve(budget, null);
    expect(room?.tryGrow(SMALL)).to.equal(true);
    expect(budget.reservedBytes).to.equal(0);
    expect(room?.tryGrow(SMALL + 1)).to.equal(true);
    expect(budget.reservedBytes).to.equal(MAX_BODY_BYTES);
    expect(room?.tryKeep(MAX_BODY_BYTES)).to.equal(true);
    const other = reserve(budget, null);
    expect(other?.tryGrow(SMALL + 1)).to.equal(false);
    room?.release();
    expect(budget.reservedBytes).to.equal(0);
    expect(other?.tryGrow(SMALL + 1)).to.equal(true);
  });
});
