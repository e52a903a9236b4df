import { settingFailure } from '../setting-names.ts'
import type { Setting } from '../setting-names.ts'
import { readForTraces } from '../trace-environment.ts'
import type { TraceTexts } from '../trace-environment.ts'
import type { SpanAttributes } from '../tracing.ts'
import { samplerNames } from './sampler.ts'
import type { SamplerName } from './sampler.ts'

/** OpenTelemetry's settings of traces (https://opentelemetry.io/docs/specs/otel/protocol/exporter/), checked. */
export type TraceSettings = {
  url: string
  headers: Record<string, string>
  timeoutMs: number
  resource: SpanAttributes
  sampler: SamplerName
  ratio: number
}

/** The address may hold a key, so no message repeats it. */
const readEndpoint = (name: Setting, text: string): URL => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.hash !== '')
    throw settingFailure(name, 'is not an address. Give one like http://127.0.0.1:4318.')
  if (url.username !== '' || url.password !== '')
    throw settingFailure(name, 'holds a user or a password. Give them in OTEL_EXPORTER_OTLP_HEADERS.')
  return url
}

const readUrl = (texts: TraceTexts): string => {
  const own = texts.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  if (own !== undefined) return readEndpoint('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', own).href
  const url = readEndpoint('OTEL_EXPORTER_OTLP_ENDPOINT', texts.OTEL_EXPORTER_OTLP_ENDPOINT!)
  if (url.search !== '')
    throw settingFailure(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'has a query. Give an address without one, or the full address in OTEL_EXPORTER_OTLP_TRACES_ENDPOINT.',
    )
  return `${url.href.replace(/\/$/, '')}/v1/traces`
}

/** `name=value` pairs, percent-encoded as in W3C Baggage. The text may be a secret, so no message repeats it. */
const readPairs = (name: Setting, text: string | undefined): [string, string][] =>
  (text ?? '')
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair) => {
      const [key, ...value] = pair.split('=').map((part) => part.trim())
      try {
        if (key && value.length > 0) return [decodeURIComponent(key), decodeURIComponent(value.join('='))]
      } catch {
        // Refused below, with what is not of this form.
      }
      throw settingFailure(
        name,
        'is not usable. Give name=value, comma-separated, with special characters percent-encoded (%20 for a space).',
      )
    })

/** Headers that are made from the request itself. */
const ownHeaders = new Set(['host', 'connection', 'content-length', 'content-type', 'transfer-encoding'])

const readHeaders = (texts: TraceTexts): Record<string, string> => {
  const { name: setting, text } = readForTraces(texts, 'HEADERS')
  return Object.fromEntries(
    readPairs(setting, text).map(([name, value]) => {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value) || ownHeaders.has(name.toLowerCase()))
        throw settingFailure(
          setting,
          `holds a header that cannot be sent. Use visible ASCII characters in names and values, and none of ${[...ownHeaders].join(', ')}.`,
        )
      return [name.toLowerCase(), value]
    }),
  )
}

const readTimeout = (texts: TraceTexts): number => {
  const { name, text } = readForTraces(texts, 'TIMEOUT')
  if (text === undefined) return 10_000
  const ms = /^\d{1,6}$/.test(text.trim()) ? Number(text) : 0
  if (ms < 1 || ms > 600_000) throw settingFailure(name, `is not usable: "${text}". Give whole ms from 1 to 600000.`)
  return ms
}

/** Collectors take JSON where they take `http/protobuf`, so JSON is sent for both. */
const requireHttp = (texts: TraceTexts): void => {
  const { name, text } = readForTraces(texts, 'PROTOCOL')
  if (text !== undefined && !/^http\/(json|protobuf)$/i.test(text.trim()))
    throw settingFailure(
      name,
      `is not usable: "${text}". Give http/protobuf or http/json; or set OTEL_TRACES_EXPORTER=none to send no traces.`,
    )
}

const readSampler = (text = 'parentbased_always_on'): SamplerName => {
  const sampler = samplerNames.find((name) => name === text.trim().toLowerCase())
  if (sampler === undefined)
    throw settingFailure('OTEL_TRACES_SAMPLER', `is not usable: "${text}". Give one of ${samplerNames.join(', ')}.`)
  return sampler
}

const readRatio = (text: string | undefined): number => {
  if (text === undefined) return 1
  const ratio = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text.trim()) ? Number(text) : -1
  if (ratio < 0 || ratio > 1)
    throw settingFailure('OTEL_TRACES_SAMPLER_ARG', `is not usable: "${text}". Give a number from 0 to 1.`)
  return ratio
}

const requireSwitch = (text: string | undefined): void => {
  if (text !== undefined && !/^(true|false)$/i.test(text.trim()))
    throw settingFailure('OTEL_SDK_DISABLED', `is not a switch: "${text}". Give true or false.`)
}

/** @throws Failure `invalid_input` naming the setting, what is wrong with it and the remedy */
export const readTraceSettings = (texts: TraceTexts): TraceSettings => {
  requireSwitch(texts.OTEL_SDK_DISABLED)
  requireHttp(texts)
  const attributes = readPairs('OTEL_RESOURCE_ATTRIBUTES', texts.OTEL_RESOURCE_ATTRIBUTES)
  const service = texts.OTEL_SERVICE_NAME?.trim()
  return {
    url: readUrl(texts),
    headers: readHeaders(texts),
    timeoutMs: readTimeout(texts),
    resource: {
      'service.name': 'toolyard',
      ...Object.fromEntries(attributes),
      ...(service === undefined ? {} : { 'service.name': service }),
    },
    sampler: readSampler(texts.OTEL_TRACES_SAMPLER),
    ratio: readRatio(texts.OTEL_TRACES_SAMPLER_ARG),
  }
}
