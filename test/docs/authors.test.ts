import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ExampleFile } from '#kit'
import { copyTree } from '../../scripts/copy-tree.ts'
import { startProvider } from '../support/provider.ts'
import { blockOf } from './pages.ts'
import { openReader } from './reader.ts'
import type { Reader } from './reader.ts'

const id = 'time-sheets'
const copy = copyTree()
let reader: Reader
let provider: Awaited<ReturnType<typeof startProvider>>

beforeAll(async () => {
  reader = await openReader()
  provider = await startProvider((request, response) => {
    const item = { id: 'item_0001', name: 'Press kit', created_at: '2026-03-02T10:00:00Z', created_by: 'acc_1' }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(
        request.url === '/v1/me'
          ? { id: 'acc_1', name: 'Ada' }
          : request.method === 'POST'
            ? item
            : { items: [item], next: null },
      ),
    )
  })
})
afterAll(async () => {
  await reader.close()
  await provider.close()
  await rm(copy, { recursive: true, force: true })
})

/** Lines of the page, in the copy instead of the checkout. */
const inCopy = (lines: string) => `cd '${copy}'; ROOT=$PWD; ENTRY=$PWD/shared/toolyard.js\n${lines}`

/** The owner of the account opens the link and enters a token. */
const enterToken = async (link: string) => {
  const opened = await fetch(link)
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const body = new URLSearchParams({ token: 'tok_aB3dE5fG7hJ9' })
  const entered = await fetch(link, { method: 'POST', headers: { cookie }, body })
  expect(entered.status, await entered.text()).toBe(200)
}

it('the first step can be written as the page says', async () => {
  const made = await reader.run(inCopy(blockOf('new')))
  expect(made.code, made.err).toBe(0)

  const overrides = blockOf('overrides')
  expect(overrides).toContain('http://127.0.0.1:9000')
  await writeFile(join(copy, 'overrides.json'), overrides.replace('http://127.0.0.1:9000', provider.origin))
  const server = reader.start(inCopy(blockOf('dev')))
  await reader.printed(server, 'curl')
  const exported = /^export TOOLYARD_DATA=\S+$/m.exec(server.out())![0]

  const [connect, record, ...remainingLines] = blockOf('record').split('\n')
  expect(remainingLines).toEqual([])
  const connecting = reader.start(inCopy(`${exported}\n${connect}`))
  await reader.printed(connecting, '/connect/')
  await enterToken(/http:\/\/\S+\/connect\/\S+/.exec(connecting.all())![0])
  expect(await connecting.ended).toMatchObject({ code: 0, out: expect.stringContaining('Connected:') })

  const recorded = await reader.run(inCopy(`${exported}\n${record}`))
  expect(recorded.code, recorded.err).toBe(0)
  const file = join(copy, 'integrations', id, 'examples/create-item.json')
  const { cases } = JSON.parse(await readFile(file, 'utf8')) as ExampleFile
  expect(cases.map(({ title }) => title)).toEqual(['Creates an item', 'A press kit'])
  await reader.stop(server)

  const generated = await reader.run(inCopy('npm run manifests && npm run docs'))
  expect(generated.code, generated.err).toBe(0)
  const tested = await reader.run(
    inCopy(
      `"$NODE" node_modules/vitest/vitest.mjs run --root . --config test/vitest.config.ts test/contract.test.ts -t ${id}`,
    ),
  )
  expect(tested.code, tested.out).toBe(0)
})
