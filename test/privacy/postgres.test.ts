/**
 * What is known of a person on a database that several servers share: found nowhere after an erasure, and refused
 * everywhere at once.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createPack, systemClock } from '../../shared/pack.ts'
import type { Pack, Store } from '../../shared/pack.ts'
import type { PersonalKind } from '../../shared/runtime/ports/index.ts'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import type { ContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { integrations } from '../data/harness.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres.ts'

const caller = { tenant: 'default' }
const knownPeople = createDataSet().people.filter(
  ({ knownTo, suppressed, workEmail, linkedinSlug }) =>
    knownTo.includes('contact') && !suppressed && workEmail && linkedinSlug,
)
const [erased, other] = knownPeople as [(typeof knownPeople)[0], (typeof knownPeople)[0]]
const address = erased.workEmail!
const identifiers = [{ email: address }, { linkedin: erased.linkedinSlug! }]
const hexOf = (text: string) => Buffer.from(text).toString('hex')
const needles = [address, address.toUpperCase(), erased.linkedinSlug!].flatMap((text) => [text, hexOf(text)])

describe.skipIf(postgresIsMissing())('people on a shared database', () => {
  let server: PostgresServer
  let contact: ContactSandbox
  let url: string
  const open: { close(): Promise<unknown> }[] = []
  beforeAll(async () => {
    server = await startPostgres()
    contact = await startContactSandbox({ limits: { requests: 10_000 } })
  }, 60_000)
  afterEach(async () => {
    for (const resource of open.splice(0).toReversed()) await resource.close()
  })
  afterAll(async () => {
    await Promise.all([server.close(), contact.close()])
  })

  const openNode = async (): Promise<{ pack: Pack; store: Store }> => {
    const store = await openPostgresStore({ url, clock: systemClock, log: () => {} })
    const pack = await createPack({
      store,
      masterKey: Buffer.alloc(32, 7),
      integrations,
      wire: { 'contact-data': contact.override },
      egress: { privateOrigins: [contact.origin] },
      clock: systemClock,
    })
    open.push(pack)
    return { store, pack }
  }
  const find = (pack: Pack, input: object, idempotencyKey?: string) =>
    pack.steps.run(caller, {
      integration: 'contact-data',
      step: 'find-contact',
      input,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    })
  const connect = (pack: Pack) =>
    pack.connections.create(caller, {
      integration: 'contact-data',
      type: 'api-key',
      name: 'Contacts',
      secrets: contact.credentials,
    })

  /** Parts of everything sealed that is about the person, in hexadecimal. */
  const sealedOf = async ({ pack, store }: { pack: Pack; store: Store }) => {
    const { records } = await pack.privacy.export(caller, identifiers)
    const parts: string[] = []
    for (const { kind, id } of records.filter((record) => record.kind !== 'job' && record.kind !== 'file')) {
      const row = (await store.personal.rows('default', kind as PersonalKind, 1000)).find(
        ({ key }) => key.join(' ') === id,
      )!
      const content = Buffer.from(row.content ?? [])
      if (content.length >= 112) parts.push(content.subarray(64, 112).toString('hex'))
    }
    return parts
  }

  test('an erased person is not in a dump, and whoever else is there stays', { timeout: 120_000 }, async () => {
    url = await server.createDatabase()
    const node = await openNode()
    const { pack, store } = node
    await connect(pack)
    for (const person of knownPeople.slice(0, 10)) await find(pack, { email: person.workEmail }, `key-${person.id}`)
    await find(pack, { linkedinUrl: `https://au.linkedin.com/in/${erased.linkedinSlug}/en?trk=x` })
    await pack.samples.put(
      caller,
      { integration: 'contact-data', step: 'find-contact' },
      { input: { email: address }, output: {} },
    )
    const rows = [other, erased].map(({ workEmail }) => workEmail).join('\n')
    const content = (async function* () {
      yield Buffer.from(`email\n${rows}\n`)
    })()
    const file = await pack.files.create(caller, { name: `about-${address}.csv`, content })
    const job = await pack.jobs.create(caller, { file: file.id, sample: 1, integration: 'contact-data' })
    await vi.waitUntil(async () => (await pack.jobs.get(caller, job.id)).state === 'ready', 30_000)
    const at = Date.now()
    await store.undecodable.add({
      tenant: 'default',
      connection: 'con_x',
      integration: 'contact-data',
      id: 'und_1',
      hook: 'hok_1',
      receivedAt: at,
      reason: `No person ${address}`,
      raw: Buffer.from(address),
    })
    await store.flush()
    const sealed = await sealedOf(node)
    expect(sealed.length).toBeGreaterThan(1)
    const foundIn = (dump: string, soughtTexts: string[]) => soughtTexts.filter((text) => dump.includes(text))
    const before = await server.dump(url)
    expect(foundIn(before, sealed)).toEqual(sealed)
    expect(foundIn(before, [address, hexOf(address)])).toEqual([address, hexOf(address)])

    expect((await pack.privacy.erase(caller, identifiers)).removed).toMatchObject({
      job: 1,
      file: 1,
      undecodable: 1,
      sample: 1,
    })
    const after = await server.dump(url)
    expect(foundIn(after, [...needles, ...sealed])).toEqual([])
    expect(after.length).toBeGreaterThan(before.length / 2)
    expect((await pack.privacy.export(caller, [{ email: other.workEmail! }])).records.length).toBeGreaterThan(1)
  })

  test('an entry of the suppression list counts at once on the other server', { timeout: 60_000 }, async () => {
    url = await server.createDatabase()
    const [firstNode, second] = [await openNode(), await openNode()]
    await connect(firstNode.pack)
    await firstNode.store.cluster!.catchUp()
    await second.store.cluster!.catchUp()
    expect((await find(second.pack, { email: other.workEmail })).ok).toBe(true)
    await firstNode.pack.suppressions.add(caller, [{ email: other.workEmail! }, { email: address }])
    const requests = contact.control.counters().requests
    for (const email of [other.workEmail, address])
      expect(await find(second.pack, { email })).toMatchObject({ ok: false, failure: { code: 'suppressed' } })
    expect(contact.control.counters().requests).toBe(requests)
  })
})
