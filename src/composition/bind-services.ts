import type { Container } from 'inversify';
import { AccountAdministrationService } from '../domain/services/account-administration-service.ts';
import { AccountLimits } from '../domain/services/account-limits.ts';
import { AccountService } from '../domain/services/account-service.ts';
import { AuditEntryService } from '../domain/services/audit-entry-service.ts';
import { PayloadMaker } from '../domain/services/payload-maker.ts';
import { ReadinessService } from '../domain/services/readiness-service.ts';
import { RegistryHolder } from '../domain/services/registry-holder.ts';
import { RegistryLoader } from '../domain/services/registry-loader.ts';
import { ReloadHistory } from '../domain/services/reload-history.ts';
import { ReloadService } from '../domain/services/reload-service.ts';
import { SelfTestService } from '../domain/services/self-test-service.ts';
import { SignBatchService } from '../domain/services/sign-batch-service.ts';
import { SignRequestService } from '../domain/services/sign-request-service.ts';
import { SignatureMaker } from '../domain/services/signature-maker.ts';
import { SigningPerformance } from '../domain/services/signing-performance.ts';
import { StatusService } from '../domain/services/status-service.ts';
import { VerifySignatureService } from '../domain/services/verify-signature-service.ts';
import { changeCautions, identifiesCallers, permissionCautions } from './permission-cautions.ts';
import { SERVICE_VERSION } from './service-version.ts';
import type { Settings } from './settings.ts';
import { AUDIT_DISK } from './shared-parts.ts';
import { TOKENS as T } from './tokens.ts';

/** Builds every domain service from ports. */
export function bindServices(container: Container, settings: Settings): void {
  container.bind(T.RegistryHolder).toResolvedValue(() => new RegistryHolder());
  container.bind(T.ReloadHistory).toResolvedValue(() => new ReloadHistory());
  container
    .bind(T.AuditEntryService)
    .toResolvedValue(
      (sink, hasher, clock, log, metrics) =>
        new AuditEntryService(sink, hasher, clock, settings.instanceId, log, metrics),
      [T.AuditSink, T.Hasher, T.Clock, T.ServiceLog, T.Metrics],
    );
  container
    .bind(T.SignatureMaker)
    .toResolvedValue(
      (keyStore, signers, clock) => new SignatureMaker(keyStore, signers, clock, settings.verifySignatures),
      [T.KeyStore, T.Signers, T.Clock],
    );
  container
    .bind(T.PayloadMaker)
    .toResolvedValue(
      (formats, hasher, typedData) => new PayloadMaker(formats, hasher, typedData),
      [T.DataFormatValidator, T.Hasher, T.TypedDataEncoder],
    );
  container.bind(T.SigningPerformance).toResolvedValue(() => new SigningPerformance());
  container
    .bind(T.SignRequestService)
    .toResolvedValue(
      (registry, payloads, signatures, audit, performance, clock, limiter, metrics) =>
        new SignRequestService(
          ...([registry, payloads, signatures, audit, performance, clock] as const),
          limiter === null ? null : new AccountLimits(limiter),
          metrics,
        ),
      [
        ...([T.RegistryHolder, T.PayloadMaker, T.SignatureMaker, T.AuditEntryService] as const),
        ...([T.SigningPerformance, T.Clock, T.AccountRateLimiter, T.Metrics] as const),
      ],
    );
  container
    .bind(T.SignBatchService)
    .toResolvedValue(
      (signing, clock, metrics) => new SignBatchService(signing, clock, metrics),
      [T.SignRequestService, T.Clock, T.Metrics],
    );
  container
    .bind(T.VerifySignatureService)
    .toResolvedValue(
      (registry, payloads, keyStore, signers, audit, clock, metrics) =>
        new VerifySignatureService(registry, payloads, keyStore, signers, audit, clock, metrics),
      [T.RegistryHolder, T.PayloadMaker, T.KeyStore, T.Signers, T.AuditEntryService, T.Clock, T.Metrics],
    );
  container
    .bind(T.AccountService)
    .toResolvedValue(
      (registry, usage, clock) => new AccountService(registry, usage, clock),
      [T.RegistryHolder, T.UsageLedger, T.Clock],
    );
  container
    .bind(T.RegistryLoader)
    .toResolvedValue(
      (source, keyStore, signers, clock) => new RegistryLoader(source, keyStore, signers, clock),
      [T.CredentialSource, T.KeyStore, T.Signers, T.Clock],
    );
  container.bind(T.ReloadService).toResolvedValue(
    (registry, loader, keyStore, audit, history, clock, log, metrics) =>
      new ReloadService({
        ...{ registry, loader, keyStore, audit, history, clock, log, metrics },
        cautionsOf: ({ permissions }, { permissions: before }) =>
          [...changeCautions(permissions, before), ...permissionCautions(permissions, identifiesCallers(settings))].map(
            ({ message, remedy }) => `${message} ${remedy}`,
          ),
        maxRemoved: settings.reloadMaxRemoved,
      }),
    [
      ...([T.RegistryHolder, T.RegistryLoader, T.KeyStore, T.AuditEntryService] as const),
      ...([T.ReloadHistory, T.Clock, T.ServiceLog, T.Metrics] as const),
    ],
  );
  container.bind(T.StatusService).toResolvedValue(
    (registry, usage, performance, sink, reloads, clock, disk) =>
      new StatusService({
        ...{ registry, usage, performance, sink, reloads, clock },
        instance: { id: settings.instanceId, version: SERVICE_VERSION },
        config: { path: settings.credentialsFile, isWatching: settings.watch },
        auditFile: { path: settings.auditFile, disk: () => disk.state },
      }),
    [T.RegistryHolder, T.UsageLedger, T.SigningPerformance, T.AuditSink, T.ReloadHistory, T.Clock, AUDIT_DISK],
  );
  container
    .bind(T.SelfTestService)
    .toResolvedValue(
      (keyStore, signers, clock) => new SelfTestService(keyStore, signers, clock),
      [T.KeyStore, T.Signers, T.Clock],
    );
  container
    .bind(T.ReadinessService)
    .toResolvedValue(
      (registry, sink, selfTest) => new ReadinessService(registry, sink, selfTest),
      [T.RegistryHolder, T.AuditSink, T.SelfTestService],
    );
  container
    .bind(T.AccountAdministrationService)
    .toResolvedValue(
      (editor, keyStore, signers, clock) => new AccountAdministrationService(editor, keyStore, signers, clock),
      [T.CredentialEditor, T.KeyStore, T.Signers, T.Clock],
    );
}
