import { pino } from 'pino'
import type { DestinationStream } from 'pino'
import type { Log } from '../../runtime/ports/index.ts'
import { textOf } from './log-text.ts'

/** Names of fields that may hold a secret, at the top level of a log line and one below. */
const secretNames = [
  'authorization',
  'token',
  'secret',
  'secrets',
  'key',
  'password',
  'cookie',
  'apiKey',
  'accessToken',
  'refreshToken',
  'masterKey',
]

/** Bytes buffered for a slow reader of the log; lines beyond that are dropped and counted. */
const maxBufferedBytes = 1_048_576

type Destination = DestinationStream & { readonly writableLength?: number }

/** Drops lines while the reader is stalled: it must neither fill the memory nor block the process. */
const withoutBacklog = (destination: Destination): DestinationStream => {
  let dropped = 0
  return {
    write(line) {
      if ((destination.writableLength ?? 0) > maxBufferedBytes) {
        dropped += 1
        return
      }
      if (dropped > 0)
        destination.write(
          `${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lines: dropped, event: 'log.left_out' })}\n`,
        )
      dropped = 0
      destination.write(line)
    },
  }
}

export const logFormats = ['json', 'text'] as const
export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogOptions = {
  /** `json`: one object per line, for programs; `text`: one line for a person. */
  format?: (typeof logFormats)[number] | undefined
  /** The lowest level that is written. */
  level?: (typeof logLevels)[number] | undefined
  /** Colours in text, for a terminal. */
  color?: boolean | undefined
}

/** Formats lines that were made as JSON, so that both formats are redacted in the same way. */
const asText = (destination: Destination, color: boolean): Destination => ({
  get writableLength() {
    return destination.writableLength ?? 0
  },
  write: (line) => destination.write(textOf(line, color)),
})

/**
 * The log of the process, one line per event. Lines are flat and hold ids, codes and counts, never bodies;
 * redaction is a second safeguard.
 */
export const createLog = (
  destination: Destination,
  { format = 'json', level = 'info', color = false }: LogOptions = {},
): Log => {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      messageKey: 'event',
      formatters: { level: (level) => ({ level }) },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '***' },
    },
    withoutBacklog(format === 'text' ? asText(destination, color) : destination),
  )
  return (level, event, fields = {}) => logger[level](fields, event)
}

type Output = {
  write(text: string): unknown
  readonly writableLength?: number
  isTTY?: boolean | undefined
  hasColors?(): boolean
}

/**
 * The log of a process: text on a terminal, otherwise JSON, unless `format` is set. A terminal shows the greeting of
 * the server with its link, which a line per console request would push out of sight; so successful requests are logged
 * there only if a level was chosen.
 */
export const openLog = (output: Output, { format, level }: LogOptions): Log => {
  const isTerminal = output.isTTY === true
  const color = isTerminal && output.hasColors?.() === true
  const log = createLog(output, { format: format ?? (isTerminal ? 'text' : 'json'), level, color })
  if (!isTerminal || level !== undefined) return log
  return (lineLevel, event, fields) => {
    if (event !== 'request' || lineLevel !== 'info') log(lineLevel, event, fields)
  }
}
