import { pino } from 'pino'
import type { DestinationStream } from 'pino'
import type { Log } from '../../runtime/ports/index.ts'
import { textOf } from './log-text.ts'

/** Names of fields that may hold a secret, at the top level of a log line and one below. */
const secretNames = ['authorization', 'token', 'secret', 'secrets', 'key', 'password', 'cookie', 'apiKey', 'accessToken', 'refreshToken', 'masterKey']

/** Bytes buffered for a slow reader of the log; lines beyond that are dropped and counted. */
const maxBufferedBytes = 1_048_576

type Destination = DestinationStream & { readonly writableLength?: number }

/** A reader that has stopped must neither fill the memory nor block the process. */
const withoutBacklog = (destination: Destination): DestinationStream => {
  let dropped = 0
  return {
    write(line) {
      if ((destination.writableLength ?? 0) > maxBufferedBytes) {
        dropped += 1
        return
      }
      if (dropped > 0) destination.write(`${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lines: dropped, event: 'log.left_out' })}\n`)
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
  /** Lines below it are not written. */
  level?: (typeof logLevels)[number] | undefined
  /** Colours in text, for a terminal. */
  color?: boolean | undefined
}

/** Formats lines made as JSON, so that both formats are redacted in the same way. */
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
export const createLog = (destination: Destination, { format = 'json', level = 'info', color = false }: LogOptions = {}): Log => {
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

type Output = { write(text: string): unknown; readonly writableLength?: number; isTTY?: boolean | undefined; hasColors?(): boolean }

/**
 * The log of a process that prints a start banner: text on a terminal, otherwise JSON, unless set. On a terminal, lines logged before the banner
 * are held back until `release`, which must also be called when the start fails.
 */
export const openLog = (output: Output, { format, level }: LogOptions) => {
  const isTerminal = output.isTTY === true
  let held: string[] | undefined = isTerminal ? [] : undefined
  const destination: Destination = {
    get writableLength() {
      return output.writableLength ?? 0
    },
    write: (line) => void (held ? held.push(line) : output.write(line)),
  }
  return {
    log: createLog(destination, { format: format ?? (isTerminal ? 'text' : 'json'), level, color: isTerminal && output.hasColors?.() === true }),
    release() {
      const lines = held ?? []
      held = undefined
      for (const line of lines) output.write(line)
    },
  }
}
