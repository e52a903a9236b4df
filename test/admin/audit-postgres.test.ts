import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openPostgresStore } from '../../shared/store/postgres/store.ts'
import { systemClock } from '../../shared/pack.ts'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { auditEntry } from '../store/make.ts'
import { postgresIsMissing, startPostgres } from '../support/postgres.ts'
import type { PostgresServer } from '../support/postgres.ts'

describe.skipIf(postgresIsMissing())('the audit log on PostgreSQL', () => {
  let server: PostgresServer
  let open: { close(): Promise<unknown> }[] = []
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterEach(async () => {
    for (const resource of open.splice(0)) await resource.close()
  })
  afterAll(() => server.close())

  const openStore = async (url: string) => openPostgresStore({ url, clock: systemClock, log: () => {} })
  const createCard = ({ ask, sandbox }: HttpWorld, token: string) =>
    ask('/v1/steps/work-board/create-card/run', {
      token,
      body: { input: { idList: [...sandbox.board.state.lists.values()][0]!.id, name: 'Card' } },
    })

  test(
    'a caller who may read, and asks for names with a NUL, stops nobody from writing',
    { timeout: 60_000 },
    async () => {
      const face = await openHttpWorld({
        store: await openStore(await server.createDatabase()),
        masterKey: Buffer.alloc(32, 7),
      })
      open.push(face)
      const { ask, pack, tokenWith, token } = face
      await pack.tenants.create({ id: 'other', name: 'Other' })
      const reader = await tokenWith(['read', 'run'], 'other')
      expect((await ask('/v1/steps/%00/x/sample', { token: reader })).status).toBe(404)
      expect((await ask('/v1/steps/work-board/%00/sample', { token: reader })).status).toBe(404)
      expect(
        (await ask('/v1/jobs', { token: reader, body: { integration: '\u0000', file: 'fil_1' } })).status,
      ).toBeLessThan(500)
      expect((await ask('/v1/steps/%00/%00/run', { token: reader, body: { input: {} } })).status).toBe(404)
      expect((await ask('/v1/connections/%00', { token: reader })).status).toBeLessThan(500)
      await pack.connections.create(
        { tenant: 'other' },
        {
          integration: 'work-board',
          type: 'key-token',
          secrets: { key: face.sandbox.board.credentials.key, token: face.sandbox.board.credentials.token },
        },
      )
      for (const by of [token, reader]) expect(await createCard(face, by)).toMatchObject({ status: 200 })
      expect((await ask('/readyz')).status).toBe(200)
      expect(pack.audit.backlog()).toEqual({ owed: 0, oldestMs: 0, dropped: 0 })
      expect(face.lines.filter(({ event }) => event === 'audit.not_written' || event === 'run.not_recorded')).toEqual(
        [],
      )
      const { items } = await pack.audit.list('other', { limit: 50 })
      expect(items.filter(({ outcome }) => outcome === 'not_found').length).toBeGreaterThan(1)
      expect(await pack.audit.verify('other')).toMatchObject({ ok: true })
    },
  )

  test('of rows handed over together the store refuses only the one that it cannot hold, and says that it is the text', async () => {
    const store = await openStore(await server.createDatabase())
    open.push(store)
    const rows = ['a', 'nul \0', 'b', '\0', 'c'].map((decision, at) =>
      store.audit.append(auditEntry('t', { at, decision })),
    )
    const results = await Promise.allSettled(rows)
    expect(
      results.map((result) => (result.status === 'fulfilled' ? 'written' : (result.reason as { code: string }).code)),
    ).toEqual(['written', 'invalid_input', 'written', 'invalid_input', 'written'])
    expect(await store.audit.verify('t')).toEqual({ ok: true, rows: 3 })
  })

  test('a text that is too long for an index is refused as such, and not taken for a defect', async () => {
    const store = await openStore(await server.createDatabase())
    open.push(store)
    const long = Array.from({ length: 9_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000))).join(
      '',
    )
    await expect(store.tenants.add({ id: long, name: 'Long', createdAt: 1, policy: {} })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})
