import { describe, expect, it } from 'vitest'
import { bytesOf } from '../files/world.ts'
import { call, eras, openMcpWorld, withClient } from '../support/mcp-world.ts'
import { caller } from '../support/world.ts'

/** Records of a provider that look like a stored file. */
const alike = [
  { file: '../connections', name: 'a', mediaType: 'text/plain', size: 1, sha256: 'ab' },
  { file: 'fil_2', name: 'a', mediaType: 'text/plain', size: 'large', sha256: 'ab' },
  { file: 'fil_3', name: 'a', size: 1, sha256: 'ab' },
]
const hidden = { file: 'fil_4', name: 'plan\u202e\u200bfdp', mediaType: 'application/pdf', size: 1, sha256: 'ab' }
const saved = {
  file: 'fil_1',
  name: 'plan.pdf',
  mediaType: 'application/pdf',
  size: 12,
  sha256: 'ab',
  expiresAt: '2026-01-01T00:00:00Z',
}

// A step that stores a file, in place of one that reads.
const world = await openMcpWorld({
  change: (pack) => ({
    ...pack,
    steps: {
      ...pack.steps,
      run: (by, call) =>
        call.step === 'get-boards'
          ? Promise.resolve({
              ok: true,
              value: { boards: [], count: 0, more: false, kept: { file: saved }, alike, hidden },
              meta: { runId: 'r', durationMs: 1, attempts: 1 },
            })
          : pack.steps.run(by, call),
    },
  }),
})

const store = async (size: number, tenant = caller.tenant) => {
  const content = async function* () {
    yield bytesOf(size)
  }
  return world.pack.files.create({ tenant }, { name: 'a.bin', content: content() })
}

describe.each(eras)('files (%s)', (era) => {
  it('that a step stored are linked', () =>
    withClient(world, era, async (client) => {
      const { content } = await call(client, 'work_board_get_boards')
      expect(content.slice(2)).toEqual([
        {
          type: 'resource_link',
          uri: 'toolyard://files/fil_1',
          name: 'plan.pdf',
          mimeType: 'application/pdf',
          size: 12,
        },
        { type: 'resource_link', uri: 'toolyard://files/fil_4', name: 'planfdp', mimeType: 'application/pdf', size: 1 },
      ])
    }))

  it('are read as blobs of at most 1 MB, by their own tenant', () =>
    withClient(world, era, async (client) => {
      const { id, mediaType } = await store(1_000_000)
      const { contents } = await client.readResource({ uri: `toolyard://files/${id}` })
      expect(contents).toEqual([
        { uri: `toolyard://files/${id}`, mimeType: mediaType, blob: bytesOf(1_000_000).toString('base64') },
      ])
      const large = await store(1_000_001)
      await expect(client.readResource({ uri: `toolyard://files/${large.id}` })).rejects.toThrow(
        /1 MB can be read here.*GET \/v1\/files/,
      )
      const other = await store(10, 'other')
      await expect(client.readResource({ uri: `toolyard://files/${other.id}` })).rejects.toMatchObject({ code: -32602 })
    }))

  it('go to a provider as content of a call', () =>
    withClient(world, era, async (client) => {
      const list = [...world.sandbox.board.state.lists.values()].find(({ closed }) => !closed)!
      const { structuredContent: card } = await call(client, 'work_board_create_card', {
        idList: list.id,
        name: 'With a file',
      })
      const result = await call(client, 'work_board_attach_file', {
        idCard: card!.id,
        file: { name: 'a.txt', base64: bytesOf(900_000).toString('base64') },
      })
      expect(result.structuredContent).toMatchObject({ name: 'a.txt', bytes: 900_000 })
    }))
})
