/** Two servers on one PostgreSQL database that work for long do not grow, and neither does the database. */
import { expect, test } from 'vitest'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import { row } from '../bench/support.ts'
import { openView, viewSettings } from './database-view.ts'
import type { TableView } from './database-view.ts'
import { openMemoryLimit } from './memory-limit.ts'
import { draw, keep } from './soak-report.ts'
import { durationMs, growthOf, inMegabytes, load, minutes, over, perSecond, soakRows } from './soak-load.ts'
import { openProvider, serve } from './soak-provider.ts'
import { settingOf, startServer, endServer } from './soak-start.ts'

const name = 'soak of two servers on PostgreSQL'
/** Of a small machine, for each server, in bytes. */
const memory = 512 * 2 ** 20
const shown = 12

const soak = test.skipIf(postgresIsMissing())
soak(`${minutes} minutes on two servers leave them and the database as they were after the first quarter`, async () => {
  const postgres = await startPostgres({ set: viewSettings })
  const databaseUrl = await postgres.createDatabase()
  const view = await openView(databaseUrl)
  const provider = await openProvider()
  const agent = await serve(async () => ({ status: 200, body: '{}' }))
  const setting = settingOf(provider, agent.origin, { directory: '', databaseUrl })
  const limits = [openMemoryLimit(memory), openMemoryLimit(memory)]
  const first = await startServer(setting, limits[0])
  const servers = [first, await startServer(setting, limits[1], first.ready)]
  try {
    const before = provider.polls()
    const tables: (TableView & { minute: number })[] = []
    const began = performance.now()
    await view.countAnew()
    const loaded = await load(servers, first.ready, setting.board, setting.secret, async () => {
      const snapshot = await view.tables()
      tables.push({ ...snapshot, minute: (performance.now() - began) / 60_000 })
      return snapshot.bytes
    })
    const { top, calls, ms } = await view.statements(shown)
    const bloat = await view.bloat(shown)
    for (const { sql, ...figures } of top)
      console.log(JSON.stringify(figures), sql.replaceAll(/\s+/g, ' ').slice(0, 160))
    for (const table of bloat) console.log(JSON.stringify(table))
    const worked = (perSecond.runs + perSecond.events) * (durationMs / 1000)
    const bytes = bloat.reduce((sum, table) => sum + table.bytes, 0)
    const rows = [
      ...soakRows(name, { ...loaded, polls: provider.polls() - before }),
      row(`${name}: dead rows for each row, last quarter / second quarter`, growthOf(tables, 'dead'), 'x'),
      row(`${name}: dead rows for each row at the end`, over(tables, 'dead', 0.75, 2), 'x'),
      row(
        `${name}: share of the largest tables that no row uses`,
        bloat.reduce((sum, table) => sum + table.free * table.bytes, 0) / bytes,
        'x',
      ),
      row(`${name}: runs of autovacuum`, tables.at(-1)!.vacuums - tables[0]!.vacuums, 'runs'),
      row(
        `${name}: connections of both servers, at most`,
        Math.max(...tables.map(({ connections }) => connections)),
        'connections',
        '<= 16',
      ),
      row(`${name}: statements for each run or event`, calls / worked, 'statements'),
      row(`${name}: time in the database for each run or event`, (ms * 1000) / worked, 'µs'),
    ]
    for (const limit of limits.filter((each) => each !== undefined))
      rows.push(row(`${name}: processes that a container of 512 MB ended`, limit.kills(), 'processes', '= 0'))
    keep('soak-nodes', rows, draw('two servers on PostgreSQL', inMegabytes(loaded.taken)))
    expect(loaded.failures).toEqual([])
    expect(rows.filter(({ holds }) => holds === false)).toEqual([])
  } finally {
    for (const server of servers) await endServer(server)
    for (const limit of limits) limit?.close()
    agent.close()
    await provider.close()
    await view.close()
    await postgres.close()
  }
})
