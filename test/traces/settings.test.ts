import { describe, expect, it } from 'vitest'
import { readConfiguration } from '../../shared/settings.ts'
import { readTraceSettings } from '../../shared/traces/settings.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
const read = (env: Record<string, string>) => {
  const { traces } = readConfiguration(env, '/srv/pack')
  return traces && readTraceSettings(traces)
}

describe('settings of traces', () => {
  it('have the defaults of OpenTelemetry', () => {
    expect(read(endpoint)).toEqual({
      url: 'http://127.0.0.1:4318/v1/traces',
      headers: {},
      timeoutMs: 10_000,
      resource: { 'service.name': 'toolyard' },
      sampler: 'parentbased_always_on',
      ratio: 1,
    })
  })

  it('are all read', () => {
    expect(
      read({
        ...endpoint,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/own/path?tenant=a',
        OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20a%2Cb%3D, x-scope = team ',
        OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_SERVICE_NAME: 'tools',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=te%20st',
        OTEL_TRACES_SAMPLER: 'traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '.25',
        OTEL_SDK_DISABLED: 'false',
      }),
    ).toEqual({
      url: 'https://collector.example/own/path?tenant=a',
      headers: { authorization: 'Bearer a,b=', 'x-scope': 'team' },
      timeoutMs: 2500,
      resource: { 'service.name': 'tools', 'deployment.environment.name': 'te st' },
      sampler: 'traceidratio',
      ratio: 0.25,
    })
  })

  it('keep the path of an address', () => {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/' })?.url).toBe(
      'https://collector.example/otlp/v1/traces',
    )
  })

  it.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'True' }],
    // Those of another program in the same environment.
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'xray' }],
  ])('mean no traces: %o', (env) => expect(readConfiguration(env, '/srv/pack').traces).toBeUndefined())

  it('are not checked by commands that send no traces', () => {
    expect(() => readConfiguration({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, '/srv/pack')).not.toThrow()
  })

  it.each<[Record<string, string>, string]>([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'canary:4317' },
      'OTEL_EXPORTER_OTLP_ENDPOINT is not an address. Give one like http',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://canary@host' },
      'ENDPOINT holds a user or a password. Give them in OTEL_EX',
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://host/?key=canary' }, 'OTEL_EXPORTER_OTLP_ENDPOINT has a query. Give'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'canary' }, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is not an address'],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", but only http/json is supported'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'canary' }, 'OTEL_EXPORTER_OTLP_HEADERS is not usable. Give name=value'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'key=canary%2' }, 'OTEL_EXPORTER_OTLP_HEADERS is not usable. Give name=value'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'key=canary%0A' }, 'OTEL_EXPORTER_OTLP_HEADERS holds a header that cannot be sent'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'Host=canary' }, 'none of host, connection'],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, 'OTEL_EXPORTER_OTLP_TIMEOUT is not usable: "10s". Give whole ms from 1'],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'team' }, 'OTEL_RESOURCE_ATTRIBUTES is not usable. Give name=value'],
    [{ OTEL_TRACES_SAMPLER: 'xray' }, 'OTEL_TRACES_SAMPLER is not usable: "xray". Give one of always_on, always_off'],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG is not usable: "1.5". Give a number from 0 to 1'],
    [{ OTEL_SDK_DISABLED: '1' }, 'OTEL_SDK_DISABLED is not a switch: "1". Give true or false.'],
  ])('%o: %s', (env, message) => {
    const readAll = () => read({ ...endpoint, ...env })
    expect(readAll).toThrow(message)
    expect(readAll).not.toThrow(/canary/)
  })
})
