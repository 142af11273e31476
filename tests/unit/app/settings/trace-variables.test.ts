import { expect } from 'chai';
import { readServiceSettings, readSettings } from '../../../../src/app/settings/settings.ts';
import { findTraceEndpoint } from '../../../../src/app/settings/trace-variables.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';

const URL_ONE = 'http://collector:4318';

describe('The variables of OpenTelemetry', () => {
  it('send traces when an endpoint is set, unless they are disabled', () => {
    expect(findTraceEndpoint({})).to.equal(null);
    expect(findTraceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).to.equal(null);
    expect(findTraceEndpoint({ OTEL_EXPORTER_OTLP_ENDPOINT: URL_ONE })).to.equal(URL_ONE);
    const both = { OTEL_EXPORTER_OTLP_ENDPOINT: URL_ONE, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/v1' };
    expect(findTraceEndpoint(both)).to.equal('https://traces/v1');
    expect(findTraceEndpoint({ ...both, OTEL_SDK_DISABLED: 'True' })).to.equal(null);
    expect(findTraceEndpoint({ ...both, OTEL_TRACES_EXPORTER: 'none' })).to.equal(null);
  });

  it('prevent the start of the service with a malformed endpoint, but no command', () => {
    for (const endpoint of ['collector:4318', 'grpc://collector', 'x']) {
      const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
      expect(() => readServiceSettings(environment)).to.throw(OperatorError, 'OTEL_EXPORTER_OTLP_ENDPOINT must be');
      expect(readSettings(environment).traceEndpoint).to.equal(endpoint);
      expect(() => readServiceSettings({ ...environment, OTEL_SDK_DISABLED: 'true' })).not.to.throw();
    }
  });

  it('are not shown with the settings', () => {
    const { shown } = readSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:Xy7-pass@collector' });
    expect(JSON.stringify(shown)).not.to.include('Xy7-pass');
  });
});
