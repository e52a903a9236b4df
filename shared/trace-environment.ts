import { readSecret } from './secret-files.ts'
import { fileSettings, isTraceSetting } from './setting-names.ts'
import type { Environment, TraceSetting } from './setting-names.ts'

/** The texts of OpenTelemetry's settings, unchecked. */
export type TraceTexts = Partial<Record<TraceSetting, string>>

/**
 * What OpenTelemetry's settings ask for: traces, whose settings `read` reads, with the file that may hold headers; or
 * something that OpenTelemetry has and this server does not. `read` throws `invalid_input` for a file that is not usable.
 */
export type TraceEnvironment =
  | { read(): TraceTexts }
  | { refused: { setting: TraceSetting; reason: string; remedy: string } }

/** A setting of the exporter. The one for traces alone takes precedence. */
export const readForTraces = (texts: TraceTexts, what: 'PROTOCOL' | 'HEADERS' | 'TIMEOUT') => {
  const own = `OTEL_EXPORTER_OTLP_TRACES_${what}` as const
  const name = texts[own] === undefined ? (`OTEL_EXPORTER_OTLP_${what}` as const) : own
  return { name, text: texts[name] }
}

const headerFiles = ['OTEL_EXPORTER_OTLP_TRACES_HEADERS_FILE', 'OTEL_EXPORTER_OTLP_HEADERS_FILE'] as const

const withHeaders = (texts: TraceTexts, env: Environment, cwd: string): TraceTexts => {
  for (const fileSetting of headerFiles) {
    const secret = readSecret(fileSetting, env, cwd)
    if (secret) return { ...texts, [fileSettings[fileSetting]]: secret.text }
  }
  return texts
}

const isWanted = (texts: TraceTexts) => {
  const exporters = (texts.OTEL_TRACES_EXPORTER ?? 'otlp').split(',').map((name) => name.trim().toLowerCase())
  const endpoint = texts.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? texts.OTEL_EXPORTER_OTLP_ENDPOINT
  const isDisabled = texts.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true'
  return endpoint !== undefined && exporters.includes('otlp') && !isDisabled
}

/** Samplers of OpenTelemetry that ask a server which traces to record. */
const remoteSamplers = ['jaeger_remote', 'parentbased_jaeger_remote', 'xray']

/** The first setting that is valid for OpenTelemetry and not supported here. */
const findUnsupported = (texts: TraceTexts) => {
  const { name, text } = readForTraces(texts, 'PROTOCOL')
  const refuse = (setting: TraceSetting, value: string, remedy: string) => ({
    setting,
    reason: `${setting} is ${value}, which is not supported, so no traces are sent.`,
    remedy: `${remedy}; or set OTEL_TRACES_EXPORTER=none.`,
  })
  if (text?.trim().toLowerCase() === 'grpc')
    return refuse(
      name,
      'grpc',
      "Set it to http/protobuf, and give the collector's address for HTTP, usually with port 4318",
    )
  const sampler = texts.OTEL_TRACES_SAMPLER?.trim().toLowerCase() ?? ''
  if (remoteSamplers.includes(sampler))
    return refuse('OTEL_TRACES_SAMPLER', sampler, 'Set it to parentbased_always_on or parentbased_traceidratio')
  return undefined
}

/**
 * Checks nothing and reads no file: the settings may be for other programs in the same environment, and most commands
 * send no traces. An empty setting counts as unset, as OpenTelemetry's specification says. Undefined: no traces.
 */
export const readTraceEnvironment = (env: Environment, cwd: string): TraceEnvironment | undefined => {
  const filled = Object.fromEntries(
    Object.entries(env).filter(([name, text]) => !isTraceSetting(name) || text?.trim()),
  ) as Environment
  const texts = Object.fromEntries(Object.entries(filled).filter(([name]) => isTraceSetting(name))) as TraceTexts
  if (!isWanted(texts)) return undefined
  const refused = findUnsupported(texts)
  return refused ? { refused } : { read: () => withHeaders(texts, filled, cwd) }
}
