import { expect } from 'chai';
import {
  BodyBudget,
  type BodyRoom,
  MAX_BODY_BYTES,
} from '../../../../../../src/adapters/driving/http/overload/body-budget.ts';

const SMALL = 16_384;
const LARGE = 20_000;

function budgetOf(bytes: number): BodyBudget {
  return new BodyBudget({ small: bytes, large: bytes });
}

/** @param length null where the body is chunked */
function reserve(budget: BodyBudget, length: number | null): BodyRoom | null {
  return budget.reserve({ headers: length === null ? {} : { 'content-length': String(length) } });
}

describe('BodyBudget', () => {
  it('reserves what requests announce, up to the bytes that bodies may have together', () => {
    const budget = budgetOf(100);
    expect(reserve(budget, 60)).not.to.equal(null);
    expect(reserve(budget, 41)).to.equal(null);
    expect(reserve(budget, 40)).not.to.equal(null);
    expect(budget.reservedBytes).to.equal(100);
  });

  it('takes the room back once, however often it is given back', () => {
    const budget = budgetOf(100);
    const room = reserve(budget, 60);
    reserve(budget, 10);
    room?.release();
    room?.release();
    expect(budget.reservedBytes).to.equal(10);
  });

  it('does not let large bodies keep small ones out', () => {
    const budget = budgetOf(LARGE);
    expect(reserve(budget, LARGE)).not.to.equal(null);
    expect(reserve(budget, LARGE)).to.equal(null);
    expect(reserve(budget, SMALL)).not.to.equal(null);
  });

  it('takes a chunked body for a small one until it is larger, and then for as large as bodies may be', () => {
    const budget = budgetOf(MAX_BODY_BYTES);
    const room = reserve(budget, null);
    expect(room?.holds(SMALL)).to.equal(true);
    expect(budget.reservedBytes).to.equal(SMALL);
    expect(room?.holds(SMALL + 1)).to.equal(true);
    expect(budget.reservedBytes).to.equal(MAX_BODY_BYTES);
    const other = reserve(budget, null);
    expect(other?.holds(SMALL + 1)).to.equal(false);
    room?.release();
    expect(budget.reservedBytes).to.equal(SMALL);
    expect(other?.holds(SMALL + 1)).to.equal(true);
  });
});
