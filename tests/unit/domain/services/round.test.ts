import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Round } from '../../../../src/domain/services/round.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { rejectionOf } from './rejection-of.ts';

describe('Round', () => {
  function roundOf(most: number, answer: (question: number) => string = String) {
    const asked: (readonly number[])[] = [];
    const round = new Round<number, string>(new FixedClock(), (questions) => {
      asked.push(questions);
      return questions.slice(0, most).map(answer);
    });
    return { round, asked };
  }

  it('answers what is asked in one turn together, each with its own answer', async () => {
    const { round, asked } = roundOf(10);
    const answers = Promise.all([1, 2, 3].map((question) => round.ask(question)));
    expect(asked).to.deep.equal([]);
    expect(await answers).to.deep.equal(['1', '2', '3']);
    expect(asked).to.deep.equal([[1, 2, 3]]);
  });

  it('asks again in the next turn what was not answered in this one, before what came later', async () => {
    const { round, asked } = roundOf(2);
    const first = Promise.all([1, 2, 3].map((question) => round.ask(question)));
    await eventLoopTurn();
    const later = round.ask(4);
    expect([...(await first), await later]).to.deep.equal(['1', '2', '3', '4']);
    expect(asked).to.deep.equal([
      [1, 2, 3],
      [3, 4],
    ]);
  });

  it('tells all who asked of an error, and none who asks later', async () => {
    let isBroken = true;
    const { round } = roundOf(10, (question) => {
      if (isBroken) throw new Error('broken');
      return String(question);
    });
    const errors = await Promise.all([1, 2].map((question) => rejectionOf(round.ask(question))));
    expect(errors.map(String)).to.deep.equal(['Error: broken', 'Error: broken']);
    isBroken = false;
    expect(await round.ask(3)).to.equal('3');
  });
});
