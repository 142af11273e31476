/** A client whose signatures are compared, by package. */
export interface SdkPackage {
  readonly name: string;
  /** Exact version. */
  readonly version: string;
  /** Published by the venue; else widely used. */
  readonly isOfficial: boolean;
  /** Its name on the npm registry, if it is installed under another name. */
  readonly registryName?: string;
}

/**
 * Dependencies of npm packages are the newest before this day, for the same installation each time.
 */
export const NPM_BEFORE = '2026-11-25';

/** Clients on the npm registry. */
export const NPM_PACKAGES: readonly SdkPackage[] = [
  { name: '@binance/connector', version: '3.6.1', isOfficial: true },
  { name: '@binance/spot', version: '32.0.4', isOfficial: true },
  { name: '@cosmjs/proto-signing', version: '0.39.0', isOfficial: true },
  { name: '@dydxprotocol/v4-client-js', version: '3.6.0', isOfficial: true },
  { name: '@nktkas/hyperliquid', version: '0.33.3', isOfficial: false },
  { name: '@polymarket/clob-client', version: '5.8.1', isOfficial: true },
  { name: 'binance', version: '3.6.5', isOfficial: false },
  { name: 'bitget-api', version: '3.2.3', isOfficial: false },
  { name: 'bitmex-node', version: '1.9.0', isOfficial: false },
  { name: 'bitvavo', version: '1.4.1', isOfficial: true },
  { name: 'bybit-api', version: '4.7.7', isOfficial: false },
  { name: 'ccxt', version: '4.5.84', isOfficial: false },
  // The last versions sign Aster's API v3 only.
  { name: 'ccxt-aster-v1', registryName: 'ccxt', version: '4.5.40', isOfficial: false },
  { name: 'coinbase-api', version: '1.2.6', isOfficial: false },
  { name: 'gate-api', version: '7.2.144', isOfficial: true },
  { name: 'gateio-api', version: '1.6.4', isOfficial: false },
  { name: 'hyperliquid', version: '1.7.7', isOfficial: false },
  { name: 'kraken-api', version: '1.0.2', isOfficial: false },
  { name: 'kucoin-universal-sdk', version: '1.3.0', isOfficial: true },
  { name: 'mexc-api-sdk', version: '1.0.3', isOfficial: true },
  { name: 'okx-api', version: '3.2.3', isOfficial: false },
];

/** What ccxt loads for dYdX, but does not depend on. */
export const NPM_ADDITIONS = ['protobufjs@7.6.6'];

/** Clients on PyPI. */
export const PYTHON_PACKAGES: readonly SdkPackage[] = [
  { name: 'binance-fix-connector', version: '1.2.0', isOfficial: true },
  { name: 'bpx-py', version: '2.0.11', isOfficial: false },
  { name: 'coinbase-advanced-py', version: '1.8.4', isOfficial: true },
  { name: 'hyperliquid-python-sdk', version: '0.24.0', isOfficial: true },
  { name: 'py-clob-client', version: '0.34.6', isOfficial: true },
  { name: 'pybit', version: '5.17.0', isOfficial: true },
  { name: 'python-bitvavo-api', version: '1.4.3', isOfficial: true },
  { name: 'python-kraken-sdk', version: '3.5.1', isOfficial: false },
  { name: 'python-okx', version: '0.4.4', isOfficial: true },
];

/** Dependencies of {@link PYTHON_WITHOUT_DEPENDENCIES}. */
export const PYTHON_ADDITIONS = ['PyJWT==2.15.1', 'backoff==2.2.1'];

/**
 * Installed without its dependencies: `coinbase-advanced-py` requires an older `websockets` than
 * `python-kraken-sdk`, for messages that are not recorded here.
 */
export const PYTHON_WITHOUT_DEPENDENCIES = ['coinbase-advanced-py'];

/** `package version`, marked with `*` if the venue publishes it. */
export function describeSource(name: string): string {
  const found = [...NPM_PACKAGES, ...PYTHON_PACKAGES].find((one) => one.name === name);
  if (found === undefined) throw new Error(`${name} is not listed.`);
  return `${name} ${found.version}${found.isOfficial ? ' *' : ''}`;
}
