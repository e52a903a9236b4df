import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createPack, openSqliteStore, systemClock } from '../../shared/pack.ts'
import type { Pack, Store } from '../../shared/pack.ts'
import type { NewBulkJob } from '../../shared/runtime/bulk-jobs/bulk-jobs.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox, ContactSandboxOptions } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'

export const caller = { tenant: 'default' }
const people = createDataSet().people.filter(
  ({ knownTo, workEmail }) => knownTo.includes('contact') && workEmail !== undefined,
)
export const knownPeople = people.filter(({ suppressed }) => !suppressed)
export const optedOut = people.find(({ suppressed }) => suppressed)!
export const emailOf = (place: number) => knownPeople[place]!.workEmail!
/** A file with one column of people who are known. */
export const peopleFile = (rows: number) =>
  `email\n${Array.from({ length: rows }, (_, place) => emailOf(place)).join('\n')}\n`

type Meanwhile = (store: Store) => Promise<void>
type OnEnd = (end: () => unknown) => void

/** A pack on disk with the contact sandbox connected, whose clock can be moved on. `onEnd`: takes what closes it. */
export const openStage = async (
  options: ContactSandboxOptions = {},
  onEnd: OnEnd = (end) => onTestFinished(async () => void (await end())),
) => {
  const sandbox = await startContactSandbox({ limits: { requests: 100_000, windowMs: 1_000 }, ...options })
  onEnd(() => sandbox.close())
  const directory = mkdtempSync(join(tmpdir(), 'toolyard-jobs-'))
  onEnd(() => rmSync(directory, { recursive: true, force: true }))
  let ahead = 0
  const now = () => Date.now() + ahead
  const openPack = async (meanwhile?: Meanwhile): Promise<Pack> => {
    const store = await openSqliteStore({ directory, now })
    await meanwhile?.(store)
    const pack = await createPack({
      store,
      masterKey: Buffer.alloc(32, 7),
      clock: { ...systemClock, now },
      wire: { 'contact-data': { ...sandbox.override, pace: { limits: [], concurrency: 50 } } },
      egress: { privateOrigins: [sandbox.origin] },
    })
    if ((await pack.connections.list(caller)).length === 0)
      await pack.connections.create(caller, {
        integration: 'contact-data',
        type: 'api-key',
        name: 'Contacts',
        secrets: sandbox.credentials,
      })
    return pack
  }
  const pack = await openPack()
  let open: Pack | undefined = pack
  onEnd(() => open?.close())
  return {
    sandbox,
    pack,
    moveOn: (ms: number) => void (ahead += ms),
    now,
    /** `meanwhile`: what another process left in the store. */
    reopen: async (meanwhile?: Meanwhile) => {
      await open?.close()
      open = undefined
      return (open = await openPack(meanwhile))
    },
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
