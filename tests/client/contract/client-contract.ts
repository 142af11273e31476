import { itAuthenticates } from './authentication.ts';
import { ClientDriver, type DriverTransport } from './driver.ts';
import { itHandlesFailures } from './failures.ts';
import { itSendsRequests } from './requests-to-send.ts';
import { itUsesTheSecuredService, itUsesTheService, itVerifiesSignatures } from './service.ts';

/**
 * The contract of every client (docs/callers/clients.md). Other languages run in a process.
 *
 * @param hasEd25519 whether it authenticates and verifies signatures; Python needs a package
 */
export function itFollowsTheContract(makeTransport: () => DriverTransport, hasEd25519 = true): void {
  let driver: ClientDriver;
  const getDriver = () => driver;
  before(() => {
    driver = new ClientDriver(makeTransport());
  });
  after(() => driver.end());

  describe('with scripted responses', () => itHandlesFailures(getDriver));
  describe('with a scripted venue', () => itSendsRequests(getDriver));
  describe('with the service', () => itUsesTheService(getDriver));
  if (!hasEd25519) return;
  describe('with scripted responses and access tokens', () => itAuthenticates(getDriver));
  describe('verifying signatures', () => itVerifiesSignatures(getDriver));
  describe('with the service, client certificates and access tokens', () => itUsesTheSecuredService(getDriver));
}
