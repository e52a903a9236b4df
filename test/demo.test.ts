import { beforeAll, expect, it } from 'vitest'
import { playDemo } from '../shared/demo/index.ts'
import { formatStart, plain, startReceiver } from '../shared/faces/cli/index.ts'
import { createHttp } from '../shared/faces/http/index.ts'
import { openHttpWorld } from './support/http-world.ts'

const caller = { tenant: 'default' }
const face = await openHttpWorld({ egress: { loopbackAgents: true } })
beforeAll(async () => {
  for (const { integration, type, name, secrets } of face.sandbox.accounts.slice(1))
    await face.pack.connections.create(caller, { integration, type, name, secrets })
  const { key, appSecret } = face.sandbox.board.credentials
  await face.pack.apps.put(caller, 'work-board', { key, secret: appSecret })
})

const play = async () => {
  let [out, err] = ['', '']
  const code = await playDemo({
    pack: face.pack,
    caller,
    sandbox: face.sandbox,
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    signal: new AbortController().signal,
    typed: (words) => `toolyard ${words}`,
    plain,
    formatStart,
    startReceiver: (onStart, onForged) => startReceiver(0, onStart, onForged),
    async listen() {
      const http = await createHttp({ pack: face.pack, version: '0.0.0' })
      await http.listen({ host: '127.0.0.1', port: 0 })
      return http
    },
  })
  return { code, out, err }
}

it('ends well when everything is as expected', async () => {
  const { code, out, err } = await play()
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain('toolyard serve --sandbox')
})

const wrong: [string, Parameters<typeof face.sandbox.board.control.fault>[0]][] = [
  [
    'refuses a step',
    {
      match: { method: 'POST', path: '/1/cards' },
      times: 9,
      answer: { status: 400, body: 'invalid value for idList' },
    },
  ],
  [
    'refuses a hook',
    {
      match: { method: 'POST', path: '/1/webhooks' },
      times: 9,
      answer: { status: 400, body: 'URL did not return 200 status code' },
    },
  ],
  [
    'confirms what it did not do',
    {
      match: { method: 'PUT', path: '/1/cards' },
      skip: 1,
      times: 9,
      answer: { status: 200, body: { id: '507f1f77bcf86cd799439011', closed: false } },
    },
  ],
]
it.each(wrong)('fails when the provider %s', async (_what, fault) => {
  face.sandbox.board.control.fault(fault)
  const { code, err } = await play()
  face.sandbox.board.control.clearFaults()
  expect([code, err]).toEqual([1, expect.stringContaining('did not go as expected')])
})
