import { driverOptions } from './address.ts'
import { ResettableClient } from './client.ts'

type ListenerOptions = { url: string; channel: string; answerMs: number; onNotified(): void }

/** A connection that receives the database's notifications; it is reopened when it is lost. */
export const createListener = ({ url, channel, answerMs, onNotified }: ListenerOptions) => {
  const address = driverOptions(url)
  let client: ResettableClient | undefined
  let isClosed = false

  const drop = (lost: ResettableClient) => {
    if (client === lost) client = undefined
    lost.reset()
  }
  const open = async () => {
    const mine = new ResettableClient({
      ...address,
      application_name: 'toolyard',
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
    })
    client = mine
    mine.on('error', () => drop(mine))
    mine.on('end', () => drop(mine))
    mine.on('notification', onNotified)
    try {
      await mine.connect()
      await mine.query(`listen ${channel}`)
      onNotified()
    } catch {
      drop(mine)
    }
  }

  return {
    /** Call this regularly: nothing else is sent on this connection, so nobody would notice its loss. */
    async tend(): Promise<void> {
      if (isClosed) return
      const mine = client
      if (mine) await mine.query('select 1').catch(() => drop(mine))
      else await open()
    },
    async close(): Promise<void> {
      isClosed = true
      await client?.close()
    },
  }
}
