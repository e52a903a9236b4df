import { describe, expect, it, onTestFinished } from 'vitest'
import { startContactSandbox } from '../../shared/sandbox/contact/index.ts'
import { createDataSet } from '../../shared/sandbox/people/data-set.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { figure } from './figures.ts'
import { ask, must, openPlace } from './place.ts'

const people = createDataSet()
  .people.filter(({ knownTo, suppressed, workEmail }) => knownTo.includes('contact') && !suppressed && workEmail)
  .slice(0, 100)

describe.skipIf(postgresIsMissing())('lookups over several nodes', () => {
  it('1,000 lookups of 100 people at once on 4 nodes: each person is paid once, in few requests, and every answer is right', async () => {
    const contact = await startContactSandbox({ profile: 'people-data-labs', limits: { requests: 10_000 } })
    onTestFinished(() => contact.close())
    const place = await openPlace({
      provider: { integration: 'contact-data', override: contact.override, origin: contact.origin },
    })
    await must(place.origin, '/v1/connections', {
      body: { integration: 'contact-data', type: 'api-key', name: 'Contacts', secrets: contact.credentials },
    })
    const find = (node: number, person: (typeof people)[number]) =>
      ask(place.nodes[node % place.nodes.length]!.origin, '/v1/steps/contact-data/find-contact/run', {
        body: { input: { email: person.workEmail } },
      })
    contact.control.reset()
    const answers = await Promise.all(
      Array.from({ length: 1000 }, async (_, n) => {
        const person = people[n % people.length]!
        return { person, answer: await find(n + Math.floor(n / people.length), person) }
      }),
    )
    for (const { person, answer } of answers)
      expect([answer.status, answer.json.output?.record?.lastName?.toLowerCase()], JSON.stringify(answer.json)).toEqual(
        [200, person.lastName.toLowerCase()],
      )
    const { matches, creditsCharged, requests } = contact.control.counters()
    const charged = answers.reduce((sum, { answer }) => sum + (answer.json.meta.credits?.charged ?? 0), 0)
    console.log(`${requests} requests, ${matches} matches, ${creditsCharged} credits`)
    expect([matches, creditsCharged, charged]).toEqual([people.length, people.length, people.length])
    // As many as a bulk request holds, and one more for those that the first node had not seen by then. A machine that is
    // too busy for four nodes to read their requests in the two seconds that they wait for each other sends more: eight
    // with ten times its load. Without bulk requests there would be one for each person.
    expect(requests).toBeLessThanOrEqual(figure(Math.ceil(people.length / 100) + 1, 5 * place.nodes.length))
  })
})
