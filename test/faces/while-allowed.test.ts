import { EventEmitter } from 'node:events'
import Fastify from 'fastify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { signalClientAbort } from '../../shared/faces/http/client-abort.ts'
import { mountMcp } from '../../shared/faces/http/mcp.ts'
import { whileAllowed } from '../../shared/faces/http/while-allowed.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const caller = { tenant: 'default' }
const request = { caller } as FastifyRequest
const replyOf = (destroyed: boolean) => {
  const raw = Object.assign(new EventEmitter(), { destroyed, writableFinished: false })
  return { raw, reply: { raw } as unknown as FastifyReply }
}

it('asks until the client goes, and leaves nothing behind', () => {
  const { raw, reply } = replyOf(false)
  expect(whileAllowed(async () => caller, request, reply).aborted).toBe(false)
  expect(vi.getTimerCount()).toBe(1)
  raw.emit('close')
  expect(vi.getTimerCount()).toBe(0)
})

it('asks nothing for a client that has gone already, of which no event tells any more', () => {
  const { reply } = replyOf(true)
  expect(whileAllowed(async () => caller, request, reply).aborted).toBe(true)
  expect(vi.getTimerCount()).toBe(0)
  expect(signalClientAbort(reply).aborted).toBe(true)
})

it.each([
  ['text/event-stream', 1],
  ['application/json', 0],
])('an answer of MCP as %s is watched %i times', async (type, times) => {
  const app = Fastify()
  const watch = vi.fn(() => AbortSignal.abort())
  mountMcp(app, {
    paths: ['/mcp'],
    publicUrl: undefined,
    transport: {
      serve: async () => new Response('{}', { headers: { 'content-type': type } }),
      release: () => {},
      close: async () => {},
    },
    identify: async () => ({ client: '', tenant: 'default', authInfo: { token: '', clientId: '', scopes: [] } }),
    watch,
  })
  await app.inject({ method: 'GET', url: '/mcp' })
  expect(watch).toHaveBeenCalledTimes(times)
  await app.close()
})
