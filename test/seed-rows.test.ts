import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPack } from '../shared/pack.ts'
import type { Pack } from '../shared/pack.ts'
import { startSandbox } from '../shared/sandbox/index.ts'
import type { Sandbox } from '../shared/sandbox/index.ts'

/**
 * Every method + path row of the provider documents, by API Call, against the sandboxes: answered, and seen in their
 * state.
 */
const caller = { tenant: 'default' }
type Row = { id: string; name?: string; [field: string]: unknown }

let sandbox: Sandbox
let pack: Pack

beforeAll(async () => {
  sandbox = await startSandbox()
  pack = await createPack({
    wire: sandbox.wire,
    egress: { privateOrigins: sandbox.places.map(({ origin }) => origin) },
  })
  for (const { integration, type, name, secrets } of sandbox.accounts)
    await pack.connections.create(caller, { integration, type, name, secrets })
})
afterAll(async () => {
  await pack.close()
  await sandbox.close()
})

const call = async (
  integration: string,
  method: string,
  path: string,
  body?: unknown,
  query?: Record<string, unknown>,
) => {
  const outcome = await pack.steps.run(caller, {
    integration,
    step: 'api-call',
    input: { method, path, ...(body === undefined ? {} : { body }), ...(query ? { query } : {}) },
  })
  if (!outcome.ok) throw new Error(`${method} ${path}: ${outcome.failure.code} ${outcome.failure.message}`)
  const value = outcome.value as { status: number; headers: Record<string, string>; body: unknown }
  expect(value.status, `${method} ${path} answered ${JSON.stringify(value.body)}`).toBe(200)
  return value.body
}

describe('work-board: the 21 rows', () => {
  const board = (method: string, path: string, body?: unknown, query?: Record<string, unknown>) =>
    call('work-board', method, path, body, query) as Promise<Row & Row[]>

  it('each succeeds and changes the state accordingly', async () => {
    const rows = new Set<string>()
    const row = async (template: string, path: string, body?: unknown) => {
      rows.add(template)
      return board(template.split(' ')[0]!, path, body)
    }
    const made = await row('POST /1/boards', '/1/boards', { name: 'Rows' })
    expect(await row('GET /1/boards/{id}', `/1/boards/${made.id}`)).toMatchObject({ id: made.id, name: 'Rows' })
    const lists = await row('GET /1/boards/{id}/lists', `/1/boards/${made.id}/lists`)
    expect(lists.map(({ name }) => name)).toEqual(['To Do', 'Doing', 'Done'])

    const list = await row('POST /1/lists', '/1/lists', { name: 'Later', idBoard: made.id })
    expect(await row('GET /1/lists/{id}', `/1/lists/${list.id}`)).toMatchObject({ name: 'Later', idBoard: made.id })
    await row('PUT /1/lists/{id}', `/1/lists/${list.id}`, { name: 'Much later' })
    expect(await board('GET', `/1/lists/${list.id}`)).toMatchObject({ name: 'Much later' })

    const label = await row('POST /1/labels', '/1/labels', { name: 'Urgent', color: 'red', idBoard: made.id })
    expect(await row('GET /1/labels/{id}', `/1/labels/${label.id}`)).toMatchObject({ name: 'Urgent', color: 'red' })

    const card = await row('POST /1/cards', '/1/cards', {
      idList: list.id,
      name: 'Row card',
      desc: 'd',
      pos: 'top',
      due: '2026-12-01T09:00:00.000Z',
      idLabels: [label.id],
    })
    expect(card).toMatchObject({
      idList: list.id,
      name: 'Row card',
      desc: 'd',
      due: '2026-12-01T09:00:00.000Z',
      idLabels: [label.id],
    })
    expect((await row('GET /1/lists/{id}/cards', `/1/lists/${list.id}/cards`)).map(({ id }) => id)).toEqual([card.id])
    expect((await row('GET /1/boards/{id}/cards', `/1/boards/${made.id}/cards`)).map(({ id }) => id)).toContain(card.id)

    await row('DELETE /1/cards/{id}/idLabels/{idLabel}', `/1/cards/${card.id}/idLabels/${label.id}`)
    expect(await row('GET /1/cards/{id}', `/1/cards/${card.id}`)).toMatchObject({ idLabels: [] })
    await row('POST /1/cards/{id}/idLabels', `/1/cards/${card.id}/idLabels`, { value: label.id })
    expect(await board('GET', `/1/cards/${card.id}`)).toMatchObject({ idLabels: [label.id] })
    await row('PUT /1/cards/{id}', `/1/cards/${card.id}`, { name: 'Renamed' })
    expect(await board('GET', `/1/cards/${card.id}`)).toMatchObject({ name: 'Renamed' })
    const comment = await row('POST /1/cards/{id}/actions/comments', `/1/cards/${card.id}/actions/comments`, {
      text: 'Hello',
    })
    expect(comment).toMatchObject({ type: 'commentCard', data: { text: 'Hello' } })

    const checklist = await row('POST /1/checklists', '/1/checklists', { idCard: card.id, name: 'Steps' })
    const item = await row('POST /1/checklists/{id}/checkItems', `/1/checklists/${checklist.id}/checkItems`, {
      name: 'One',
    })
    await row('PUT /1/cards/{id}/checkItem/{idCheckItem}', `/1/cards/${card.id}/checkItem/${item.id}`, {
      state: 'complete',
    })
    expect(await row('GET /1/checklists/{id}', `/1/checklists/${checklist.id}`)).toMatchObject({
      name: 'Steps',
      checkItems: [{ id: item.id, state: 'complete' }],
    })

    await row('DELETE /1/cards/{id}', `/1/cards/${card.id}`)
    expect(await board('GET', `/1/lists/${list.id}/cards`)).toEqual([])
    expect(rows.size).toBe(21)
  })
})

describe('the data providers: 3 and 4 rows', () => {
  it('each succeeds, charges credits as it should, and takes bare arrays in bulk', async () => {
    const anz = (path: string, body: unknown) =>
      call('anz-data', 'POST', path, body) as Promise<Record<string, unknown>>
    const before = sandbox.anz.control.state().credits.remaining
    expect(await anz('/enrich/person', { email: 'mirrin.alcott@wattlebird-freight.example' })).toMatchObject({
      person: { full_name: 'Mirrin Alcott' },
    })
    expect(await anz('/enrich/company', { abn: '71973100006' })).toMatchObject({ company: { abn: '71973100006' } })
    expect(
      ((await anz('/search/people', { company: 'Wattlebird Freight' })).results as unknown[]).length,
    ).toBeGreaterThan(0)
    expect(sandbox.anz.control.state().credits.remaining).toBeLessThan(before)

    const contact = (path: string, body: unknown) =>
      call('contact-data', 'POST', path, body) as Promise<{ data?: unknown } & unknown[]>
    const credits = sandbox.contact.control.state().credits.remaining
    expect(
      (await contact('/person', { firstName: 'Mirrin', lastName: 'Alcott', company: 'Wattlebird Freight' })).data,
    ).toBeTruthy()
    expect((await contact('/company', { name: 'Wattlebird Freight' })).data).toBeTruthy()
    expect(
      await contact('/person/bulk', [
        { email: 'mirrin.alcott@wattlebird-freight.example' },
        { email: 'callum.okafor@wattlebird-freight.example' },
      ]),
    ).toHaveLength(2)
    expect(
      await contact('/company/bulk', [{ name: 'Wattlebird Freight' }, { domain: 'kowhai-kitchens.example' }]),
    ).toHaveLength(2)
    expect(sandbox.contact.control.state().credits.remaining).toBeLessThan(credits)
  })
})
