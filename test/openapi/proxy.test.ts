import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHttpWorld } from '../support/http-world.ts'
import type { HttpWorld } from '../support/http-world.ts'
import { startAgent } from '../support/agent-world.ts'
import type { AgentServer } from '../support/agent-world.ts'
import { hasPrism, startPrism } from './prism.ts'
import { tell } from './story.ts'
import type { Asking } from './story.ts'

type Violation = { location: string[]; severity: string; code: string; message: string }

if (!hasPrism && process.env.TOOLYARD_OPENAPI === 'required')
  throw new Error('Prism is not installed; npm ci --prefix test/tools')
if (!hasPrism) console.log('openapi: skipped, since prism is not installed. "npm ci --prefix test/tools" installs it.')

describe.runIf(hasPrism)('through a proxy that knows only the document', () => {
  let face: HttpWorld
  let agent: AgentServer
  let address: string
  let document: { paths: Record<string, Record<string, { operationId: string }>> }
  beforeAll(async () => {
    agent = await startAgent()
    face = await openHttpWorld({ agentOrigins: [agent.origin], scanMs: 300, oauthServer: 'on' })
    address = await face.listen()
    face.pack.servedAt(address)
    await face.pack.start()
    for (const { integration, type, name, secrets } of face.sandbox.accounts.slice(1))
      await face.pack.connections.create({ tenant: 'default' }, { integration, type, name, secrets })
    document = (await face.ask('/openapi.json')).json
  })
  afterAll(async () => {
    await face.close()
    await agent.close()
  })

  /** Asks through the proxy; keeps what it says of each answer. */
  const recorder = (origin: string) => {
    const violations: string[] = []
    const answers = new Map<string, Set<number>>()
    const routes = Object.entries(document.paths)
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => ({
          method: method.toUpperCase(),
          path,
          fits: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
        })),
      )
      // A path of its own comes before the pattern that fits it too.
      .toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')))
    const ask: Asking = async (method, url, { body, token = face.token, headers = {} } = {}) => {
      const json = body === undefined ? {} : { 'content-type': 'application/json' }
      const reply = await fetch(`${origin}${url}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...json, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await reply.text()
      const responseViolations = (JSON.parse(reply.headers.get('sl-violations') ?? '[]') as Violation[]).filter(
        ({ location }) => location[0] === 'response',
      )
      violations.push(
        ...responseViolations.map(
          ({ message, location }) => `${method} ${url} ${reply.status}: ${location.join('.')} ${message}`,
        ),
      )
      const route = routes.find((candidate) => candidate.method === method && candidate.fits.test(url.split('?')[0]!))
      const key = `${method} ${route?.path}`
      answers.set(key, (answers.get(key) ?? new Set()).add(reply.status))
      return {
        status: reply.status,
        text,
        json: /json/.test(reply.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : undefined,
      }
    }
    return { ask, violations, answers, operations: routes.map(({ method, path }) => `${method} ${path}`) }
  }

  it('no answer of any operation breaks it', async () => {
    const prism = await startPrism(document, address)
    const { ask, violations, answers, operations } = recorder(prism.origin)
    try {
      await tell(face, agent, ask)
    } finally {
      await prism.stop()
    }
    expect(violations).toEqual([])
    const answerCount = [...answers.values()].reduce((sum, statuses) => sum + statuses.size, 0)
    // The stream has no end, and the generic route to run a step stands behind the operation of each step.
    const missed = operations.filter((operation) => !answers.has(operation))
    expect(
      missed.filter((operation) => !['GET /v1/stream', 'POST /v1/steps/{integration}/{step}/run'].includes(operation)),
    ).toEqual([])
    console.log(
      `openapi: ${answers.size} of ${operations.length} operations used through prism, ${answerCount} kinds of answer, ${violations.length} violations`,
    )
  })

  it('can fail: a document that promises another answer is broken', async () => {
    const other = JSON.parse(JSON.stringify(document))
    const [status] = Object.keys(other.paths['/livez'].get.responses)
    other.paths['/livez'].get.responses[status!].content['application/json'].schema = {
      type: 'object',
      properties: { status: { const: 'dead' } },
      required: ['status'],
    }
    const prism = await startPrism(other, address)
    const { ask, violations } = recorder(prism.origin)
    try {
      await ask('GET', '/livez')
    } finally {
      await prism.stop()
    }
    expect(violations).toEqual([expect.stringContaining('GET /livez 200')])
  })
})
