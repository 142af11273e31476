import { expect } from 'chai';
import type { PermissionEntry } from '../../../../src/domain/model/permissions.ts';
import type { CallContext } from '../../../../src/domain/model/sign-request.ts';
import { type ReloadService, RequestedReloadService } from '../../../../src/domain/services/reload-service.ts';
import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { SAMPLE_RELOAD_RESULT } from '../../../doubles/sample-reload-result.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, SigningWorkbench } from './signing-workbench.ts';

function setUp<Sink extends AuditSink>(sink: Sink, permissions: readonly PermissionEntry[] | null) {
  const bench = new SigningWorkbench({ makeSink: () => sink });
  bench.serve([], [], permissions);
  const calls: (readonly unknown[])[] = [];
  const reload: ReloadService['reload'] = async (...args) => {
    calls.push(args);
    return { ok: true, value: SAMPLE_RELOAD_RESULT };
  };
  const { registry, audit, clock, log } = bench;
  const service = new RequestedReloadService({ registry, reloads: { reload }, audit, clock, log });
  return { asked: calls, clock, log, sink, service };
}

const RELOADER: PermissionEntry = { principals: ['desk-7'], operations: ['reload'] };
const NOBODY: CallContext = { ...CONTEXT, principal: null };

describe('RequestedReloadService', () => {
  it('reloads for callers with permission, and returns the result', async () => {
    for (const permissions of [null, [RELOADER]]) {
      const { asked: calls, service, sink } = setUp(new MemoryAuditSink(), permissions);
      expect(acceptedValue(await service.request(CONTEXT))).to.equal(SAMPLE_RELOAD_RESULT);
      expect(calls).to.deep.equal([['request', CONTEXT]]);
      expect(sink.entries).to.deep.equal([]);
    }
  });

  it('refuses callers without permission, in the audit log and in the service log', async () => {
    for (const [permissions, context] of [
      [[RELOADER], NOBODY],
      [[], CONTEXT],
      [[{ principals: ['desk-7'], accounts: ['*/*'], operations: ['sign', 'verify', 'read', 'status'] }], CONTEXT],
    ] as const) {
      const { asked: calls, log, service, sink } = setUp(new MemoryAuditSink(), permissions);
      const { code, details } = refusalOf(await service.request(context));
      expect(code).to.equal('FORBIDDEN');
      const principal = context.principal ?? 'anonymous';
      expect(details).to.deep.equal({ operation: 'reload', principal, reason: 'PERMISSION_DENIED' });
      expect(calls).to.deep.equal([]);
      expect(sink.entries).to.have.length(1);
      expect(sink.entries[0]).to.deep.include({
        event: 'reload',
        outcome: 'refused',
        errorCode: 'FORBIDDEN',
        ...context,
      });
      expect(log.events.map(({ level, facts }) => [level, facts['principal']])).to.deep.equal([
        ['warn', context.principal],
      ]);
    }
  });

  it('logs refusals of a caller once a minute, with their number, and records each', async () => {
    const { clock, log, service, sink } = setUp(new MemoryAuditSink(), [RELOADER]);
    for (let nth = 0; nth < 100; nth += 1) await service.request(NOBODY);
    clock.advance(60_000);
    await service.request(NOBODY);
    expect(log.events.map(({ facts }) => facts['count'])).to.deep.equal([1, 100]);
    expect(sink.entries).to.have.length(101);
  });

  it('refuses even if the refusal cannot be recorded, and logs it', async () => {
    const { asked: calls, log, service } = setUp(new FailingAuditSink(), []);
    expect(refusalOf(await service.request(CONTEXT)).code).to.equal('FORBIDDEN');
    expect(calls).to.deep.equal([]);
    expect(log.events.map(({ level }) => level)).to.deep.equal(['warn', 'error']);
    expect(log.events[1]?.facts).to.include({ correlationId: CONTEXT.correlationId });
  });
});
