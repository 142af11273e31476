import { expect } from 'chai';
import { fail } from '../../../../src/adapters/machine/outcome.ts';
import { type Row, runRows } from '../../../../src/app/doctor/rows.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';

function failing(error: Error): () => never {
  return () => {
    throw error;
  };
}

describe('Rows of doctor', () => {
  const run = async (...rows: readonly Row<null>[]) =>
    (await runRows(rows, null)).map(({ check, state, message, remedy }) => [check, state, message, remedy]);

  it('are reported by name, in order, with what they find', async () => {
    const found = await run(
      { check: 'one', run: () => 'well' },
      { check: 'none', run: async () => [] },
      { check: 'two', run: () => ['well', fail('broken', 'Mend it.')] },
    );
    expect(found).to.deep.equal([
      ['one', 'ok', 'well', null],
      ['two', 'ok', 'well', null],
      ['two', 'fail', 'broken', 'Mend it.'],
    ]);
  });

  it('that throw an error for operators fail with its message and their remedy', async () => {
    const full = failing(new OperatorError('The disk is full.'));
    const found = await run({ check: 'own', run: full, remedy: 'Buy another.' }, { check: 'default', run: full });
    expect(found).to.deep.equal([
      ['own', 'fail', 'The disk is full.', 'Buy another.'],
      ['default', 'fail', 'The disk is full.', 'The service does not start until this is fixed.'],
    ]);
  });

  it('that throw another error fail with its code, without its message, and others run', async () => {
    const found = await run(
      { check: 'broken', run: failing(Object.assign(new Error('hunter2'), { code: 'EIO' })) },
      { check: 'whole', run: () => 'well' },
    );
    expect(found.map(([check, state]) => [check, state])).to.deep.equal([
      ['broken', 'fail'],
      ['whole', 'ok'],
    ]);
    expect(JSON.stringify(found)).to.include('EIO').and.not.include('hunter2');
  });

  it('are skipped if they need one that failed or was skipped', async () => {
    const found = await run(
      { check: 'file', run: () => fail('missing', 'Make it.') },
      { check: 'content', needs: ['file'], run: () => 'well' },
      { check: 'meaning', needs: ['content'], run: () => 'well' },
    );
    expect(found).to.deep.equal([['file', 'fail', 'missing', 'Make it.']]);
  });
});
