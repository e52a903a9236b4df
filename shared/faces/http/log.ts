import { pino } from 'pino'
import type { DestinationStream } from 'pino'
import type { Log } from '../../runtime/ports.ts'

/** Names under which a secret could stand in a log line, at the top and one level down. */
const secretNames = ['authorization', 'token', 'secret', 'secrets', 'key', 'password', 'cookie', 'apiKey', 'accessToken', 'refreshToken', 'masterKey']

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
    destination,
  )
  return (level, event, fields = {}) => logger[level](fields, event)
}
