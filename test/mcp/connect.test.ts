import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'
import { entry } from '../faces/process.ts'
import { call, eras, failureOf, newClient, openMcpWorld, textOf, withClient } from '../support/mcp-world.ts'
import type { Era } from '../support/mcp-world.ts'
import { caller } from '../support/world.ts'

const world = await openMcpWorld({ accounts: 'none' })

type Asked = { message: string; url: string }

/** A host that can open pages; `act` is what its user does there. */
const hostThatOpens = (era: Era, act: (elicitation: Asked) => Promise<'accept' | 'decline'>) => {
  const client = newClient(era, { elicitation: { url: {} } })
  const elicitations: Asked[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    const { message, url } = params as unknown as Asked
    elicitations.push({ message, url })
    return { action: await act({ message, url }) }
  })
  return { client, asked: elicitations }
}
const overHttp = (client: Client) =>
  client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', world.address), {
      requestInit: { headers: { authorization: `Bearer ${world.token}` } },
    }),
  )
const account = () => world.sandbox.accounts.find(({ integration }) => integration === 'anz-data')!
const connectAccount = async () => {
  const { integration, type, name, secrets } = account()
  return world.pack.connections.create(caller, { integration, type, name, secrets })
}
const forget = async () => {
  for (const { id } of await world.pack.connections.list(caller)) await world.pack.connections.remove(caller, id)
}
const search = { name: 'anz_data_people_search', args: { company: 'Wattlebird Freight' } }
const page = () => new RegExp(`^${world.address}/connect/[\\w-]{20,}$`)

describe.each(eras)('a missing account (%s)', (era) => {
  it('is asked for by opening the connect page; the run goes on once it is there', async () => {
    const { client, asked: elicitations } = hostThatOpens(era, async () => {
      await connectAccount()
      return 'accept'
    })
    await overHttp(client)
    const result = await call(client, search.name, search.args)
    expect([result.isError ?? false, result.structuredContent!.count]).toEqual([false, expect.any(Number)])
    expect(elicitations).toEqual([
      {
        message: expect.stringMatching(/^ANZ data: No ANZ data account is connected/),
        url: expect.stringMatching(page()),
      },
    ])
    await client.close()
    await forget()
  })

  it('is asked for once: who agreed but is not done yet gets the link', async () => {
    const { client, asked: elicitations } = hostThatOpens(era, async () => 'accept')
    await overHttp(client)
    const result = await call(client, search.name, search.args)
    expect([result.isError, elicitations.length]).toEqual([true, 1])
    expect(textOf(result)).toMatch(
      /^not_connected: No ANZ data account.*\nAsk the user to open this page and connect the account, then call again: http/,
    )
    await client.close()
  })

  it('is not asked for again when the user said no', async () => {
    const { client, asked: elicitations } = hostThatOpens(era, async () => 'decline')
    await overHttp(client)
    const result = await call(client, search.name, search.args)
    expect([result.isError, elicitations.length]).toEqual([true, 1])
    expect(JSON.stringify(result)).not.toContain('/connect/')
    await client.close()
  })

  it('comes as a link where the host cannot open pages', () =>
    withClient(world, era, async (client) => {
      const failure = failureOf(await call(client, search.name, search.args))
      expect(failure).toMatchObject({ code: 'not_connected', connectUrl: expect.stringMatching(page()) })
      const form = await withClient(world, era, (other) => call(other, search.name, search.args), {
        capabilities: { elicitation: { form: {} } },
      })
      expect(failureOf(form)).toMatchObject({ code: 'not_connected', connectUrl: expect.stringMatching(page()) })
    }))

  it('has no link for a token that may not connect accounts', async () => {
    const { text: token } = await world.pack.tokens.create('default', { name: 'Runs only', scopes: ['run'] })
    const result = await withClient(world, era, (client) => call(client, search.name, search.args), { token })
    expect(failureOf(result)).toMatchObject({ code: 'not_connected' })
    expect(JSON.stringify(result)).not.toContain('/connect/')
  })

  it('that expired is reconnected, not connected anew', async () => {
    const { id } = await connectAccount()
    world.sandbox.anz.control.inject({ times: 1, answer: { status: 401, body: { error: 'Invalid key' } } })
    const failure = failureOf(await withClient(world, era, (client) => call(client, search.name, search.args)))
    expect(failure).toMatchObject({
      code: 'not_connected',
      providerStatus: 401,
      connectUrl: expect.stringMatching(page()),
    })
    const opened = await world.pack.connect.open(String(failure.connectUrl).split('/').at(-1)!, 'a browser')
    expect(opened).toMatchObject({ kind: 'form', form: { integration: 'anz-data', reconnects: account().name } })
    expect((await world.pack.connections.get(caller, id)).state).toBe('needs_reconnect')
    await forget()
  })
})

it.each(eras)('over stdio to a running server the host is asked just the same (%s)', async (era) => {
  const { client, asked: elicitations } = hostThatOpens(era, async () => {
    await connectAccount()
    return 'accept'
  })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [entry, 'mcp'],
      env: { TOOLYARD_URL: world.address, TOOLYARD_TOKEN: world.token },
      stderr: 'ignore',
    }),
  )
  expect((await call(client, search.name, search.args)).isError ?? false).toBe(false)
  expect(elicitations).toHaveLength(1)
  await client.close()
  await forget()
})
