/**
 * A server that works for long does not grow: memory, file, open handles and latency after the first quarter stay what
 * they are, in the memory of a small machine.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { row } from '../bench/support.ts'
import { openMemoryLimit } from './memory-limit.ts'
import { draw, keep } from './soak-report.ts'
import { inMegabytes, load, minutes, soakRows } from './soak-load.ts'
import { openProvider, serve } from './soak-provider.ts'
import { settingOf, startServer, endServer } from './soak-start.ts'

/** Of a small machine, in bytes. */
const memory = 512 * 2 ** 20

test(`${minutes} minutes of runs, events and polls leave the server as it was after the first quarter`, async () => {
  const provider = await openProvider()
  const agent = await serve(async () => ({ status: 200, body: '{}' }))
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-soak-'))
  const setting = settingOf(provider, agent.origin, { directory })
  const limit = openMemoryLimit(memory)
  const server = await startServer(setting, limit)
  try {
    const before = provider.polls()
    const loaded = await load([server], server.ready, setting.board, setting.secret)
    const rows = soakRows('soak', { ...loaded, polls: provider.polls() - before })
    if (limit)
      rows.push(
        row('soak: most memory of its container of 512 MB, with cached files', limit.most() / 2 ** 20, 'MB', '<= 512'),
        row('soak: processes that the container ended for want of memory', limit.kills(), 'processes', '= 0'),
      )
    keep('soak', rows, draw('one server with the embedded store', inMegabytes(loaded.taken)))
    expect(loaded.failures).toEqual([])
    expect(rows.filter(({ holds }) => holds === false)).toEqual([])
  } finally {
    await endServer(server)
    limit?.close()
    agent.close()
    await provider.close()
    rmSync(directory, { recursive: true, force: true })
  }
})
