import { describe, expect, it } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import { closing } from '../support/closing.ts'
import { caller } from '../support/world.ts'
import { create, openJobsWorld, peopleFile, until } from '../bulk-jobs/world.ts'

const own = 'contact-data/find-contact'
const { pack, sandbox } = await openJobsWorld()
const http = closing(await createHttp({ pack, version: '0.0.0', mcp: false }))
const { id: job } = await create(pack, peopleFile(1), { confirm: true })
await until(pack, job, 'done')
const run = (await pack.runs.list(caller, { limit: 9 })).items.find(({ credits }) => credits > 0)!.id

describe.each([
  ['nothing', {}, true],
  ['the step', { steps: [own] }, true],
  ['a set that has the step', { toolSet: 'people' }, true],
  ['another step', { steps: ['contact-data/find-company'] }, false],
  ['a set that has not', { toolSet: 'read' }, false],
])('a token bound to %s', (_, bounds, sees) => {
  const ask = async (path: string) => {
    const { text } = await pack.tokens.create('default', { name: 'Somebody', scopes: ['run', 'read'], ...bounds })
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
  sandbox.control.inject({ delayMs: 2_000, times: 1 })
  const call = { integration: 'contact-data', step: 'find-contact', input: { email: 'nobody@unknown.example' } }
  const { runId, coming } = pack.steps.begin(caller, call)
  const other = { ...caller, token: 't', steps: ['contact-data/find-company'] }
  await expect(pack.runs.get(other, runId)).rejects.toMatchObject({ code: 'not_found' })
  await expect(pack.runs.cancel(other, runId)).rejects.toMatchObject({ code: 'not_found' })
  expect(await pack.runs.get({ ...other, steps: [own] }, runId)).toMatchObject({ state: 'running' })
  await coming
})
