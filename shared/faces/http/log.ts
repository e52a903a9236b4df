import { pino } from 'pino'
import type { DestinationStream } from 'pino'
import type { Log } from '../../runtime/ports.ts'

/** Names under which a secret could stand in a log line, at the top and one level down. */
const secretNames = ['authorization', 'token', 'secret', 'secrets', 'key', 'password', 'cookie', 'apiKey', 'accessToken', 'refreshToken', 'masterKey']

/** So much may wait for a reader of the log that does not read; what comes then is left out and counted. */
const mostWaiting = 1_048_576

/** A reader that stands still must neither fill the memory nor hold the work up. */
const withoutBacklog = (destination: DestinationStream & { writableLength?: number }): DestinationStream => {
  let left = 0
  return {
    write(line) {
      if ((destination.writableLength ?? 0) > mostWaiting) {
        left += 1
        return
      }
      if (left > 0) destination.write(`${JSON.stringify({ level: 'warn', time: new Date().toISOString(), lines: left, event: 'log.left_out' })}\n`)
      left = 0
      destination.write(line)
    },
  }
}

/**
 * The log of the process: one JSON object per line. Lines are flat and hold ids, codes and counts, never bodies;
 * redaction is the second net below that.
 */
export const createLog = (destination: DestinationStream): Log => {
  const logger = pino(
    {
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      messageKey: 'event',
      formatters: { level: (level) => ({ level }) },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: '***' },
    },
    withoutBacklog(destination),
  )
  return (level, event, fields = {}) => logger[level](fields, event)
}
