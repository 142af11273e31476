import { counter, gauge, type ReadMetric } from '../metric-definition.ts';

/** The audit record, and the counters that are made of it. */
export const AUDIT_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_audit_available',
    '1 while audit records can be written. 0: nothing is signed.',
    ({ core }) => core.audit.isAvailable,
  ),
  gauge(
    'signing_audit_head_sequence',
    'Number of the last durable audit record. It never goes down: if it does, records are gone, or a new chain was begun.',
    ({ core }) => core.audit.head.seq,
  ),
  gauge(
    'signing_audit_head_info',
    'Always 1, with the hash of the last durable audit record: who keeps it can tell later whether the record was changed before it.',
    ({ core }) => (core.audit.head.hash === null ? [] : [{ labels: { hash: core.audit.head.hash }, value: 1 }]),
    ['hash'],
  ),
  gauge(
    'signing_audit_queued_records',
    'Audit records that wait to be durable, those that are being written included.',
    ({ core }) => core.audit.queued,
  ),
  gauge(
    'signing_audit_disk_free_bytes',
    'Bytes that may still be written on the disk of the audit file. A record takes less than 1 KiB as a rule; without room nothing is signed.',
    ({ process }) => process.auditFreeBytes,
  ),
  counter(
    'signing_unrecorded_attempts_total',
    'Attempts whose audit record was not durable in time. Nothing was released for them, and they may be missing on the record.',
    ({ core }) => core.unrecorded,
  ),
  counter(
    'signing_recorded_signatures_total',
    'Signatures on record, those of earlier processes included, and where counters are shared those of all replicas: then every replica shows the same sum, so take the highest and add none up.',
    ({ core }) => core.recorded.totalSigns,
  ),
  counter(
    'signing_recorded_errors_total',
    'Attempts to sign on record that ended without a signature. The same goes for its sum.',
    ({ core }) => core.recorded.errorCount,
  ),
  gauge(
    'signing_usage_shared',
    '1 where the recorded counters are those of all replicas.',
    ({ core }) => core.usage.mode === 'shared',
  ),
  gauge(
    'signing_usage_current',
    '0 while counters that should be shared through Redis are behind. Signing does not wait for them.',
    ({ core }) => core.usage.mode === 'alone' || core.usage.state === 'current',
  ),
  gauge('signing_usage_replicas', 'Replicas whose counters are in the recorded ones, this one included.', ({ core }) =>
    core.usage.mode === 'alone' ? 1 : core.usage.replicas,
  ),
];
