import { setTimeout as wait } from 'node:timers/promises'
import { failures } from '#kit'
import type { ConnectionView } from '../../runtime/connections/connections.ts'
import type { Client } from './client.ts'
import { readMs, shortTime } from './subscriptions.ts'
import { plain } from './table.ts'
import type { Terminal } from './terminal.ts'

type Asked = {
  integration: string
  type?: string
  name?: string
  profile?: string
  connection?: string
  externalId?: string
  returnTo?: string
  expires?: string
  wait: boolean
  json?: boolean
}

const askEveryMs = 1_000

/** Only an account that the provider has confirmed is reported as connected. */
const sentenceOf = ({ id, name, state }: ConnectionView) =>
  state === 'unverified'
    ? `Saved: "${plain(name)}" (${id}). Its state becomes connected once a first step succeeds.\n`
    : `Connected: "${plain(name)}" (${id}).\n`

/** A connection that is new or was renewed. */
const connectedSince = (before: Map<string, ConnectionView>, now: ConnectionView[]) =>
  now.find((row) => before.get(row.id)?.updatedAt !== row.updatedAt && (row.state === 'connected' || row.state === 'unverified'))

/** `toolyard connect`: prints the address to open in a browser and waits until the account is connected. */
export const connect = async (client: Client, terminal: Terminal, asked: Asked): Promise<number> => {
  try {
    const { operator } = client
    const { integration, type, name, profile, connection, json = false } = asked
    const before = new Map((await operator.connections(integration)).map((row) => [row.id, row]))
    const { externalId, returnTo, expires } = asked
    const expiresInMs = expires === undefined ? undefined : readMs(expires, 'expires')
    const started = await operator.authorize({ integration, type, name, profile, connection, externalId, returnTo, expiresInMs })
    if (!asked.wait) {
      terminal.out(json ? `${JSON.stringify(started)}\n` : `${started.url}\n`)
      return 0
    }
    terminal.err(
      `Open this address in your browser; it can be used once, until ${shortTime(started.expiresAt)} UTC. Ctrl-C stops waiting.\n\n  ${started.url}\n\n`,
    )
    const end = Date.parse(started.expiresAt)
    while (Date.now() < end && !terminal.signal.aborted) {
      const done = connectedSince(before, await operator.connections(integration))
      if (done) {
        terminal.out(json ? `${JSON.stringify(done)}\n` : sentenceOf(done))
        return 0
      }
      await wait(askEveryMs, undefined, { signal: terminal.signal }).catch(() => undefined)
    }
    terminal.err(terminal.signal.aborted ? 'Stopped waiting; the address works until it expires.\n' : 'No account was connected in time.\n')
    return terminal.signal.aborted ? failures.cancelled.exit : failures.not_connected.exit
  } finally {
    await client.close()
  }
}
