import { openSqliteStore } from '../../shared/store/index.ts'
import { event, run, start } from './make.ts'

/**
 * Child of the kill test: writes runs and arrivals from several loops and prints an id only when its write was
 * acknowledged.
 */
const [directory, loops] = process.argv.slice(2) as [string, string]
const store = await openSqliteStore({ directory, now: Date.now })
const write = async (loop: number): Promise<void> => {
  for (let index = 0; ; index += 1) {
    const id = `${process.pid}-${loop}-${index}`
    const cursor = {
      tenant: 'kill',
      connection: 'c1',
      model: `loop:${loop}`,
      position: id,
      historyPosition: null,
      at: index,
      listedAt: 0,
    }
    await Promise.all([
      store.runs.record(run('kill', id, { createdAt: Date.now() })),
      store.ingest({ events: [event('kill', id)], starts: [start('kill', id, { event: id })], cursor }),
    ])
    process.stdout.write(`${id}\n`)
  }
}
await Promise.all(Array.from({ length: Number(loops) }, (_, loop) => write(loop)))
