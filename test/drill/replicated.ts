/** A primary, the standby that follows it by streaming replication, and the name that leads to the primary. */
import { Client } from 'pg'
import { until } from '../nodes/place.ts'
import { startPostgres } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres.ts'
import { openRelay } from './relay.ts'
import type { Relay } from './relay.ts'

export type Replication = 'synchronous' | 'asynchronous'

/** The rows of one statement, sent to this server itself. */
const ask = async (server: PostgresServer, statement: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: server.url('postgres') })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

export const startReplicated = async () => {
  let primary = await startPostgres()
  let standby: PostgresServer | undefined
  /** The way from the standby to the primary. */
  let link: Relay | undefined
  const ends: (() => unknown)[] = [() => primary.close()]
  const name = await openRelay(primary.port)
  ends.push(() => name.close())
  const url = (await primary.createDatabase()).replace(`:${primary.port}/`, `:${name.port}/`)
  return {
    postgres: primary,
    /** By the name. */
    url,
    /** Copies the primary into a new standby, and resolves when that one receives every commit. */
    async follow(how: Replication) {
      const from = primary
      const way = (link = await openRelay(from.port))
      ends.push(() => way.close())
      const copy = (standby = await startPostgres({
        standbyOf: { port: way.port, password: from.password },
        set: { cluster_name: 'standby' },
      }))
      ends.push(() => copy.close())
      const names = how === 'synchronous' ? 'ANY 1 (standby)' : ''
      await ask(from, `alter system set synchronous_standby_names = '${names}'`)
      await ask(from, 'select pg_reload_conf()')
      const wanted = how === 'synchronous' ? 'quorum' : 'async'
      await until(
        `the standby is ${wanted}`,
        async () =>
          (await ask(from, "select sync_state from pg_stat_replication where state = 'streaming'")).some(
            ({ sync_state: state }) => state === wanted,
          ),
        30_000,
      )
    },
    /** From now on the standby receives nothing. */
    cutLink: () => link!.cut(),
    killPrimary: () => primary.kill(),
    /** The name leads to the standby, which is not yet the primary. */
    leadToStandby: () => name.lead(standby!.port),
    async promote() {
      await ask(standby!, 'select pg_promote(true, 60)')
      primary = standby!
      name.lead(primary.port)
    },
    async close() {
      for (const end of ends.toReversed()) await end()
    },
  }
}
export type Replicated = Awaited<ReturnType<typeof startReplicated>>
