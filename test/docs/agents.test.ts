/** The agents of docs/examples as processes of their own, beside a served pack with its sandbox. */
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { until } from '../support/agent-world.ts'
import { freePort } from '../support/free-port.ts'
import { caller } from '../support/world.ts'
import { root } from './pages.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
const python = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0)

let port: number
let world: HttpWorld
let address: string
let agent: ChildProcess | undefined
beforeAll(async () => {
  port = await freePort()
  world = await openHttpWorld({ agentOrigins: [`http://127.0.0.1:${port}`] })
  address = await world.listen()
  await world.pack.start()
  const { key, appSecret } = world.sandbox.board.credentials
  await world.pack.apps.put(caller, 'work-board', { key, secret: appSecret })
})
afterAll(() => world.close())
afterEach(async () => {
  const ended = agent && new Promise((resolve) => agent!.once('exit', resolve))
  agent?.kill()
  await ended
  agent = undefined
})

const startAgent = async (command: string, file: string) => {
  const token = await world.tokenWith(['run', 'read'])
  agent = spawn(command, [join(root, 'docs/examples', file)], {
    env: {
      PATH: process.env['PATH'],
      TOOLYARD_URL: address,
      TOOLYARD_TOKEN: token,
      AGENT_SECRET: secret,
      PORT: String(port),
    },
    stdio: 'pipe',
  })
  let said = ''
  for (const stream of [agent.stdout!, agent.stderr!]) stream.on('data', (part: Buffer) => (said += part.toString()))
  await until('the agent', () => said.includes('The agent listens'), 20_000)
}

const cardsNamed = (name: string) => [...world.sandbox.board.state.cards.values()].filter((card) => card.name === name)

describe.each([
  ['Node', process.execPath, 'agent.js'],
  ['Python', python, 'agent.py'],
  ['an MCP host', process.execPath, 'agent-mcp.js'],
])('the agent for %s', (what, command, file) => {
  it.runIf(command !== undefined)(
    'makes one card for a comment, and nothing for what is not signed or is a sample',
    async () => {
      await startAgent(command!, file)
      const url = `http://127.0.0.1:${port}/start`
      const forged = await fetch(url, {
        method: 'POST',
        headers: {
          'webhook-id': 'x',
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
          'webhook-signature': 'v1,AAAA',
        },
        body: '{}',
      })
      expect(forged.status).toBe(401)
      const { control, state } = world.sandbox.board
      const list = [...state.lists.values()].find(({ closed }) => !closed)!
      const subscription = await world.pack.subscriptions.create(caller, {
        integration: 'work-board',
        trigger: 'new-comment-added-to-card',
        config: { boards: [list.idBoard] },
        agent: { id: what, url, secret },
      })
      const stateOf = async (start: string) => (await world.pack.starts.get(caller, start)).state
      const { start: sample } = await world.pack.subscriptions.test(caller, subscription.id)
      await until('the sample', async () => (await stateOf(sample)) === 'done')

      const text = `Is this for ${what}?`
      const card = control.createCard({ by: 'odettequill', idList: list.id, name: 'Order tiles' })
      control.comment({ by: 'odettequill', idCard: card.id, text })
      const name = `Answer: ${text}`
      await until('the card', () => cardsNamed(name).length === 1)
      const started = async () =>
        (await world.pack.starts.list(caller, { limit: 9 }, { subscription: subscription.id })).items.find(
          (start) => !start.test,
        )
      await until('the start', async () => (await started())?.state === 'done')
      const start = (await started())!
      const { items: runs } = await world.pack.runs.list(caller, { limit: 9 }, { startId: start.id })
      expect(runs.map(({ step, state: outcome }) => [step, outcome])).toEqual([['create-card', 'done']])
      // The same start again: the step is not run twice.
      await world.pack.starts.replay(caller, start.id)
      await until('the repeat', async () => (await stateOf(start.id)) === 'done')
      expect(cardsNamed(name)).toHaveLength(1)
      expect((await world.pack.agents.list(caller, { limit: 9 }, { agent: what })).items).toMatchObject([
        { state: 'well' },
      ])
      await world.pack.subscriptions.remove(caller, subscription.id)
    },
    60_000,
  )

  it.runIf(command !== undefined)('says what is missing without its secret', () => {
    const { status, stderr } = spawnSync(command!, [join(root, 'docs/examples', file)], {
      env: { PATH: process.env['PATH'] },
    })
    expect([status, stderr.toString()]).toEqual([1, expect.stringContaining('TOOLYARD_TOKEN')])
  })
})

it('the workflow for n8n names nodes, an event and fields that are there', () => {
  const { nodes, connections } = JSON.parse(readFileSync(join(root, 'docs/examples/agent-n8n.json'), 'utf8')) as {
    nodes: { name: string; type: string; parameters: Record<string, unknown> }[]
    connections: Record<string, { main: { node: string }[][] }>
  }
  const [trigger, card] = nodes
  const manifest = world.pack.registry.integration('work-board').integration
  expect(trigger!.type).toBe('n8n-nodes-toolyard.workBoardTrigger')
  expect(manifest.triggers?.map(({ id }) => id)).toContain(trigger!.parameters['event'])
  expect(card!.parameters['url']).toBe('http://127.0.0.1:8750/v1/steps/work-board/create-card/run')
  expect([card!.parameters['specifyHeaders'], card!.parameters['jsonHeaders']]).toEqual([
    'json',
    "={{ JSON.stringify({ 'Start-Id': $json.start, 'Idempotency-Key': $json.start }) }}",
  ])
  expect(connections[trigger!.name]?.main[0]?.[0]?.node).toBe(card!.name)
})
