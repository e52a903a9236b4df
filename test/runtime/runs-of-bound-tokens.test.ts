import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { caller, create, openStage, peopleFile, until } from '../bulk-jobs/stage.ts'

const own = 'contact-data/find-contact'
const ends: (() => unknown)[] = []
let stage: Awaited<ReturnType<typeof openStage>>
let http: Awaited<ReturnType<typeof createHttp>>
let run: string
beforeAll(async () => {
  stage = await openStage({}, (end) => void ends.push(end))
  http = await createHttp({ pack: stage.pack, version: '0.0.0', mcp: false })
  ends.push(() => http.close())
  const { id } = await create(stage.pack, peopleFile(1), { confirm: true })
  await until(stage.pack, id, 'done')
  run = (await stage.pack.runs.list(caller, { limit: 9 })).items.find(({ credits }) => credits > 0)!.id
})
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

describe.each([
  ['nothing', {}, true],
  ['the step', { steps: [own] }, true],
  ['a set that has the step', { toolSet: 'people' }, true],
  ['another step', { steps: ['contact-data/find-company'] }, false],
  ['a set that has not', { toolSet: 'read' }, false],
])('a token bound to %s', (_, bounds, sees) => {
  const ask = async (path: string) => {
    const { text } = await stage.pack.tokens.create('default', { name: 'Somebody', scopes: ['run', 'read'], ...bounds })
    const reply = await http.inject({ url: path, headers: { authorization: `Bearer ${text}` } })
    return { status: reply.statusCode, json: JSON.parse(reply.body) as any }
  }

  it('sees the runs, the usage and the ledger of the steps alone that it may run', async () => {
    expect(((await ask('/v1/runs')).json.items as { id: string }[]).some(({ id }) => id === run)).toBe(sees)
    expect((await ask(`/v1/runs/${run}`)).status).toBe(sees ? 200 : 404)
    const usage = (await ask('/v1/usage')).json
    expect([usage.items.length > 0, usage.spent.length > 0]).toEqual([sees, sees])
    expect((await ask('/v1/ledger')).json.items.length > 0).toBe(sees)
  })
})

it('a run in the background is seen and cancelled by who may run its step', async () => {
  const { pack, sandbox } = stage
  sandbox.control.inject({ delayMs: 400, times: 1 })
  const call = { integration: 'contact-data', step: 'find-contact', input: { email: 'nobody@unknown.example' } }
  const { runId, coming } = pack.steps.begin(caller, call)
  const other = { ...caller, token: 't', steps: ['contact-data/find-company'] }
  await expect(pack.runs.get(other, runId)).rejects.toMatchObject({ code: 'not_found' })
  await expect(pack.runs.cancel(other, runId)).rejects.toMatchObject({ code: 'not_found' })
  expect(await pack.runs.get({ ...other, steps: [own] }, runId)).toMatchObject({ state: 'running' })
  await coming
})
