import 'reflect-metadata';
import { Container } from 'inversify';
import { bindAdapters } from './bind-adapters.ts';
import { bindServices } from './bind-services.ts';
import type { Settings } from './settings.ts';

/**
 * Binds every port to its adapter and builds every domain service from ports: with what stands beside it in this folder, the one place that names both. Everything is a singleton and made
 * when it is first asked for, so a binding can be replaced until then:
 *
 * ```ts
 * container.rebind(TOKENS.KeyStore).toConstantValue(new MockKeyStore());
 * ```
 */
export function createContainer(settings: Settings): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  bindAdapters(container, settings);
  bindServices(container, settings);
  return container;
}
