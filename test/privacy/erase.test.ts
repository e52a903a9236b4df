import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPack, openSqliteStore, systemClock } from '../../shared/pack.ts'
import type { Pack, Store } from '../../shared/pack.ts'
import type { PersonalKind } from '../../shared/runtime/ports/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { openSqlite } from '../../shared/store/sqlite.ts'
import { integrations } from '../data/harness.ts'

const caller = { tenant: 'default' }
const knownPeople = createDataSet().people.filter(
  (person) =>
    person.knownTo.includes('contact') &&
    !person.suppressed &&
    person.workEmail !== undefined &&
    person.linkedinSlug !== undefined,
)
const [erased, other] = knownPeople as [(typeof knownPeople)[0], (typeof knownPeople)[0]]
const address = erased.workEmail!
const [name, host] = address.split('@') as [string, string]
/** Other spellings of the same person. */
const spellings = [
  address,
  address.toUpperCase(),
  `https://au.linkedin.com/in/${erased.linkedinSlug}/en?trk=x`,
  `mailto:${name}%40${host}`,
]
const needles = [address, address.toUpperCase(), erased.linkedinSlug!, `${name}%40${host}`]
const identifiers = [{ email: address }, { linkedin: erased.linkedinSlug! }]

let contact: ContactSandbox
let pack: Pack
let store: Store
let directory: string
beforeAll(async () => {
  contact = await startContactSandbox({ limits: { requests: 10_000 } })
})
const masterKey = Buffer.alloc(32, 7)
const open = async () => {
  store = await openSqliteStore({ directory, now: Date.now })
  pack = await createPack({
    store,
    masterKey,
    integrations,
    wire: { 'contact-data': contact.override },
    egress: { privateOrigins: [contact.origin] },
    clock: systemClock,
  })
}
afterEach(async () => {
  await pack.close()
  await rm(directory, { recursive: true, force: true })
})
afterAll(() => contact.close())

const find = (input: unknown, idempotencyKey?: string) =>
  pack.steps.run(caller, {
    integration: 'contact-data',
    step: 'find-contact',
    input,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  })

const upload = async (name: string, text: string, idempotencyKey?: string) =>
  pack.files.create(caller, {
    name,
    idempotencyKey,
    content: (async function* () {
      yield Buffer.from(text)
    })(),
  })

const stateOf = async (id: string) => (await pack.jobs.get(caller, id)).state
/** A job that has looked up some of its rows, the person among them, and is paused. */
const startJob = async () => {
  const rows = [erased, ...knownPeople.slice(60, 62)].map(({ workEmail }) => workEmail)
  const file = await upload('job.csv', `email\n${rows.join('\n')}\n`)
  const { id } = await pack.jobs.create(caller, {
    file: file.id,
    sample: 2,
    integration: 'contact-data',
    idempotencyKey: `job-${address}`,
  })
  await vi.waitUntil(async () => (await stateOf(id)) === 'ready', 20_000)
  return id
}

/** One person in every place that the product has, and another one beside. */
const plant = async () => {
  directory = await mkdtemp(join(tmpdir(), 'toolyard-erase-'))
  await open()
  await pack.connections.create(caller, {
    integration: 'contact-data',
    type: 'api-key',
    name: 'Contacts',
    secrets: contact.credentials,
  })
  for (let round = 0; round < 3; round += 1) {
    for (const person of knownPeople.slice(0, 40)) await find({ email: person.workEmail! }, `key-${round}-${person.id}`)
  }
  await find({ email: address }, `enrich-${address}`)
  await find({ linkedinUrl: spellings[2]! })
  // What callers chose to be known by: it names the person, and what it stands for does not.
  const for_ = { ...caller, startId: `call-about-${address}` }
  const stepCall = {
    integration: 'contact-data',
    step: 'find-contact',
    input: { email: other.workEmail },
    startId: `start-${address}`,
  }
  await pack.steps.run(caller, stepCall)
  await pack.steps.run(caller, { ...stepCall, connection: 'none' })
  await pack.steps.begin(for_, { ...stepCall, startId: undefined }).coming
  await pack.connections.get(for_, 'con_none').catch(() => undefined)
  const { coming } = pack.steps.begin(caller, {
    integration: 'contact-data',
    step: 'find-contact',
    input: { email: address },
  })
  await coming
  for (const [step, person] of [
    ['find-contact', erased],
    ['enrich-contacts', other],
  ] as const)
    await pack.samples.put(
      caller,
      { integration: 'contact-data', step },
      { input: { email: person.workEmail }, output: { note: `About ${person.linkedinSlug}` } },
    )
  await upload('people.csv', `${'name,email\n'}${'x,y@example.com\n'.repeat(60_000)}A,${address.toUpperCase()}\n`)
  const kept = await upload('other.csv', `name,email\nB,${other.workEmail}\n`, `upload-${address}`)
  await upload(`about-${address.toUpperCase()}.txt`, 'Nothing.')
  const job = await startJob()
  const at = Date.now()
  const base = { tenant: 'default', connection: 'con_x', integration: 'contact-data' }
  await store.undecodable.add({
    ...base,
    id: 'und_1',
    hook: 'hok_1',
    receivedAt: at,
    reason: `No person ${address}`,
    raw: Buffer.from(spellings[3]!),
  })
  await store.flush()
  return { kept, job }
}

const bytesOf = async (folder: string): Promise<[string, Buffer][]> =>
  Promise.all(
    (await readdir(folder)).map(async (file) => [file, await readFile(join(folder, file))] as [string, Buffer]),
  )

/** Files in which a needle is found, in either encoding of text. */
const filesWith = async (folder: string, soughtTexts: (string | Buffer)[]) => {
  const matchingFiles: string[] = []
  for (const [file, bytes] of await bytesOf(folder))
    for (const needle of soughtTexts)
      if (bytes.includes(needle) || (typeof needle === 'string' && bytes.includes(Buffer.from(needle, 'utf16le'))))
        matchingFiles.push(file)
  return [...new Set(matchingFiles)]
}

/** Every sealed content that is now stored about the person, as its bytes: parts of 48 bytes of each. */
const sealedNow = async (): Promise<Buffer[]> => {
  const { records } = await pack.privacy.export(caller, identifiers)
  const parts: Buffer[] = []
  for (const { kind, id } of records) {
    if (kind === 'job') {
      const results = Buffer.from((await store.bulkJobs.chunk('default', id, 0))!.results!)
      for (let from = 64; from + 48 <= results.length; from += 48) parts.push(results.subarray(from, from + 48))
      continue
    }
    const rows = await store.personal.rows('default', kind as PersonalKind, 1000)
    const row = rows.find(({ key }) => key.join(' ') === id)!
    const contents =
      kind === 'file'
        ? [Buffer.from((await store.files.chunk('default', id, 0))!)]
        : [Buffer.from(row.content ?? []), Buffer.from(row.texts.at(-1) ?? '')]
    for (const content of contents)
      for (let from = 64; from + 48 <= Math.min(content.length, 4096); from += 48)
        parts.push(content.subarray(from, from + 48))
  }
  return parts
}

describe('an erased person', () => {
  test(
    'is in no file of the data directory, in no backup made afterwards, in no answer, and in nothing that the master key opens',
    { timeout: 60_000 },
    async () => {
      const { kept, job } = await plant()
      const before = await pack.privacy.export(caller, identifiers)
      const kinds = [...new Set(before.records.map(({ kind }) => kind))]
      expect(kinds.toSorted()).toEqual(['file', 'job', 'lookup', 'outcome', 'sample', 'undecodable'])
      await writeFile(join(directory, 'schema-3-before-9-20260101000000000.db'), `An old copy with ${address}`)
      const sealed = await sealedNow()
      expect(sealed.length).toBeGreaterThan(50)
      expect(await filesWith(directory, sealed)).not.toEqual([])
      expect(await filesWith(directory, needles)).not.toEqual([])

      const receipt = await pack.privacy.erase(caller, identifiers)
      expect(receipt.removed).toMatchObject({
        lookup: expect.any(Number),
        outcome: 4,
        sample: 1,
        file: 3,
        undecodable: 1,
        job: 1,
      })
      expect(receipt.copies).toBe(1)
      expect(JSON.stringify(receipt)).not.toContain(name)

      await expect(pack.jobs.get(caller, job)).rejects.toMatchObject({ code: 'not_found' })
      expect(await store.bulkJobs.chunk('default', job, 0)).toBeUndefined()
      const after = await pack.privacy.export(caller, identifiers)
      expect(after.records).toEqual([])
      expect(await filesWith(directory, needles)).toEqual([])
      expect(await filesWith(directory, sealed)).toEqual([])
      const copy = join(directory, 'backup.db')
      await pack.backup(caller, copy)
      expect(await filesWith(directory, [...needles, ...sealed])).toEqual([])

      // Whoever else is stored stays, and is found by the same means.
      const otherExport = await pack.privacy.export(caller, [{ email: other.workEmail! }])
      expect(new Set(otherExport.records.map(({ kind }) => kind))).toEqual(
        new Set(['file', 'lookup', 'outcome', 'sample']),
      )
      expect((await pack.files.get(caller, kept.id)).name).toBe('other.csv')
      // Its key holds, though nobody can read it.
      expect((await upload('other.csv', `name,email\nB,${other.workEmail}\n`, `upload-${address}`)).id).toBe(kept.id)
      expect(receipt.auditRows).toBe(0)
      const audit = JSON.stringify((await pack.audit.list('default', { limit: 200 })).items)
      expect(audit).toContain('privacy.erase')
      expect(audit).not.toContain(name)
      // What is stored opens, so that the search had something to find.
      const db = openSqlite(copy, { readOnly: true })
      expect(db.run('select count(*) as n from lookup_entries').rows[0]!['n']).toBeGreaterThan(30)
      db.close()
    },
  )

  test(
    'is asked for anew, not answered from before, and a key that was used for them is used for nothing else',
    { timeout: 60_000 },
    async () => {
      await plant()
      const requests = () => contact.control.counters().requests
      const used = `key-1-${erased.id}`
      expect((await find({ email: address }, used)).ok).toBe(true)
      const { coming, runId } = pack.steps.begin(caller, {
        integration: 'contact-data',
        step: 'find-contact',
        input: { email: address },
      })
      await coming
      expect(JSON.stringify(await pack.runs.get(caller, runId))).toContain(address)
      await pack.privacy.erase(caller, identifiers)
      const requestCount = requests()
      expect(await pack.runs.get(caller, runId)).not.toHaveProperty('output')
      await expect(find({ email: address }, used)).resolves.toMatchObject({ ok: false, failure: { code: 'conflict' } })
      expect(requests()).toBe(requestCount)
      expect((await find({ email: address })).ok).toBe(true)
      expect(requests()).toBe(requestCount + 1)
    },
  )

  test('can be suppressed with the same request', { timeout: 60_000 }, async () => {
    await plant()
    expect(await pack.privacy.erase(caller, identifiers, { suppress: true })).toMatchObject({ suppressed: true })
    expect(await find({ email: address })).toMatchObject({ ok: false, failure: { code: 'suppressed' } })
  })
})

describe('a job over a file with an erased person', () => {
  test('that has not come to the row yet is stopped and removed, also while it runs', { timeout: 60_000 }, async () => {
    directory = await mkdtemp(join(tmpdir(), 'toolyard-erase-'))
    await open()
    await pack.connections.create(caller, {
      integration: 'contact-data',
      type: 'api-key',
      name: 'Contacts',
      secrets: contact.credentials,
    })
    const file = await upload(
      'late.csv',
      `email\n${[...knownPeople.slice(2, 60), erased].map(({ workEmail }) => workEmail).join('\n')}\n`,
    )
    const { id } = await pack.jobs.create(caller, { file: file.id, integration: 'contact-data', confirm: true })
    await vi.waitUntil(async () => (await stateOf(id)) === 'running', 20_000)
    const receipt = await pack.privacy.erase(caller, identifiers)
    expect(receipt.removed).toMatchObject({ job: 1, file: 1 })
    await expect(pack.jobs.get(caller, id)).rejects.toMatchObject({ code: 'not_found' })
    expect((await pack.privacy.export(caller, identifiers)).records).toEqual([])
    expect(await filesWith(directory, needles)).toEqual([])
  })
})
