import { expect } from 'chai';
import { figures } from '../../../../../src/adapters/http/console/status-figures.ts';
import { ACTIVITY, STATUS } from '../../../../doubles/status-data.ts';

describe('The figures of the console', () => {
  function shown(copy: { readonly seq: number | null; readonly failures: number }): string {
    const copies = [{ setting: 'SIGNING_AUDIT_CHECKPOINT_FILE', place: '/mnt/c.jsonl', ...copy }];
    const status = { ...STATUS, audit: { ...STATUS.audit, checkpointCopies: copies } };
    const view = { status, activity: ACTIVITY, now: Date.parse('2026-11-20T08:50:00Z') };
    return figures(view as never).text.replace(/<[^>]+>/g, ' ');
  }

  it('warn of checkpoints that are not saved in their second place', () => {
    expect(shown({ seq: 16, failures: 2 })).to.include('Checkpoint not saved in /mnt/c.jsonl since record 16');
    expect(shown({ seq: 16, failures: 0 })).to.not.include('/mnt/c.jsonl');
  });
});
