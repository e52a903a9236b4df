import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteStore, systemClock } from '../../shared/pack.ts'
import type { Pack, Store } from '../../shared/pack.ts'
import type { NewBulkJob } from '../../shared/runtime/bulk-jobs/bulk-jobs.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox, ContactSandboxOptions } from '../../shared/sandbox/contact/index.ts'
import { createCloser } from '../support/closing.ts'
import { knownEmails } from '../support/people.ts'
import { caller, openWorld } from '../support/world.ts'

export const emailOf = (place: number) => knownEmails[place]!
/** A file with one column of people who are known. */
export const peopleFile = (rows: number) => `email\n${knownEmails.slice(0, rows).join('\n')}\n`

type Meanwhile = (store: Store) => Promise<void>

/** A pack on disk with the contact sandbox connected, whose clock can be moved on. */
export const openJobsWorld = async (options: ContactSandboxOptions = {}) => {
  const { close, add } = createCloser()
  const sandbox = await startContactSandbox({ limits: { requests: 100_000, windowMs: 1_000 }, ...options })
  add(() => sandbox.close())
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-jobs-'))
  add(() => rmSync(directory, { recursive: true, force: true }))
  let ahead = 0
  const now = () => Date.now() + ahead
  const open = async (meanwhile?: Meanwhile) => {
    const store = await openSqliteStore({ directory, now })
    await meanwhile?.(store)
    const world = await openWorld({
      store,
      masterKey: Buffer.alloc(32, 7),
      clock: { ...systemClock, now },
      providers: { 'contact-data': sandbox },
      wire: { 'contact-data': { pace: { limits: [], concurrency: 50 } } },
    })
    add(world.close)
    if ((await world.pack.connections.list(caller)).length === 0)
      await world.connect('contact-data', { name: 'Contacts' })
    return world
  }
  let world = await open()
  return {
    ...world,
    sandbox,
    moveOn: (ms: number) => void (ahead += ms),
    now,
    /** `meanwhile`: what another process left in the store. */
    async reopen(meanwhile?: Meanwhile) {
      await world.close()
      world = await open(meanwhile)
      return world.pack
    },
    close,
  }
}

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
export const upload = async (pack: Pack, text: string, name = 'people.csv', by = caller) =>
  (await pack.files.create(by, { name, content: bytesOf(text) })).id
export const create = async (pack: Pack, text: string, request: Partial<NewBulkJob> = {}, name?: string, by = caller) =>
  pack.jobs.create(by, { integration: 'contact-data', ...request, file: await upload(pack, text, name, by) })

export const until = async (pack: Pack, id: string, ...states: string[]) => {
  for (;;) {
    const job = await pack.jobs.get(caller, id)
    if (states.includes(job.state)) return job
    if (['done', 'failed', 'cancelled', 'paused'].includes(job.state))
      throw new Error(`${job.state}: ${job.reason?.message}`)
    await new Promise((done) => setTimeout(done, 10))
  }
}
export const resultOf = async (pack: Pack, id: string) => {
  const { read } = await pack.files.open(caller, (await pack.jobs.get(caller, id)).result!)
  let text = ''
  for await (const bytes of read()) text += Buffer.from(bytes).toString()
  return text
}
/** What the provider has charged. */
export const charged = ({ control }: ContactSandbox) => control.counters().creditsCharged
