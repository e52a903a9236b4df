/** A board, and a server before it whose runs are held; it can be killed and started again, with its clock ahead. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { start } from '../faces/process.ts'
import type { Started } from '../faces/process.ts'
import { startBoardSandbox } from '../../shared/sandbox/board/index.ts'
import { findIds } from '../sandbox/board-client.ts'
import { mustAt, operator, sendTo } from './requests.ts'
import { freePort } from '../support/free-port.ts'
import type { Sent } from './requests.ts'

const wrongClock = fileURLToPath(new URL('../nodes/wrong-clock.ts', import.meta.url))
const unlimited = { token: 1e9, key: 1e9, memberRoute: 1e9 }

export const openPlace = async (folder: string) => {
  const board = await startBoardSandbox({ keepRequests: 100_000, limits: unlimited })
  onTestFinished(() => board.close())
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const wire = join(folder, 'wire.json')
  const override = { baseUrl: board.origin, authUrl: board.origin, pace: { limits: [], concurrency: 64 } }
  await writeFile(wire, JSON.stringify({ 'work-board': override }))
  const env = {
    TOOLYARD_DATA: join(folder, 'data'),
    TOOLYARD_PORT: String(port),
    TOOLYARD_TOKEN: operator,
    TOOLYARD_WIRE: wire,
    TOOLYARD_PRIVATE_ORIGINS: board.origin,
  }
  let server: Started | undefined
  onTestFinished(() => server?.kill('SIGKILL'))
  const up = async (aheadMs = 0) => {
    const nodeArgs = aheadMs === 0 ? [] : ['--import', wrongClock]
    server = start(['serve'], { ...env, WRONG_CLOCK_MS: String(aheadMs) }, { nodeArgs })
    await server.printed('curl')
  }
  const send = (path: string, options?: Sent) => sendTo(`${address}${path}`, options)
  const must = mustAt(address)
  await up()
  const { key, token } = board.credentials
  await must('/v1/connections', {
    body: { integration: 'work-board', type: 'key-token', name: 'Board', secrets: { key, token } },
  })
  const newToken = async (name: string, scopes: string[]): Promise<{ id: string; text: string }> => {
    const made = await must('/v1/admin/tokens', { body: { tenant: 'default', name, scopes } })
    return { id: made.token.id, text: made.text }
  }
  const idList = findIds(board).list('Ideas')
  return {
    board,
    up,
    async kill() {
      server!.kill('SIGKILL')
      await server!.ended
    },
    send,
    must,
    newToken,
    /** Asks for a card of that name, or what became of it. */
    create: (name: string, by: string, idempotencyKey?: string) =>
      send('/v1/steps/work-board/create-card/run', {
        body: { input: { idList, name } },
        token: by,
        key: idempotencyKey,
      }),
    /** How many cards of each name the board has. */
    cards() {
      const counts = new Map<string, number>()
      for (const { name } of board.state.cards.values()) counts.set(name, (counts.get(name) ?? 0) + 1)
      return counts
    },
  }
}
export type Place = Awaited<ReturnType<typeof openPlace>>
