import { describe, expect, it } from 'vitest'
import { readConfiguration } from '../../shared/settings.ts'
import { readTraceSettings } from '../../shared/traces/settings.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
const read = (env: Record<string, string>) => {
  const { traces } = readConfiguration(env, '/srv/pack')
  if (traces && 'refused' in traces) throw new Error(traces.refused.reason)
  return traces && readTraceSettings(traces.read())
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

  it.each([['http/protobuf'], ['http/json'], [' HTTP/Protobuf'], ['']])(
    'send traces with the protocol "%s"',
    (protocol) =>
      expect(read({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: protocol })?.url).toBe('http://127.0.0.1:4318/v1/traces'),
  )

  it('for traces alone take precedence, unless they are empty', () => {
    const all = {
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'key=all',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    }
    const own = {
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'key=own',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2000',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    }
    expect(read({ ...all, ...own })).toMatchObject({ headers: { key: 'own' }, timeoutMs: 2000 })
    const empty = { OTEL_EXPORTER_OTLP_TRACES_HEADERS: '', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: ' ' }
    expect(read({ ...all, ...own, ...empty })).toMatchObject({ headers: { key: 'all' }, timeoutMs: 1000 })
  })

  it.each([['otlp'], ['console, OTLP'], [' ']])('send traces with the exporter "%s"', (exporter) =>
    expect(read({ ...endpoint, OTEL_TRACES_EXPORTER: exporter })).toBeDefined(),
  )

  it.each<[string, Record<string, string>]>([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
    [
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'GRPC' },
    ],
  ])('with grpc in %s send none, and nothing else is checked', (setting, protocols) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317', OTEL_EXPORTER_OTLP_HEADERS_FILE: '/none' }
    expect(readConfiguration({ ...env, ...protocols }, '/srv/pack').traces).toEqual({
      refused: {
        setting,
        reason: `${setting} is grpc, which is not supported, so no traces are sent.`,
        remedy: expect.stringMatching(/Set it to http\/protobuf, .* port 4318; or set OTEL_TRACES_EXPORTER=none\./),
      },
    })
  })

  it.each([['jaeger_remote'], ['Parentbased_Jaeger_Remote'], ['xray']])(
    'with the sampler %s, which asks a server, send none',
    (sampler) =>
      expect(readConfiguration({ ...endpoint, OTEL_TRACES_SAMPLER: sampler }, '/srv/pack').traces).toEqual({
        refused: {
          setting: 'OTEL_TRACES_SAMPLER',
          reason: `OTEL_TRACES_SAMPLER is ${sampler.toLowerCase()}, which is not supported, so no traces are sent.`,
          remedy: expect.stringMatching(/^Set it to parentbased_always_on .*; or set OTEL_TRACES_EXPORTER=none\.$/),
        },
      }),
  )

  it('keep the path of an address', () => {
    expect(read({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/' })?.url).toBe(
      'https://collector.example/otlp/v1/traces',
    )
  })

  it.each([
    [{}],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'True' }],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'console,zipkin', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
    // Those of another program in the same environment.
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_SAMPLER: 'xray' }],
  ])('mean no traces: %o', (env) => expect(readConfiguration(env, '/srv/pack').traces).toBeUndefined())

  it('are not checked by commands that send no traces', () => {
    const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317', OTEL_EXPORTER_OTLP_HEADERS_FILE: '/none' }
    expect(() => readConfiguration(wrong, '/srv/pack')).not.toThrow()
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
    [
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/xml' },
      'OTEL_EXPORTER_OTLP_PROTOCOL is not usable: "http/xml". Give http/protobuf or http/json; or set OTEL_TRACES_EX',
    ],
    [{ OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'thrift' }, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is not usable: "thrift"'],
    [{ OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'canary' }, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS is not usable. Give name='],
    [{ OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '0' }, 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT is not usable: "0". Give whole ms'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'canary' }, 'OTEL_EXPORTER_OTLP_HEADERS is not usable. Give name=value'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'key=canary%2' }, 'OTEL_EXPORTER_OTLP_HEADERS is not usable. Give name=value'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'key=canary%0A' }, 'OTEL_EXPORTER_OTLP_HEADERS holds a header that cannot be sent'],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'Host=canary' }, 'none of host, connection'],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: '10s' }, 'OTEL_EXPORTER_OTLP_TIMEOUT is not usable: "10s". Give whole ms from 1'],
    [{ OTEL_RESOURCE_ATTRIBUTES: 'team' }, 'OTEL_RESOURCE_ATTRIBUTES is not usable. Give name=value'],
    [{ OTEL_TRACES_SAMPLER: 'some' }, 'OTEL_TRACES_SAMPLER is not usable: "some". Give one of always_on, always_off'],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG is not usable: "1.5". Give a number from 0 to 1'],
    [{ OTEL_SDK_DISABLED: '1' }, 'OTEL_SDK_DISABLED is not a switch: "1". Give true or false.'],
  ])('%o: %s', (env, message) => {
    const readAll = () => read({ ...endpoint, ...env })
    expect(readAll).toThrow(message)
    expect(readAll).not.toThrow(/canary/)
  })
})
