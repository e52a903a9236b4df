/** Callers of the served pack that are slow, idle or many, on real sockets with the deadlines that are shipped. */
import { createHmac, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttp } from '../../shared/faces/http/index.ts'
import type { HttpApp } from '../../shared/faces/http/index.ts'
import { createPack } from '../../shared/pack.ts'
import type { Pack } from '../../shared/pack.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import type { BoardSandbox } from '../../shared/sandbox/board/index.ts'
import { findIds } from '../sandbox/board-client.ts'

const caller = { tenant: 'default' }
let sandbox: BoardSandbox
let pack: Pack
let http: HttpApp
let callback: URL
let board: string
beforeAll(async () => {
  sandbox = await startBoardSandbox()
  pack = await createPack({
    wire: { 'work-board': { baseUrl: sandbox.origin } },
    egress: { privateOrigins: [sandbox.origin], production: false },
    agentOrigins: ['http://127.0.0.1:9'],
  })
  http = await createHttp({ pack, version: '0.0.0' })
  await http.listen({ host: '127.0.0.1', port: 0 })
  pack.servedAt(`http://127.0.0.1:${(http.server.address() as AddressInfo).port}`)
  const { key, token, appSecret } = sandbox.credentials
  await pack.apps.put(caller, 'work-board', { key, secret: appSecret })
  await pack.connections.create(caller, {
    integration: 'work-board',
    type: 'key-token',
    name: 'Board',
    secrets: { key, token },
  })
  board = findIds(sandbox).board
  await pack.subscriptions.create(caller, {
    integration: 'work-board',
    trigger: 'new-comment-added-to-card',
    config: { boards: [board] },
    agent: { url: 'http://127.0.0.1:9/start' },
  })
  callback = new URL((await pack.hooks.list(caller, { limit: 1 })).items[0]!.callbackUrl)
})
afterAll(async () => {
  http.server.closeAllConnections()
  await http.close()
  await pack.close()
  await sandbox.close()
})

/** A connection that says what comes back, and when it ended (ms after it was opened). */
const open = () =>
  new Promise<{ socket: Socket; said(): string; ended: Promise<number> }>((resolve, reject) => {
    let said = ''
    const began = performance.now()
    const socket = connect(Number(callback.port), '127.0.0.1')
    const ended = new Promise<number>((done) => socket.once('close', () => done(performance.now() - began)))
    socket.on('data', (data: Buffer) => (said += data.toString('latin1')))
    socket.once('connect', () => resolve({ socket, said: () => said, ended }))
    socket.on('error', reject)
  })

const drip = async (socket: Socket, text: string) => {
  for (const letter of text) {
    if (socket.destroyed || socket.writableEnded) return
    socket.write(letter)
    await wait(200)
  }
}

const deliver = async () => {
  const id = Math.floor(Date.now() / 1000).toString(16) + randomBytes(8).toString('hex')
  const body = JSON.stringify({
    action: {
      id,
      type: 'updateCard',
      date: new Date().toISOString(),
      idMemberCreator: 'b'.repeat(24),
      data: { board: { id: board }, card: { id: 'c'.repeat(24), name: 'C' } },
    },
    model: { id: board, prefs: {} },
  })
  const signature = createHmac('sha1', sandbox.credentials.appSecret)
    .update(body)
    .update(callback.href)
    .digest('base64')
  const began = performance.now()
  const reply = await fetch(callback, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', 'x-trello-webhook': signature },
  })
  await reply.arrayBuffer()
  return { status: reply.status, ms: performance.now() - began }
}
const p99 = (times: number[]) => times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1]!

describe('who sends a byte now and then', () => {
  // 10 s for headers, 15 s for a request; the rest is for a machine that is busy. Node's own look, every 30 s, would
  // come later.
  const latest = 29_000
  const head = () => `POST ${callback.pathname} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`

  test.concurrent('of the headers: 408 and closed', async () => {
    const { socket, said, ended } = await open()
    void drip(socket, `${head()}x-slow: ${'a'.repeat(2000)}`)
    expect(await ended).toBeLessThan(latest)
    expect(said()).toMatch(/^HTTP\/1\.1 408 /)
  })

  test.concurrent('of the body: 408 and closed', async () => {
    const { socket, said, ended } = await open()
    socket.write(`${head()}x-trello-webhook: ${'A'.repeat(27)}=\r\ncontent-length: 100000\r\n\r\n`)
    void drip(socket, ' '.repeat(2000))
    expect(await ended).toBeLessThan(latest)
    expect(said()).toMatch(/^HTTP\/1\.1 408 /)
  })

  test.concurrent('2,000 connections that say nothing: others are answered as before, and they are closed', async () => {
    const idle: Awaited<ReturnType<typeof open>>[] = []
    for (let n = 0; n < 20; n += 1) idle.push(...(await Promise.all(Array.from({ length: 100 }, open))))
    const answers: Awaited<ReturnType<typeof deliver>>[] = []
    for (let n = 0; n < 200; n += 1) answers.push(await deliver())
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(p99(answers.map(({ ms }) => ms))).toBeLessThan(1000)
    const times = await Promise.all(idle.map(({ ended }) => ended))
    expect(Math.max(...times)).toBeLessThan(latest)
  })
})

test('a thousand forged deliveries a second for five seconds: those that are signed are all taken, in less than a second each', async () => {
  const before = await pack.triggers.counts()
  const sockets = await Promise.all(Array.from({ length: 50 }, open))
  const forged = Buffer.from(
    `POST ${callback.pathname} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-trello-webhook: ${'A'.repeat(27)}=\r\ncontent-length: 4096\r\n\r\n${' '.repeat(4096)}`,
  )
  const end = performance.now() + 5000
  const flood = (async () => {
    for (let sent = 0; performance.now() < end; sent += 50) {
      for (const { socket } of sockets) socket.write(forged)
      await wait(Math.max(0, sent - (performance.now() - (end - 5000))))
    }
  })()
  const answers: Awaited<ReturnType<typeof deliver>>[] = []
  while (performance.now() < end) answers.push(await deliver())
  await flood
  for (const { socket } of sockets) socket.destroy()
  expect(answers.length).toBeGreaterThan(20)
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(p99(answers.map(({ ms }) => ms))).toBeLessThan(1000)
  const after = await pack.triggers.counts()
  expect(after.stored - before.stored).toBe(answers.length)
  expect(after.refused - before.refused).toBeGreaterThan(2500)
  expect(after.undecodable).toBe(0)
})
