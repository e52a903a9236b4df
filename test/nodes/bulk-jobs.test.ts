import { describe, expect, it, onTestFinished } from 'vitest'
import { createOverride } from '../../shared/sandbox/contact/documented/override.ts'
import { postgresIsMissing } from '../support/postgres.ts'
import { startProvider } from '../support/provider.ts'
import { must, openPlace, until } from './place.ts'

const rows = 400
const concurrency = 4

/** So many rows are answered before the node is killed. */
const answeredFirst = 150

/** A provider that charges one credit for each answer, and takes a moment for it: after the first ones, until it goes on. */
const startSlow = async () => {
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>()
  const charges = new Map<string, number>()
  const provider = await startProvider((_, response, body) => {
    const { email } = JSON.parse(body) as { email: string }
    charges.set(email, (charges.get(email) ?? 0) + 1)
    const answer = () => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-credits-charged': '1' })
      response.end(
        JSON.stringify({ data: { personId: email, fullName: `Person ${email}`, emailAddresses: [{ email }] } }),
      )
    }
    if (charges.size > answeredFirst) void goesOn.then(answer)
    else setTimeout(answer, 40)
  })
  return { ...provider, charges, goOn }
}

describe.skipIf(postgresIsMissing())('a job over a file, on two nodes', () => {
  it('is gone on with by the other node when the one that works on it is killed, and no row is paid twice', async () => {
    const provider = await startSlow()
    onTestFinished(() => provider.close())
    const override = {
      ...createOverride(provider.origin, { requests: 1, windowMs: 1 }),
      pace: { limits: [], concurrency },
    }
    const place = await openPlace({
      nodes: 2,
      provider: { integration: 'contact-data', override, origin: provider.origin },
    })
    const [first, second] = place.nodes
    await must(first!.origin, '/v1/connections', {
      body: { integration: 'contact-data', type: 'api-key', name: 'Contacts', secrets: { apiKey: 'key-0123456789' } },
    })
    const emails = Array.from({ length: rows }, (_, row) => `person${row}@example.com`)
    const file = await must(first!.origin, '/v1/files', {
      body: {
        name: 'people.csv',
        mediaType: 'text/csv',
        base64: Buffer.from(`Email\n${emails.join('\n')}\n`).toString('base64'),
      },
    })
    const { id } = await must(first!.origin, '/v1/jobs', {
      body: { file: file.id, integration: 'contact-data', confirm: true },
    })
    const job = () => must(second!.origin, `/v1/jobs/${id}`)
    await until('a part is done', async () => (await job()).done >= 100, 60_000)
    expect((await job()).done).toBeLessThan(rows)
    await until('rows are under way', () => provider.charges.size > answeredFirst, 60_000)
    await first!.kill()
    const before = provider.charges.size
    provider.goOn()
    await until('the other node has ended it', async () => (await job()).state !== 'running', 120_000)
    const ended = await job()
    expect(ended).toMatchObject({ state: 'done', rows, done: rows })
    expect(before).toBeLessThan(rows)
    expect(Math.max(...provider.charges.values())).toBe(1)
    expect(ended.matched + ended.errors).toBe(rows)
    // Those under way when it was killed: they may have been charged, so they are not sent again.
    expect(ended.errors).toBeLessThanOrEqual(concurrency)
    // Who answered is charged for; the rest is reserved until somebody resolves it.
    const spent = (await must(second!.origin, '/v1/usage')).spent.reduce(
      (sum: number, row: { spent: number }) => sum + row.spent,
      0,
    )
    expect(spent).toBe(ended.matched)
  })
})
