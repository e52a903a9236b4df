import { PassThrough } from 'node:stream'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Client } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { eventsOf } from '../../shared/faces/mcp/events.ts'
import type { EventSource } from '../../shared/faces/mcp/events.ts'
import { createAuthorize } from '../../shared/faces/http/auth.ts'
import type { Authenticate } from '../../shared/faces/http/auth.ts'
import { mcpRoutes } from '../../shared/faces/http/mcp.ts'
import { serveOverStdio } from '../../shared/faces/mcp/stdio.ts'
import type { HttpApp } from '../../shared/faces/http/index.ts'
import type { Pack } from '../../shared/pack.ts'
import type { Reader } from '../../shared/faces/mcp/reader.ts'
import { call, eras, newClient, openMcpWorld, withClient } from '../support/mcp-world.ts'
import type { Era } from '../support/mcp-world.ts'
import { caller } from '../support/world.ts'
import { integrationIds } from '../support/shipped.ts'

const world = await openMcpWorld()

const uri = 'toolyard://events/recent'
const read = async (client: Client, what: string) =>
  JSON.parse(((await client.readResource({ uri: what })).contents[0] as { text: string }).text)

/** Events by hand. */
const source = () => {
  const watching = new Map<() => void, Reader>()
  const events: EventSource = {
    recent: async () => [{ id: 'event1', type: 'updateCard', note: 'Hid\u200bden' }],
    watch(who, changed) {
      watching.set(changed, who)
      return () => void watching.delete(changed)
    },
  }
  return { events, watching, happen: () => [...watching.keys()].forEach((changed) => changed()) }
}

describe.each(eras)('resources (%s)', (era) => {
  it('are the accounts, without secrets, and the manifests', () =>
    withClient(world, era, async (client) => {
      const { resources } = await client.listResources()
      expect(resources.map((resource) => resource.uri).filter((resourceUri) => resourceUri !== uri)).toEqual([
        'toolyard://connections',
        ...integrationIds.map((id) => `toolyard://integrations/${id}`),
      ])
      expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(
        resources.map((resource) => `${resource.uri}{/part*}{?from}`),
      )
      const accounts = await read(client, 'toolyard://connections')
      expect(accounts).toHaveLength(world.sandbox.accounts.length)
      for (const account of world.sandbox.accounts)
        for (const secret of Object.values(account.secrets)) expect(JSON.stringify(accounts)).not.toContain(secret)
      expect(await read(client, 'toolyard://integrations/anz-data')).toMatchObject({
        id: 'anz-data',
        toolSets: expect.any(Array),
      })
      expect(await read(client, 'toolyard://integrations/anz-data/steps/people-search/title')).toBe('People Search')
    }))

  it('that are not there are refused with their address', () =>
    withClient(world, era, async (client) => {
      await expect(client.readResource({ uri: 'toolyard://integrations/none' })).rejects.toMatchObject({
        code: -32602,
        data: { uri: 'toolyard://integrations/none' },
      })
    }))
})

const serveHttp = async (events: EventSource) => {
  const app = Fastify()
  const authenticate: Authenticate = ({ headers }) =>
    world.pack.tokens.authenticate(headers.authorization?.slice('Bearer '.length) ?? '')
  const authorize = createAuthorize(world.pack, authenticate)
  mcpRoutes(app as unknown as HttpApp, {
    pack: world.pack,
    version: '1.0.0',
    log: () => {},
    publicUrl: undefined,
    addressOf: () => '',
    authenticate,
    authorize,
    events,
  })
  return { address: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() }
}

const serveStdio = (events: EventSource) => {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  const stop = new AbortController()
  const served = serveOverStdio(
    world.pack,
    { caller, version: '1.0.0', log: () => {}, events, integration: undefined, tools: undefined },
    { input: toServer, output: toClient, signal: stop.signal },
  )
  return { transport: new StdioServerTransport(toClient, toServer), close: async () => (stop.abort(), served) }
}

/** Waits for the next change of a resource. */
const nextChange = (client: Client) => {
  const { promise, resolve } = Promise.withResolvers<string>()
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri))
  return promise
}

const watch = async (client: Client, era: Era) => {
  if (era === '2025-11-25') await client.subscribeResource({ uri })
  else
    expect((await client.listen({ resourceSubscriptions: [uri] })).honoredFilter).toEqual({
      resourceSubscriptions: [uri],
    })
}

describe.each(eras)('recent events (%s)', (era) => {
  it('are read, and changes to them notified, over HTTP', async () => {
    const { events, watching, happen } = source()
    const { address, close } = await serveHttp(events)
    const account = (await world.pack.connections.list({ tenant: 'default' }))[0]!.id
    const { text: token } = await world.pack.tokens.create('default', { name: 'Watcher', connections: [account] })
    const client = newClient(era)
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', address), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    )
    expect(await read(client, uri)).toEqual({
      untrusted: true,
      events: [{ id: 'event1', type: 'updateCard', note: 'Hidden' }],
    })
    const changed = nextChange(client)
    await watch(client, era)
    await expect
      .poll(() => [...watching.values()])
      .toMatchObject([{ caller: { tenant: 'default', connections: [account] } }])
    happen()
    expect(await changed).toBe(uri)
    await client.close()
    await close()
    expect(watching.size).toBe(0)
  })

  it('are read, and changes to them notified, over stdio', async () => {
    const { events, watching, happen } = source()
    const { transport, close } = serveStdio(events)
    const client = newClient(era)
    await client.connect(transport)
    const changed = nextChange(client)
    await watch(client, era)
    happen()
    expect(await changed).toBe(uri)
    await close()
    expect(watching.size).toBe(0)
  })

  it('are hidden from a token that may not read', async () => {
    const { events } = source()
    const { address, close } = await serveHttp(events)
    const { text: token } = await world.pack.tokens.create('default', { name: 'Runner', scopes: ['run'] })
    const client = newClient(era)
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', address), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    )
    await expect(read(client, uri)).rejects.toMatchObject({ code: -32602 })
    if (era === '2025-11-25') await expect(watch(client, era)).rejects.toThrow()
    else expect((await client.listen({ resourceSubscriptions: [uri] })).honoredFilter).toEqual({})
    await client.close()
    await close()
  })
})

it('a shutdown ends streams that wait for changes', async () => {
  const { events } = source()
  const { address, close } = await serveHttp(events)
  const client = newClient('2026-07-28')
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', address), {
      requestInit: { headers: { authorization: `Bearer ${world.token}` } },
    }),
  )
  const subscription = await client.listen({ resourceSubscriptions: [uri] })
  await close()
  expect(await subscription.closed).toMatch(/graceful|remote/)
  await client.close()
})

describe('the events of a pack', () => {
  it('are none where it takes none in', () => expect(eventsOf({} as Pack)).toBeUndefined())

  it('are polled while somebody watches, and new ones are notified', async () => {
    let items = [{ id: 'one' }]
    let isAway = false
    let [look, stopped] = [() => {}, false]
    const list = async () => {
      if (isAway) throw new Error('the store is away')
      return { items }
    }
    const events = eventsOf({ events: { list } } as unknown as Pack, (_, work) => {
      look = work
      return () => void (stopped = true)
    })!
    expect(await events.recent({ caller }, 10)).toEqual([{ id: 'one' }])
    let noticeCount = 0
    const stop = events.watch({ caller }, () => void (noticeCount += 1))
    const again = async () => {
      look()
      await new Promise((done) => setImmediate(done))
      return noticeCount
    }
    expect(await again()).toBe(0)
    items = [{ id: 'two' }, { id: 'one' }]
    expect(await again()).toBe(1)
    expect(await again()).toBe(1)
    isAway = true
    expect(await again()).toBe(1)
    isAway = false
    items = [{ id: 'three' }]
    expect(await again()).toBe(2)
    stop()
    expect(stopped).toBe(true)
  })
})

it('a list of connections names what people named, without hidden characters', async () => {
  const [account] = world.sandbox.accounts.filter(({ integration }) => integration === 'anz-data')
  const { id } = await world.pack.connections.create(caller, {
    integration: 'anz-data',
    type: 'api-key',
    name: 'Sa\u200bles',
    secrets: account!.secrets,
  })
  await withClient(world, '2026-07-28', async (client) => {
    expect((await read(client, 'toolyard://connections')).map(({ name }: { name: string }) => name)).toContain('Sales')
    // The account answers to the name as it was given, too.
    expect(
      (await call(client, 'anz_data_people_search', { company: 'Wattlebird Freight', connection: id })).isError ??
        false,
    ).toBe(false)
  })
  await world.pack.connections.remove(caller, id)
})
