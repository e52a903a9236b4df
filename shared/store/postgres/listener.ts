import type { Log } from '../../runtime/ports/index.ts'
import { driverOptions } from './address.ts'
import { ResettableClient } from './client.ts'

type Handler = {
  onNotified(payload: string): void
  /** Called each time the channel is heard again: notifications may have been missed before. */
  onHeard(): void
}

/** How often the connection is tried, in ms: nobody would notice its loss, since nothing is sent on it otherwise. */
const tendMs = 5_000
/** How long it may take to answer, in ms. */
const answerMs = 5_000

/** One connection that receives all notifications of the database; it is reopened when it is lost. */
export const createListener = (url: string, log: Log) => {
  const address = driverOptions(url)
  const handlers = new Map<string, Handler>()
  let client: ResettableClient | undefined
  let isHearing = false
  let isClosed = false
  let isLost = false

  const drop = (lost: ResettableClient) => {
    if (client === lost) {
      client = undefined
      isHearing = false
      if (!isLost && !isClosed)
        log('warn', 'store.notifications_lost', {
          reason:
            'This process learns of changes and of due work up to five seconds later until they are back. If they do not come back, check max_connections, and that a pooler is in session mode.',
        })
      isLost = true
    }
    lost.reset()
  }
  const open = async () => {
    const mine = new ResettableClient({
      ...address,
      application_name: 'toolyard notifications',
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    })
    client = mine
    mine.on('error', () => drop(mine))
    mine.on('end', () => drop(mine))
    mine.on('notification', ({ channel, payload = '' }) => handlers.get(channel)?.onNotified(payload))
    try {
      await mine.connect()
      // Those added meanwhile are also heard.
      for (const channel of handlers.keys()) await mine.query(`listen "${channel}"`)
      isHearing = true
      if (isLost) log('info', 'store.notifications_back')
      isLost = false
      for (const { onHeard } of handlers.values()) onHeard()
    } catch {
      drop(mine)
    }
  }
  const tend = async (): Promise<void> => {
    const mine = client
    if (isClosed || handlers.size === 0) return
    if (!mine) await open()
    else if (isHearing) await mine.query('select 1').catch(() => drop(mine))
  }
  const timer = setInterval(() => void tend(), tendMs).unref()

  return {
    async listen(channel: string, handler: Handler): Promise<void> {
      if (isClosed) return
      handlers.set(channel, handler)
      const mine = client
      if (!mine) await open()
      else if (isHearing) await mine.query(`listen "${channel}"`).then(handler.onHeard, () => drop(mine))
    },
    ignore: (channel: string) => void handlers.delete(channel),
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      await client?.close()
    },
  }
}
export type Listener = ReturnType<typeof createListener>
