import { OperatorError } from '../../domain/model/errors.ts';

/** Optional packages, which operators install. All are compatible with Node 20. */
export const OPENTELEMETRY_PACKAGES = {
  '@opentelemetry/api': '1.9.1',
  '@opentelemetry/exporter-trace-otlp-http': '0.223.1',
  '@opentelemetry/resources': '2.12.1',
  '@opentelemetry/sdk-trace-base': '2.12.1',
} as const;

// --save-prod: they are development dependencies of this package, which --omit=dev leaves out.
const INSTALL = `npm install --no-save --save-prod --omit=dev ${Object.entries(OPENTELEMETRY_PACKAGES)
  .map(([name, version]) => `${name}@${version}`)
  .join(' ')}`;

/** The packages of OpenTelemetry, as `OtlpTraces` uses them. */
export interface OpenTelemetry {
  readonly api: typeof import('@opentelemetry/api');
  readonly sdk: typeof import('@opentelemetry/sdk-trace-base');
  readonly exporter: typeof import('@opentelemetry/exporter-trace-otlp-http');
  readonly resources: typeof import('@opentelemetry/resources');
}

/**
 * Imports the optional packages of OpenTelemetry, from the node_modules folders beside and above
 * this program, as Node resolves imports.
 * @throws OperatorError with the command to install them
 */
export async function loadOpenTelemetry(load: () => Promise<OpenTelemetry> = importPackages): Promise<OpenTelemetry> {
  try {
    return await load();
  } catch (error) {
    throw new OperatorError(
      'A trace endpoint is set (OTEL_EXPORTER_OTLP_ENDPOINT), but the optional packages of OpenTelemetry cannot be ' +
        `loaded. Run \`${INSTALL}\` in the folder of this program, or set OTEL_SDK_DISABLED=true.`,
      { cause: error },
    );
  }
}

async function importPackages(): Promise<OpenTelemetry> {
  const [api, sdk, exporter, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  return { api, sdk, exporter, resources };
}
