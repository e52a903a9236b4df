import { describe, expect, it, onTestFinished } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { ask, must, openPlace, until } from './place.ts'

const domains = createDataSet()
  .companies.filter(({ knownTo }) => knownTo.includes('contact'))
  .map(({ domain }) => domain)

describe.skipIf(postgresIsMissing())('budgets over several nodes', () => {
  it('of 50 runs at once on 4 nodes, a budget for 10 lets exactly 10 be sent', async () => {
    const contact = await startContactSandbox({ limits: { requests: 10_000 } })
    onTestFinished(() => contact.close())
    const place = await openPlace({
      provider: { integration: 'contact-data', override: contact.override, origin: contact.origin },
    })
    await must(place.origin, '/v1/connections', {
      body: { integration: 'contact-data', type: 'api-key', name: 'Contacts', secrets: contact.credentials },
    })
    const find = (node: number, domain: string, over = {}) =>
      ask(place.nodes[node % place.nodes.length]!.origin, '/v1/steps/contact-data/find-company/run', {
        body: { input: { domain }, ...over },
      })
    // Each node knows the connection, and what a company costs is known.
    await Promise.all(place.nodes.map((_, node) => find(node, domains[0]!, { dryRun: true })))
    const price = (await find(0, domains[0]!)).json.meta.credits.charged as number
    expect(price).toBeGreaterThan(0)
    const spent = async () =>
      (await must(place.origin, '/v1/usage')).spent.reduce((sum: number, row: { spent: number }) => sum + row.spent, 0)
    await until('the nodes have settled', async () => (await spent()) === price, 30_000)
    contact.control.reset()
    const budget = await must(place.origin, '/v1/budgets', {
      body: { scope: 'tenant', credits: price * 11, period: 'month', timeZone: 'Australia/Sydney' },
    })
    expect(budget.remaining).toBe(10 * price)
    const answers = await Promise.all(domains.slice(1, 51).map((domain, node) => find(node, domain)))
    expect(answers).toHaveLength(50)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(answers.filter(({ status, json }) => status === 402 && json.code === 'budget_exceeded')).toHaveLength(40)
    expect(contact.control.requests()).toHaveLength(10)
    await until(
      'the nodes have settled',
      async () => (await must(place.origin, `/v1/budgets/${budget.id}`)).reserved === 0,
      30_000,
    )
    expect(await must(place.origin, `/v1/budgets/${budget.id}`)).toMatchObject({ spent: price * 11, remaining: 0 })
  })
})
