import type { CanaryWorld } from './world.ts'
import { kindsOf, marker, providersOf } from './story.ts'

const email = 'nobody@example.com'

const until = async ({ ask }: CanaryWorld, id: string, states: string[]) => {
  for (let n = 0; n < 200 && !states.includes((await ask('GET /v1/jobs/:id', { params: { id } })).json.state); n += 1)
    await new Promise((resolve) => setTimeout(resolve, 50))
}

/**
 * Budgets, the ledger, lookups at several providers, jobs over files, and what is forgotten of people, with answers
 * that give the key back.
 */
export const spend = async (world: CanaryWorld) => {
  const { ask } = world
  const { json: budget } = await ask('POST /v1/budgets', {
    body: { scope: 'tenant', credits: 100_000, period: 'day', timeZone: 'Pacific/Auckland' },
  })
  await ask('PATCH /v1/budgets/:id', { params: { id: budget.id }, body: { credits: 90_000 } })
  // Within a budget API Call sends what has no known price only where the operator allows it.
  const apiCallUnpriced = { 'anz-data': ['/**'], 'contact-data': ['/**'] }
  await ask('PUT /v1/admin/policies', { query: '?tenant=default', body: { apiCallUnpriced } })
  const rows = Buffer.from(`email\n${email}\nsomebody@example.com\n`).toString('base64')
  const { json: file } = await ask('POST /v1/files', { body: { name: 'people.csv', base64: rows } })
  const list = { params: { id: 'Leads of the canary' } }
  await ask('POST /v1/people-lists', { body: { name: list.params.id, file: file.id } })
  await ask('GET /v1/people-lists')
  await ask('GET /v1/people-lists/:id', list)
  const states: string[] = []
  for (const { integration, arm, clear, secrets } of providersOf(world).filter(
    (provider) => provider.integration !== 'work-board',
  )) {
    const providers = [{ integration, connection: marker }]
    for (const { isSlow, fault } of kindsOf(secrets)) {
      if (isSlow) continue
      arm(fault)
      await ask('POST /v1/lookups/:kind', {
        params: { kind: 'person' },
        body: { identifiers: { email }, want: ['fullName'], providers, maxAge: 0 },
      })
      clear()
    }
    arm(kindsOf(secrets)[2]!.fault)
    const { json: job } = await ask('POST /v1/jobs', {
      body: { file: file.id, integration, connection: marker, sample: 1, refresh: true },
    })
    await until(world, job.id, ['ready', 'failed', 'paused'])
    await ask('POST /v1/jobs/:id/resume', { params: { id: job.id }, body: { maxCredits: 50 } })
    await until(world, job.id, ['done', 'failed', 'paused'])
    clear()
    states.push((await ask('GET /v1/jobs/:id', { params: { id: job.id } })).json.state)
    await ask('POST /v1/jobs/:id/cancel', { params: { id: job.id } })
  }
  const { json: ledger } = await ask('GET /v1/ledger')
  await ask('POST /v1/ledger/:id/resolve', { params: { id: ledger.items[0]?.entry ?? 'none' }, body: { credits: 1 } })
  await ask('GET /v1/usage')
  await ask('GET /v1/usage/export')
  await ask('DELETE /v1/cache')
  await ask('POST /v1/suppressions', { body: { entries: [{ email }] } })
  await ask('POST /v1/suppressions/remove', { body: { entries: [{ email }] } })
  await ask('POST /v1/privacy/export', { body: { identifiers: [{ email }] } })
  await ask('POST /v1/privacy/erase', { body: { identifiers: [{ email }] } })
  await ask('DELETE /v1/people-lists/:id', list)
  return { states, entries: ledger.items.length as number }
}
