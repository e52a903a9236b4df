/**
 * An agent for trying triggers: it accepts starts, answers each with a sentence, and shows what it received. It
 * verifies no signatures and does nothing else.
 */
import Fastify from 'fastify'
import { isOwnPage, namesThisHost } from '../callers.ts'
import { notThisHost, servePages } from '../page-files.ts'

export type ExampleAgentOptions = {
  /** 0 or absent: any free port. */
  port?: number
}

/** How to answer further starts; `status` 200 means normally. */
export type Behaviour = { status: number; waitMs: number }
export type ReceivedStart = { n: number; at: string; key: string; status: number; body: unknown }

export type ExampleAgent = {
  /** Accepts starts by POST; opened in a browser, it shows the received starts. */
  url: string
  received(): ReceivedStart[]
  behave(changes: Partial<Behaviour>): Behaviour
  close(): Promise<void>
}

const kept = 100
const longestWaitMs = 60_000
/** Larger than any start, which is an event of up to 1 MiB with the data of its subject. */
const bodyLimit = 4 * 1024 * 1024

const behaviourFault = (changes: Partial<Behaviour>): string | undefined => {
  const { status = 200, waitMs = 0 } = changes
  if (!Number.isInteger(status) || status < 200 || status > 599) return '"status" must be a status from 200 to 599'
  if (!Number.isInteger(waitMs) || waitMs < 0 || waitMs > longestWaitMs)
    return `"waitMs" must be a number from 0 to ${longestWaitMs}`
  return undefined
}

const createMemory = () => {
  const starts: ReceivedStart[] = []
  const done = new Set<string>()
  let n = 0
  const behaviour: Behaviour = { status: 200, waitMs: 0 }
  return {
    starts,
    behaviour,
    /** A repeated key means the same start, whose work is done only once. */
    statusFor: (key: string): number => (key !== '' && done.has(key) ? 409 : behaviour.status),
    keep(key: string, status: number, body: unknown): ReceivedStart {
      n += 1
      const start = { n, at: new Date().toISOString(), key, status, body }
      starts.unshift(start)
      if (status < 300) done.add(key)
      for (const { key: old } of starts.splice(kept)) done.delete(old)
      return start
    },
  }
}

export const startExampleAgent = async (options: ExampleAgentOptions = {}): Promise<ExampleAgent> => {
  const { starts, behaviour, statusFor, keep } = createMemory()
  const closing = new AbortController()
  const app = Fastify({ bodyLimit, forceCloseConnections: true })
  servePages(app, {
    '/': 'agent.html',
    '/agent': 'agent.html',
    '/sandbox/agent.js': 'agent.js',
    '/sandbox/page.css': 'page.css',
  })

  app.post('/agent', async (request, reply) => {
    // Starts come from a server. A request with an `origin` header comes from a page of another site.
    if (!namesThisHost(request) || request.headers.origin !== undefined)
      return reply.code(403).send({ message: 'starts come from a server of this machine' })
    const key = String(request.headers['webhook-id'] ?? '')
    const status = statusFor(key)
    const { n } = keep(key, status, request.body)
    if (behaviour.waitMs > 0) await waitFor(behaviour.waitMs, closing.signal)
    const message =
      status < 300
        ? `Received. This is start number ${n}.`
        : status === 409
          ? 'This start was received before.'
          : 'Told to fail.'
    return reply.code(status).send({ message })
  })
  app.get('/sandbox/state', async (request, reply) =>
    namesThisHost(request)
      ? reply.header('cache-control', 'no-store').send({ behaviour, starts })
      : reply.code(403).send(notThisHost),
  )

  const behave = (changes: Partial<Behaviour>): Behaviour => {
    const fault = behaviourFault(changes)
    if (fault !== undefined) throw new Error(fault)
    return Object.assign(behaviour, {
      status: changes.status ?? behaviour.status,
      waitMs: changes.waitMs ?? behaviour.waitMs,
    })
  }
  for (const path of ['/sandbox/behave', '/_control/behave']) {
    app.post<{ Body: Partial<Behaviour> | null }>(path, async (request, reply) => {
      const isProgram = namesThisHost(request) && request.headers.origin === undefined
      if (path.startsWith('/sandbox') ? !isOwnPage(request) : !isProgram)
        return reply.code(403).send({ message: 'this answers to this machine only' })
      const fault = behaviourFault(request.body ?? {})
      return fault === undefined ? behave(request.body ?? {}) : reply.code(400).send({ message: fault })
    })
  }

  const origin = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 })
  return {
    url: `${origin}/agent`,
    received: () => [...starts],
    behave,
    async close() {
      closing.abort()
      await app.close()
    },
  }
}

const waitFor = (ms: number, stopped: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      stopped.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    stopped.addEventListener('abort', finish)
  })
