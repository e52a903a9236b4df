import { describe, expect, it } from 'vitest'
import { pathTemplate } from '../../shared/runtime/admin/audit-entry.ts'
import { createMemoryStore } from '../../shared/store/index.ts'
import { caller } from '../support/world.ts'
import { createCard, openOAuthWorld } from '../support/oauth-world.ts'
import type { OAuthWorld } from '../support/oauth-world.ts'

let world: OAuthWorld
const rowsOf = async (filter: object = {}) => (await world.pack.audit.list('default', { limit: 200 }, filter)).items

describe('path templates', () => {
  it.each([
    ['/1/cards', '/1/cards'],
    ['/1/cards/6afd8f840000000000000008', '/1/cards/{id}'],
    ['/1/cards/fSnxPqvO/actions/comments', '/1/cards/{id}/actions/{id}'],
    ['/1/members/marlowfenwick/boards', '/1/members/{id}/boards'],
    ['/1/tokens/ATTA0123456789abcdef/webhooks', '/1/tokens/{id}/webhooks'],
    ['/1/checklists/6afd8f840000000000000008/checkItems', '/1/checklists/{id}/checkItems'],
    ['/v2/people/enrich', '/v2/people/enrich'],
    ['/1/search/6afd8f84', '/1/search/{id}'],
    ['/1/a%20b/c@d', '/1/{id}/{id}'],
    ['/', '/'],
  ])('%s is written down as %s', (path, template) => expect(pathTemplate(path)).toBe(template))
})

describe('the audit log', () => {
  it('holds writes, paid lookups, refusals and changes, and neither reads nor bodies nor secrets', async () => {
    world = await openOAuthWorld()
    const { pack, sandbox } = world
    const { key, token } = sandbox.board.credentials
    const { text, token: made } = await pack.tokens.create('default', {
      name: 'CI',
      scopes: ['run', 'connections', 'admin'],
    })
    const by = { ...(await pack.tokens.authenticate(text)), startId: 'start-7' }
    const board = await pack.connections.create(by, {
      integration: 'work-board',
      type: 'key-token',
      name: 'Board',
      secrets: { key, token },
    })
    const data = await pack.connections.create(by, {
      integration: 'anz-data',
      type: 'api-key',
      secrets: sandbox.anz.credentials,
    })
    const card = await createCard(world, board.id, by)
    await pack.steps.run(by, { integration: 'work-board', step: 'get-boards', input: {} })
    await pack.steps.run(by, {
      integration: 'anz-data',
      step: 'people-enrichment',
      input: { email: 'nobody@unknown.example' },
    })
    await pack.steps.run(by, {
      integration: 'work-board',
      step: 'api-call',
      input: { method: 'POST', path: '/1/webhooks', body: { description: 'body-canary' } },
    })
    await pack.connections.patch(by, board.id, { name: 'Renamed' })
    await expect(pack.connections.get(by, 'con_foreign')).rejects.toMatchObject({ code: 'not_found' })
    await pack.keys.rotate(by)
    await pack.tokens.revoke('default', made.id, by)
    await pack.connections.remove(by, board.id)
    const rows = await rowsOf()
    const said = rows
      .map(({ method, path, outcome, providerStatus }) => `${method} ${path} ${outcome} ${providerStatus ?? '-'}`)
      .reverse()
    expect(said).toEqual([
      'verb apps.put ok -',
      'verb tokens.create ok -',
      'verb connections.create ok -',
      'verb connections.create ok -',
      'POST /1/cards ok 200',
      expect.stringMatching(/^POST \/.* ok 200$|^POST \/.* not_found 404$/),
      'POST /1/webhooks not_allowed -',
      'verb connections.patch ok -',
      'verb connections.get not_found -',
      'verb keys.rotate ok -',
      'verb tokens.revoke ok -',
      'verb connections.remove ok -',
    ])
    const created = rows.find(({ path }) => path === '/1/cards')!
    expect(created).toMatchObject({
      actor: made.id,
      // Not the id of a start of ours: a digest of it.
      startId: expect.stringMatching(/^dig_[\w-]{43}$/),
      connection: board.id,
      integration: 'work-board',
      decision: 'allowed',
      runId: card.meta.runId,
      keyId: expect.stringMatching(/^[0-9a-f]{12}$/),
    })
    expect(rows.find(({ path }) => path === '/1/webhooks')).toMatchObject({
      decision: expect.stringContaining('refused: POST on this path is refused'),
    })
    expect(rows.find(({ path }) => path === 'connections.get')).toMatchObject({
      connection: 'con_foreign',
      actor: made.id,
    })
    expect(rows.filter(({ connection }) => connection === data.id).length).toBeGreaterThan(1)
    const whole = JSON.stringify(rows)
    for (const secret of [
      key,
      token,
      text,
      'body-canary',
      'Made by a connected account',
      sandbox.anz.credentials.apiKey,
      'unknown.example',
    ])
      expect(whole).not.toContain(secret)
    expect(await pack.audit.verify('default')).toEqual({ ok: true, rows: rows.length })
  })

  it('has a run as soon as it is answered and somebody looks; a store that cannot take it is said, and the run stands', async () => {
    const store = createMemoryStore()
    // As every store whose rows outlive the process.
    delete store.audit.appendLate
    world = await openOAuthWorld({ store })
    const { key, token } = world.sandbox.board.credentials
    await world.pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      secrets: { key, token },
    })
    expect(await createCard(world)).toMatchObject({ ok: true })
    expect((await rowsOf({ outcome: 'ok' })).some(({ path }) => path === '/1/cards')).toBe(true)
    store.audit.append = () => Promise.reject(new Error('disk full'))
    expect(await createCard(world)).toMatchObject({ ok: true })
    await rowsOf()
    expect(world.events('audit.not_written')).toHaveLength(1)
  })

  it('keeps the order of what was done, also where a run is followed by a change at once', async () => {
    world = await openOAuthWorld()
    const { key, token } = world.sandbox.board.credentials
    const { id } = await world.pack.connections.create(caller, {
      integration: 'work-board',
      type: 'key-token',
      secrets: { key, token },
    })
    expect(await createCard(world)).toMatchObject({ ok: true })
    await world.pack.connections.remove(caller, id)
    const paths = (await rowsOf({ outcome: 'ok' })).map(({ path }) => path)
    expect(paths.indexOf('connections.remove')).toBeLessThan(paths.indexOf('/1/cards'))
    expect(await world.pack.audit.verify('default')).toMatchObject({ ok: true })
  })

  it('does not grow with what a caller writes into an id', async () => {
    world = await openOAuthWorld()
    await expect(world.pack.connections.get(caller, 'x'.repeat(5000))).rejects.toMatchObject({ code: 'not_found' })
    await world.pack.steps.run(caller, {
      integration: 'work-board',
      step: 'get-boards',
      input: {},
      connection: 'secret-canary '.repeat(1000),
    })
    const rows = await rowsOf({ outcome: 'not_found' })
    expect(rows).toHaveLength(2)
    expect(JSON.stringify(rows)).not.toContain('secret-canary')
    for (const row of rows) expect([row.connection, JSON.stringify(row).length < 1000]).toEqual([null, true])
  })
})
