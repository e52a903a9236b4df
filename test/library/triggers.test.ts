import Fastify from 'fastify'
import { afterEach, beforeEach, expect, it } from 'vitest'
import toolyard from '../../shared/faces/http/plugin.ts'
import { createPack } from '../../shared/faces/library/index.ts'
import type { AgentStart, Pack } from '../../shared/faces/library/index.ts'
import { startSandbox } from '../../shared/sandbox/index.ts'
import type { Sandbox } from '../../shared/sandbox/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import { until } from '../support/agent-world.ts'

const caller = { tenant: 'default' }
let sandbox: Sandbox
let pack: Pack
let host: ReturnType<typeof Fastify>
let origin: string
const taken: AgentStart[] = []
beforeEach(async () => {
  taken.length = 0
  sandbox = await startSandbox()
  pack = await createPack({
    wire: sandbox.wire,
    egress: { ownOrigins: sandbox.places.map((place) => place.origin) },
    async onStart(start) {
      taken.push(start)
      if (taken.length === 1) throw new Error('not this time')
    },
  })
  const { key, token, appSecret } = sandbox.board.credentials
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Studio',
    secrets: { key, token },
  })
  await pack.apps.put(caller, 'work-board', { key, secret: appSecret })
  host = Fastify()
  await host.register(toolyard, { prefix: '/toolyard', pack })
  origin = await host.listen({ host: '127.0.0.1', port: 0 })
  pack.servedAt(`${origin}/toolyard`)
  await pack.start()
})
afterEach(async () => {
  await host.close()
  await pack.close()
  await sandbox.close()
})

it("takes deliveries under the host's prefix and hands starts to onStart, again when it throws", async () => {
  const { board } = findIds(sandbox.board)
  const made = await pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'new-card',
    config: { boards: [board] },
  })
  expect(made).toMatchObject({ state: 'active', agent: { url: null } })
  expect((await pack.hooks.list(caller, { limit: 1 })).items[0]!.callbackUrl).toMatch(
    `${origin}/toolyard/hooks/work-board/`,
  )
  await new Promise((resolve) => setTimeout(resolve, 5))
  const card = sandbox.board.control.createCard({
    by: 'odettequill',
    idList: findIds(sandbox.board).list('Ideas'),
    name: 'For the library',
  })
  await until('the first call', () => taken.length >= 1)
  await until(
    'it to be noted',
    async () => (await pack.starts.list(caller, { limit: 1 })).items[0]?.answer?.status === null,
  )
  expect((await pack.starts.list(caller, { limit: 1 })).items[0]).toMatchObject({
    state: 'pending',
    attempts: 1,
    subject: card.id,
  })
  await until('the second call', () => taken.length >= 2)
  expect(taken[1]).toEqual(taken[0])
  await until('its end', async () => (await pack.starts.list(caller, { limit: 1 })).items[0]?.state === 'done')
})

it('an open stream does not keep the host from closing', async () => {
  const { text } = await pack.tokens.create('default', { name: 'Reader', scopes: ['read'] })
  const reply = await fetch(`${origin}/toolyard/v1/stream`, { headers: { authorization: `Bearer ${text}` } })
  const whole = reply.text()
  await host.close()
  expect(await whole).toMatch(/^: changes/)
})
