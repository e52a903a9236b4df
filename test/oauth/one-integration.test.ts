/** What a program reads that was let in to one integration alone. */
import { afterAll, expect, it } from 'vitest'
import { eras, withClient } from '../support/mcp-world.ts'
import { caller } from '../support/world.ts'
import { openSignInWorld, signedInClient } from './world.ts'

const rows: { id: string; connection: string }[] = []
const world = await openSignInWorld({
  change: (pack) => ({
    ...pack,
    // Events of the connections that a caller is limited to, as a pack lists them.
    events: {
      ...pack.events,
      list: async ({ connections }: typeof caller & { connections?: string[] }) => ({
        items: rows.filter(({ connection }) => connections?.includes(connection) ?? true),
      }),
    } as unknown as typeof pack.events,
  }),
})
afterAll(() => world.close())
const { address, pack } = world
const path = '/mcp/work-board'
const { access: token } = await signedInClient(world, { resource: address + path })

const connectionAt = async (integration: string) =>
  (await pack.connections.list(caller)).find((connection) => connection.integration === integration)!.id
const board = await connectionAt('work-board')
const data = await connectionAt('anz-data')
rows.push({ id: 'of-data', connection: data }, { id: 'of-board', connection: board })

const fileOf = (connection: string) =>
  pack.files.create({ ...caller, connections: [connection] }, { name: 'a.txt', base64: 'YQ==' })
const [boardFile, dataFile] = [await fileOf(board), await fileOf(data)]
const uploaded = await pack.files.create(caller, { name: 'a.txt', base64: 'YQ==' })

it.each(eras)('are events and files of that integration (%s)', async (era) => {
  await withClient(
    world,
    era,
    async (client) => {
      const { contents } = await client.readResource({ uri: 'toolyard://events/recent' })
      const { events } = JSON.parse((contents[0] as { text: string }).text)
      expect(events).toEqual([{ id: 'of-board', connection: board }])
      const read = ({ id }: { id: string }) => client.readResource({ uri: `toolyard://files/${id}` })
      expect((await read(boardFile)).contents).toMatchObject([{ blob: 'YQ==' }])
      for (const other of [dataFile, uploaded]) await expect(read(other)).rejects.toMatchObject({ code: -32602 })
    },
    { path, token },
  )
})

it('are those of an account that is connected later', async () => {
  const { type, secrets } = world.sandbox.accounts.find(({ integration }) => integration === 'work-board')!
  const { id } = await pack.connections.create(caller, { integration: 'work-board', type, name: 'Later', secrets })
  const later = await fileOf(id)
  await withClient(
    world,
    '2026-07-28',
    async (client) =>
      expect((await client.readResource({ uri: `toolyard://files/${later.id}` })).contents).toHaveLength(1),
    { path, token },
  )
})
